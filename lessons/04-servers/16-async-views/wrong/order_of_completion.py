"""The parts are in the order in which they came.

Breaks: in the order asked for,
Breaks: Return the parts that the client asks for, in that order, and their signature.
Fault: one asked for 0, 1, 2 and got 2, 1, 0
"""


@app.post("/page")
async def page() -> ResponseReturnValue:
    """Return the parts that the client asks for, in that order, and their signature."""
    wanted = (await request.get_json())["parts"]
    fetching = [asyncio.create_task(fetch(part)) for part in wanted]
    parts = [await one for one in asyncio.as_completed(fetching)]
    return {"parts": parts, "signature": await asyncio.to_thread(sign, parts)}
