"""Computes the brightness of each picture twice.

Breaks: once for each description:
Fault: it was called
"""


@app.get("/describe")
async def described(request: Request) -> HTTPResponse:
    """Describe the next picture."""
    picture = next(pictures)
    loop = asyncio.get_running_loop()
    value = await loop.run_in_executor(app.ctx.pool, brightness, picture, PIXELS)
    value = await loop.run_in_executor(app.ctx.pool, brightness, picture, PIXELS)
    return json({"picture": picture, "brightness": value})


@app.before_server_start
async def open_pool(app: Sanic) -> None:
    app.ctx.pool = ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))


@app.after_server_stop
async def close_pool(app: Sanic) -> None:
    app.ctx.pool.shutdown()


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, single_process=True)
