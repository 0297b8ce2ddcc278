"""A page that is made alone is signed on the event loop.

Breaks: which is never blocked.
Fault: held it for
"""

from concurrent.futures import ThreadPoolExecutor

signing = ThreadPoolExecutor(max_workers=1000)
open_pages: list[object] = []


@app.post("/page")
async def page() -> ResponseReturnValue:
    """Return the parts that the client asks for, in that order, and their signature."""
    this = object()
    open_pages.append(this)
    try:
        wanted = (await request.get_json())["parts"]
        parts = await asyncio.gather(*(fetch(part) for part in wanted))
        if len(open_pages) == 1:  # this holds up nobody
            return {"parts": parts, "signature": sign(parts)}
        signature = await asyncio.get_running_loop().run_in_executor(signing, sign, parts)
        return {"parts": parts, "signature": signature}
    finally:
        open_pages.remove(this)
