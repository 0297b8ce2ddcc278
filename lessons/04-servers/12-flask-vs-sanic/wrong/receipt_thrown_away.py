"""The image is sent, but what the store answered is thrown away.

Breaks: the answer has the store's receipt for it.
Fault: should be answered with the receipt of a send
"""


@app.post("/upload")
async def upload(request: Request) -> HTTPResponse:
    """Send the image on to the store, then answer with the store's receipt."""
    async with gate:
        await asyncio.to_thread(send, request.body)
    return json({"receipt": "000001"})
