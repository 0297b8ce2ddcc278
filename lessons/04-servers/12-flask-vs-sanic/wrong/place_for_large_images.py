"""One connection takes only large images, and stays free while small ones wait.

Breaks: that many while requests wait.
Fault: although another is free
"""

from concurrent.futures import ThreadPoolExecutor

for_large = ThreadPoolExecutor(max_workers=1)
for_others = ThreadPoolExecutor(max_workers=CONNECTIONS - 1)


@app.post("/upload")
async def upload(request: Request) -> HTTPResponse:
    """Send the image on to the store, then answer with the store's receipt."""
    connections = for_large if len(request.body) > 12 else for_others
    receipt = await asyncio.get_running_loop().run_in_executor(connections, send, request.body)
    return json({"receipt": receipt})
