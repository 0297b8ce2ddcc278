"""sign was replaced by a coroutine.

Breaks: Leave this function as it is.
Fault: Leave sign as it is
"""


async def sign(parts: list[str]) -> str:
    """Sign a page. This library blocks until another service has answered. Leave this function as it is."""
    code = chance.randrange(1_000_000)
    await asyncio.sleep(SIGN_MS / 1000)
    return f"{code:06} for {', '.join(parts)}"


@app.post("/page")
async def page() -> ResponseReturnValue:
    """Return the parts that the client asks for, in that order, and their signature."""
    wanted = (await request.get_json())["parts"]
    parts = await asyncio.gather(*(fetch(part) for part in wanted))
    return {"parts": parts, "signature": await sign(parts)}
