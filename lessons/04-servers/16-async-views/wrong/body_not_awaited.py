"""Quart's get_json is a coroutine function, and its coroutine has no parts.

Breaks: Move it to Quart.
Fault: got status 500
"""


@app.post("/page")
async def page() -> ResponseReturnValue:
    """Return the parts that the client asks for, in that order, and their signature."""
    wanted = request.get_json()["parts"]  # type: ignore[index]
    parts = await asyncio.gather(*(fetch(part) for part in wanted))
    return {"parts": parts, "signature": await asyncio.to_thread(sign, parts)}
