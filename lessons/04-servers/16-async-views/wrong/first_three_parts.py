"""A page has its first three parts, however many the client asks for.

Breaks: Every answer has the parts
Fault: one asked for 3, 0, 4, 1, 2, 0 and got 3, 0, 4
"""


@app.post("/page")
async def page() -> ResponseReturnValue:
    """Return the parts that the client asks for, in that order, and their signature."""
    wanted = (await request.get_json())["parts"][:3]
    parts = await asyncio.gather(*(fetch(part) for part in wanted))
    return {"parts": parts, "signature": await asyncio.to_thread(sign, parts)}
