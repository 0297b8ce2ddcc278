"""This listener is called when the server begins to stop, and requests may still be in progress.

Breaks: closed after it has stopped.
Fault: should be closed after the server has stopped
"""


@app.before_server_stop
async def close_store(app: Sanic) -> None:
    """Called once, after the last request."""
    await app.ctx.opened.aclose()
