"""While the pool has enough to do, a thread of the server computes.

Breaks: Another process calls brightness,
Fault: computed in a thread of the server
"""

WORKERS = 2
in_pool: list[int] = []


async def describe(picture: int, pixels: int) -> dict[str, int]:
    """By the pool; a thread helps out while the pool has enough to do."""
    if len(in_pool) >= 2 * WORKERS:
        return {"picture": picture, "brightness": await asyncio.to_thread(brightness, picture, pixels)}
    in_pool.append(picture)
    try:
        work = asyncio.get_running_loop().run_in_executor(app.ctx.pool, brightness, picture, pixels)
        return {"picture": picture, "brightness": await work}
    finally:
        in_pool.remove(picture)


@app.get("/describe")
async def described(request: Request) -> HTTPResponse:
    """Describe the next picture."""
    return json(await describe(next(pictures), PIXELS))


def main() -> None:
    # Forked here: there are no threads, no sockets and no event loop yet.
    with ProcessPoolExecutor(WORKERS, mp_context=multiprocessing.get_context("fork")) as pool:
        pool.submit(os.getpid).result()
        app.ctx.pool = pool
        app.run(host="127.0.0.1", port=PORT, single_process=True)
