"""Moved to Quart, where signing now holds up every request.

Breaks: which is never blocked.
Fault: held it for
"""


@app.post("/page")
async def page() -> ResponseReturnValue:
    """Return the parts that the client asks for, in that order, and their signature."""
    wanted = (await request.get_json())["parts"]
    parts = await asyncio.gather(*(fetch(part) for part in wanted))
    return {"parts": parts, "signature": sign(parts)}
