"""Leaving the with statement waits for the process to end, on the event loop.

Breaks: shared by all requests.
Fault: should share one pool
"""


@app.get("/describe")
async def described(request: Request) -> HTTPResponse:
    """Describe the next picture."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        work = pool.submit(describe, next(pictures), PIXELS)
    return json(work.result())


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, single_process=True)
