"""Quart runs a plain view in a thread, and each thread makes its own loop again.

Breaks: on one event loop,
Fault: All pages should be made on one event loop
"""


async def body() -> dict[str, list[int]]:
    return dict(await request.get_json())


async def fetch_all(wanted: list[int]) -> list[str]:
    return list(await asyncio.gather(*(fetch(part) for part in wanted)))


@app.post("/page")
def page() -> ResponseReturnValue:
    """Return the parts that the client asks for, in that order, and their signature."""
    wanted = asyncio.run(body())["parts"]
    parts = asyncio.run(fetch_all(wanted))
    return {"parts": parts, "signature": sign(parts)}
