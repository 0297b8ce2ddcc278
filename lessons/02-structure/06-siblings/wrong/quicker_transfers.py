"""transfer has been edited; all parts arrive at the same time.

Breaks: Leave this function as it is.
Fault: Leave transfer as it is
"""


async def transfer(n: int) -> None:
    """Send part n over the network; the higher n is, the longer it takes. Leave this function as it is."""
    await asyncio.sleep(PART_S)
    if n == REFUSED:
        raise RefusedError(f"part {n}")
