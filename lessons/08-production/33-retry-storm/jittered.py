"""A server stalls for half a second. Its clients hang up and ask again: how many of them get an answer?

Predict it, and when the last one does, before you run it:  python jittered.py
"""

import asyncio
import random
import socket
from contextlib import closing, suppress

CLIENTS = 12
STALL_S = 0.5
WORK_S = 0.07
TRY_S = 0.4
PAUSE_S = 1.2
DEADLINE_S = 6.0
listener = socket.create_server(("127.0.0.1", 0))
inbox: asyncio.Queue[asyncio.StreamWriter] = asyncio.Queue()


async def serve() -> None:
    """Stall, then work on one attempt after the other. The server doesn't notice who has hung up."""
    await asyncio.sleep(STALL_S)
    while True:
        with closing(await inbox.get()) as writer:
            await asyncio.sleep(WORK_S)
            writer.write(b"done\n")


async def attempt(n: int) -> bytes:
    """Ask the server once. Hang up after TRY_S seconds."""
    async with asyncio.timeout(TRY_S):
        reader, writer = await asyncio.open_connection(*listener.getsockname())
        with closing(writer):
            writer.write(f"request {n}\n".encode())
            return await reader.readline()


async def request(n: int) -> bytes:
    """Ask until there is an answer. Give up after DEADLINE_S seconds."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            with suppress(TimeoutError):
                return await attempt(n)
            await asyncio.sleep(random.uniform(0, 2 * PAUSE_S))


async def main() -> None:
    server = await asyncio.start_server(lambda _, writer: inbox.put_nowait(writer), sock=listener)
    serving = asyncio.create_task(serve())
    answers = await asyncio.gather(*(request(n) for n in range(1, CLIENTS + 1)), return_exceptions=True)
    print(answers.count(b"done\n"), "answers,", inbox.qsize(), "attempts in the queue")
    server.close()
    serving.cancel()
    while inbox.qsize():
        inbox.get_nowait().close()


if __name__ == "__main__":
    asyncio.run(main())
