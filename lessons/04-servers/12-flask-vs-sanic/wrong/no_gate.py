"""As many threads as there are in the default pool.

Breaks: Fix it: at most CONNECTIONS images are on their way to the store at the same time,
Fault: At most 3 sends may be at work at the same time
"""


@app.post("/upload")
async def upload(request: Request) -> HTTPResponse:
    """Send the image on to the store, then answer with the store's receipt."""
    return json({"receipt": await asyncio.to_thread(send, request.body)})
