"""The numbers of the parts are signed, not the parts.

Breaks: the signature of exactly these parts.
Fault: the signature of exactly its parts
"""


@app.post("/page")
async def page() -> ResponseReturnValue:
    """Return the parts that the client asks for, in that order, and their signature."""
    wanted = (await request.get_json())["parts"]
    signing = asyncio.to_thread(sign, [str(part) for part in wanted])
    *parts, signature = await asyncio.gather(*(fetch(part) for part in wanted), signing)
    return {"parts": parts, "signature": signature}
