"""What the pool has computed is thrown away.

Breaks: All requests get the right answers,
Fault: should be described
"""


@app.get("/describe")
async def described(request: Request) -> HTTPResponse:
    """Describe the next picture."""
    picture = next(pictures)
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(request.app.ctx.pool, describe, picture, PIXELS)
    return json({"picture": picture, "brightness": 125 * PIXELS})
