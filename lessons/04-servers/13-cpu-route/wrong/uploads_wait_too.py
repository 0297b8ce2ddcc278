"""One upload at a time.

Breaks: Send an image on to the store.
Fault: uploads should be at work at the same time
"""

turn = asyncio.Lock()


@app.post("/upload")
async def upload(request: Request) -> HTTPResponse:
    """Send an image on to the store."""
    async with turn:
        await asyncio.sleep(draw.randint(FASTEST_MS, SLOWEST_MS) / 1000)
    return json({"success": True})
