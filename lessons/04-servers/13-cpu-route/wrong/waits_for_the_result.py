"""Another process computes, but the handler blocks the loop until it is done.

Breaks: the event loop is never blocked for 50 ms.
Fault: should go on while
"""


@app.get("/describe")
async def described(request: Request) -> HTTPResponse:
    """Describe the next picture."""
    return json(request.app.ctx.pool.submit(describe, next(pictures), PIXELS).result())
