"""Each request makes its own pool, and lets go of it without waiting.

Breaks: shared by all requests.
Fault: should share one pool
"""


@app.get("/describe")
async def described(request: Request) -> HTTPResponse:
    """Describe the next picture."""
    pool = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))
    work = asyncio.get_running_loop().run_in_executor(pool, describe, next(pictures), PIXELS)
    pool.shutdown(wait=False)
    return json(await work)


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, single_process=True)
