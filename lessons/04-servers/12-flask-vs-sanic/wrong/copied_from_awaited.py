"""The store's client was replaced by a sleep that is awaited.

Breaks: Leave this function as it is.
Fault: Leave send as it is
"""


async def send(image: bytes) -> str:
    """The store's own client: it blocks until the store has answered. Leave this function as it is."""
    takes_ms, receipt = draw.randint(FASTEST_MS, SLOWEST_MS), draw.randrange(1_000_000)
    await asyncio.sleep(takes_ms / 1000)
    return f"{receipt:06}-{len(image)}"


@app.post("/upload")
async def upload(request: Request) -> HTTPResponse:
    """Send the image on to the store, then answer with the store's receipt."""
    async with gate:
        receipt = await send(request.body)
    return json({"receipt": receipt})
