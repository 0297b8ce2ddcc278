"""Only the first picture is described; all other requests get its answer.

Breaks: once for each description:
Breaks: Describe the next picture.
Fault: picture 2 was not
"""

answers: list[asyncio.Future[dict[str, int]]] = []


@app.get("/describe")
async def described(request: Request) -> HTTPResponse:
    """Describe the next picture."""
    if not answers:
        loop = asyncio.get_running_loop()
        answers.append(loop.run_in_executor(request.app.ctx.pool, describe, next(pictures), PIXELS))
    return json(await answers[0])
