"""The requests come more slowly, so that their attempts do.

Breaks: Leave this function as it is.
Fault: Leave main as it is
"""


async def main() -> list[str]:
    """Start all requests; return the answers, and the names of errors. Leave this function as it is."""
    asyncio.get_running_loop().call_later(DOWN_S, up.set)
    requests: list[asyncio.Task[str]] = []
    for n in range(1, REQUESTS + 1):
        requests.append(asyncio.create_task(request(n)))
        await asyncio.sleep(1 / RATE)
    ends = await asyncio.gather(*requests, return_exceptions=True)
    return [end if isinstance(end, str) else type(end).__name__ for end in ends]
