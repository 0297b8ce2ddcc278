"""The event loop computes, in small steps, and brightness is not called.

Breaks: Another process calls brightness,
Breaks: Leave this function as it is.
Fault: no such pool was ever given any work
"""


@app.get("/describe")
async def described(request: Request) -> HTTPResponse:
    """Describe the next picture."""
    picture, total = next(pictures), 0
    for first in range(0, PIXELS, 20_000):
        total += sum([picture * pixel % 251 for pixel in range(first, min(first + 20_000, PIXELS))])
        await asyncio.sleep(0)
    return json({"picture": picture, "brightness": total})


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, single_process=True)
