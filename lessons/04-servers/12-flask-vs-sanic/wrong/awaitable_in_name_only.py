"""A coroutine around the call that blocks hands nothing back.

Breaks: The event loop is never blocked.
Fault: held it for
"""


async def send_async(image: bytes) -> str:
    return send(image)


@app.post("/upload")
async def upload(request: Request) -> HTTPResponse:
    """Send the image on to the store, then answer with the store's receipt."""
    async with gate:
        receipt = await send_async(request.body)
    return json({"receipt": receipt})
