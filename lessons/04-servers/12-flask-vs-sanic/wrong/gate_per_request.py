"""Each request makes its own gate.

Breaks: Fix it: at most CONNECTIONS images are on their way to the store at the same time,
Fault: At most 3 sends may be at work at the same time
"""

del gate


@app.post("/upload")
async def upload(request: Request) -> HTTPResponse:
    """Send the image on to the store, then answer with the store's receipt."""
    gate = asyncio.Semaphore(CONNECTIONS)
    async with gate:
        receipt = await asyncio.to_thread(send, request.body)
    return json({"receipt": receipt})
