"""There is a gate, but the thread of the event loop sends.

Breaks: The event loop is never blocked.
Fault: held it for
"""


@app.post("/upload")
async def upload(request: Request) -> HTTPResponse:
    """Send the image on to the store, then answer with the store's receipt."""
    async with gate:
        receipt = send(request.body)
    return json({"receipt": receipt})
