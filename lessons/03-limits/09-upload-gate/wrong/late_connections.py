"""The connections are opened one by one, though there is work for all of them from the start.

Breaks: While images are left, a connection that becomes free is used immediately.
Fault: should be used immediately
"""


async def main() -> list[str]:
    """Upload all images; return what send answered, in the order of the images."""
    gate = asyncio.Semaphore(1)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(upload(n, gate)) for n in range(1, UPLOADS + 1)]
        for _ in range(CONNECTIONS - 1):
            await asyncio.sleep(0.01)
            gate.release()
    return [task.result() for task in tasks]
