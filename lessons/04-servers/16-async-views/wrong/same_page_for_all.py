"""The parts are always the same, whatever the client asks for.

Breaks: in the order asked for,
Breaks: Return the parts that the client asks for, in that order, and their signature.
Fault: one asked for 4, 3 and got 0, 1, 2
"""


@app.post("/page")
async def page() -> ResponseReturnValue:
    """Return the parts that the client asks for, in that order, and their signature."""
    wanted = [0, 1, 2]
    parts = await asyncio.gather(*(fetch(part) for part in wanted))
    return {"parts": parts, "signature": await asyncio.to_thread(sign, parts)}
