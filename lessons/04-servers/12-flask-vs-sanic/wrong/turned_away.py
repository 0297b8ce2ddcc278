"""A client that finds no place is turned away.

Breaks: Every client gets its answer
Fault: should be answered with status 200
"""


@app.post("/upload")
async def upload(request: Request) -> HTTPResponse:
    """Send the image on to the store, then answer with the store's receipt."""
    if gate.locked():
        return json({"receipt": None}, status=503)
    async with gate:
        receipt = await asyncio.to_thread(send, request.body)
    return json({"receipt": receipt})
