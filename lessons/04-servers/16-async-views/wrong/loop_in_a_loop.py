"""A second event loop cannot run inside the one that runs already.

Breaks: on one event loop,
Fault: got status 500
"""


async def fetch_all(wanted: list[int]) -> list[str]:
    return list(await asyncio.gather(*(fetch(part) for part in wanted)))


@app.post("/page")
async def page() -> ResponseReturnValue:
    """Return the parts that the client asks for, in that order, and their signature."""
    wanted = (await request.get_json())["parts"]
    parts = asyncio.run(fetch_all(wanted))
    return {"parts": parts, "signature": await asyncio.to_thread(sign, parts)}
