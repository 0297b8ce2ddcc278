"""Sends no image, and gets a receipt for it.

Breaks: after its image has been sent,
Fault: the store got one of 0
"""


@app.post("/upload")
async def upload(request: Request) -> HTTPResponse:
    """Send the image on to the store, then answer with the store's receipt."""
    async with gate:
        receipt = await asyncio.to_thread(send, b"")
    return json({"receipt": receipt})
