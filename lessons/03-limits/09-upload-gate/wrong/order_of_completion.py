"""The answers are in the order in which they came.

Breaks: in the order of the images.
Fault: the order of the images
"""


async def main() -> list[str]:
    """Upload all images; return what send answered, in the order of the images."""
    gate = asyncio.Semaphore(CONNECTIONS)
    tasks = [asyncio.create_task(upload(n, gate)) for n in range(1, UPLOADS + 1)]
    return [await done for done in asyncio.as_completed(tasks)]
