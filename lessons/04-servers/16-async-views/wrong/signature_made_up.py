"""The signature that came is thrown away.

Breaks: the signature of exactly these parts.
Fault: the signature of exactly its parts
"""


@app.post("/page")
async def page() -> ResponseReturnValue:
    """Return the parts that the client asks for, in that order, and their signature."""
    wanted = (await request.get_json())["parts"]
    parts = await asyncio.gather(*(fetch(part) for part in wanted))
    await asyncio.to_thread(sign, parts)
    return {"parts": parts, "signature": f"000001 for {', '.join(parts)}"}
