"""shrink does not take its time, so the pool has nothing to do.

Breaks: Leave this function as it is.
Fault: should take at least
"""


def shrink(picture: int) -> int:
    """Shrink a picture; return its new size. Leave this function as it is."""
    log(f"picture {picture}")
    return random.Random(SEED + picture).randint(10, 999)


async def in_pool(picture: int) -> int:
    """Have a thread of the pool shrink the picture."""
    return await asyncio.get_running_loop().run_in_executor(pool, copy_context().run, shrink, picture)
