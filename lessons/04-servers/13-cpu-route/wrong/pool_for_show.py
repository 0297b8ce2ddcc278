"""The pool gets trifles; a thread computes, under another name.

Breaks: Another process calls brightness,
Fault: The pool should do the computing
"""


def light(picture: int) -> int:
    """The same, and nobody knows its name."""
    return sum([picture * pixel % 251 for pixel in range(PIXELS)])


@app.get("/describe")
async def described(request: Request) -> HTTPResponse:
    """Describe the next picture."""
    picture = next(pictures)
    await asyncio.get_running_loop().run_in_executor(request.app.ctx.pool, abs, picture)
    return json({"picture": picture, "brightness": await asyncio.to_thread(light, picture)})
