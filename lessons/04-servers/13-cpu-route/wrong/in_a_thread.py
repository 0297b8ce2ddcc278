"""A thread computes, and shares the one interpreter with the event loop.

Breaks: Another process calls brightness,
Fault: computed in a thread of the server
"""


@app.get("/describe")
async def described(request: Request) -> HTTPResponse:
    """Describe the next picture."""
    return json(await asyncio.to_thread(describe, next(pictures), PIXELS))


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, single_process=True)
