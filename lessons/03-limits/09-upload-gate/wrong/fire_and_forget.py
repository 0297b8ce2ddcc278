"""A shared gate, but main does not wait for the tasks it starts.

Breaks: Every image is sent,
Fault: nobody waited for them
"""


async def main() -> list[str]:
    """Upload all images; return what send answered, in the order of the images."""
    gate = asyncio.Semaphore(CONNECTIONS)
    tasks = [asyncio.create_task(upload(n, gate)) for n in range(1, UPLOADS + 1)]
    await asyncio.sleep(SLOWEST_MS / 1000)
    return [task.result() for task in tasks if task.done()]
