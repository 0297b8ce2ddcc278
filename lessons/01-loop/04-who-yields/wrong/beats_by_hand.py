"""Wrong: the worker beats for the heart, so that it looks alive. The loop is still blocked."""

import asyncio
import time

REQUESTS = 20
REQUEST_MS = 20
BEAT_S = 0.05


def beat(n: int) -> int:
    """The heart beats. Leave this function as it is."""
    return n


async def heart() -> None:
    """Beat for as long as the service lives. Leave this function as it is."""
    n = 0
    while True:
        n += 1
        beat(n)
        await asyncio.sleep(BEAT_S)


def handle(request: int) -> str:
    """Compute the answer, which keeps the thread for REQUEST_MS. Leave this function as it is."""
    end_s = time.perf_counter() + REQUEST_MS / 1000
    while time.perf_counter() < end_s:
        pass
    return f"answer {request}"


async def drain(backlog: asyncio.Queue[int]) -> list[str]:
    """Handle all requests in the backlog; return the answers in order."""
    answers: list[str] = []
    while not backlog.empty():
        request = await backlog.get()
        answers.append(handle(request))
        beat(request)
    return answers


async def main() -> list[str]:
    """The life of the service: it ends when the backlog is gone. Leave this function as it is."""
    backlog: asyncio.Queue[int] = asyncio.Queue()
    for request in range(1, REQUESTS + 1):
        backlog.put_nowait(request)
    alive = asyncio.create_task(heart())
    answers = await asyncio.create_task(drain(backlog))
    alive.cancel()
    await asyncio.wait([alive])
    return answers


if __name__ == "__main__":
    print(len(asyncio.run(main())), "requests are answered")
