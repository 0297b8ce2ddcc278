"""What was fetched is thrown away.

Breaks: Every answer has the parts
Fault: what fetch has returned
"""


@app.post("/page")
async def page() -> ResponseReturnValue:
    """Return the parts that the client asks for, in that order, and their signature."""
    wanted = (await request.get_json())["parts"]
    await asyncio.gather(*(fetch(part) for part in wanted))
    parts = [f"part {part} 000000" for part in wanted]
    return {"parts": parts, "signature": await asyncio.to_thread(sign, parts)}
