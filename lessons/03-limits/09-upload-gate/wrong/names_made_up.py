"""What send answered is thrown away; main writes names of its own.

Breaks: main returns what send answered,
Breaks: Upload all images; return what send answered,
Fault: what send answered
"""


async def main() -> list[str]:
    """Upload all images; return what send answered, in the order of the images."""
    gate = asyncio.Semaphore(CONNECTIONS)
    async with asyncio.TaskGroup() as group:
        for n in range(1, UPLOADS + 1):
            group.create_task(upload(n, gate))
    return [f"image-{n}.png" for n in range(1, UPLOADS + 1)]
