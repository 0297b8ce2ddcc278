"""A coroutine around the function that computes hands nothing back.

Breaks: Find the line that does it, and fix the server.
Fault: no such pool was ever given any work
"""


async def described_later(picture: int) -> dict[str, int]:
    return describe(picture, PIXELS)


@app.get("/describe")
async def described(request: Request) -> HTTPResponse:
    """Describe the next picture."""
    return json(await described_later(next(pictures)))


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, single_process=True)
