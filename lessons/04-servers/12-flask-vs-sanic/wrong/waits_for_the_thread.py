"""Another thread sends, but the handler blocks the loop until it has.

Breaks: The event loop is never blocked.
Fault: held it for
"""

from concurrent.futures import ThreadPoolExecutor

pool = ThreadPoolExecutor(CONNECTIONS)


@app.post("/upload")
async def upload(request: Request) -> HTTPResponse:
    """Send the image on to the store, then answer with the store's receipt."""
    return json({"receipt": pool.submit(send, request.body).result()})
