"""Only the first image is sent; all others get its receipt.

Breaks: after its image has been sent,
Fault: some had the same one
"""

gate = asyncio.Semaphore(1)
receipts: list[str] = []


@app.post("/upload")
async def upload(request: Request) -> HTTPResponse:
    """Send the image on to the store, then answer with the store's receipt."""
    async with gate:
        if not receipts:
            receipts.append(await asyncio.to_thread(send, request.body))
    return json({"receipt": receipts[0]})
