"""The loop gets a turn before the computing, and none during it.

Breaks: Find the line that does it, and fix the server.
Fault: no such pool was ever given any work
"""


@app.get("/describe")
async def described(request: Request) -> HTTPResponse:
    """Describe the next picture."""
    await asyncio.sleep(0)
    return json(describe(next(pictures), PIXELS))


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, single_process=True)
