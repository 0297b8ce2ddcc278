"""A thread signs, and the handler blocks the loop until it has.

Breaks: which is never blocked.
Fault: held it for
"""

from concurrent.futures import ThreadPoolExecutor

pool = ThreadPoolExecutor(4)


@app.post("/page")
async def page() -> ResponseReturnValue:
    """Return the parts that the client asks for, in that order, and their signature."""
    wanted = (await request.get_json())["parts"]
    parts = await asyncio.gather(*(fetch(part) for part in wanted))
    return {"parts": parts, "signature": pool.submit(sign, parts).result()}
