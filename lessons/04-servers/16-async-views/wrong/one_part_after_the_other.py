"""The pages overlap, but the parts of a page no longer do.

Breaks: The parts of a page still overlap.
Fault: The parts of a page should overlap
"""


@app.post("/page")
async def page() -> ResponseReturnValue:
    """Return the parts that the client asks for, in that order, and their signature."""
    wanted = (await request.get_json())["parts"]
    parts = [await fetch(part) for part in wanted]
    return {"parts": parts, "signature": await asyncio.to_thread(sign, parts)}
