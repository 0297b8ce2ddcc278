"""The event loop waits for a gate that is meant for threads.

Breaks: The event loop is never blocked.
Fault: Deadlock:
"""

import threading

gate = threading.Semaphore(CONNECTIONS)


@app.post("/upload")
async def upload(request: Request) -> HTTPResponse:
    """Send the image on to the store, then answer with the store's receipt."""
    with gate:
        receipt = await asyncio.to_thread(send, request.body)
    return json({"receipt": receipt})
