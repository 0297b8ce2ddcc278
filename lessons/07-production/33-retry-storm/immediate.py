"""A server stalls for half a second. Its clients hang up and ask again: how many of them get an answer?

Predict it before you run it:  python immediate.py
"""

import asyncio
from contextlib import closing, suppress

CLIENTS = 12
STALL_S = 0.5
WORK_S = 0.07
TRY_S = 0.4
PAUSE_S = 1.2
DEADLINE_S = 6.0
inbox: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()


async def serve() -> None:
    """Stall, then work for one attempt after the other. The server doesn't notice who has hung up."""
    await asyncio.sleep(STALL_S)
    while True:
        reader, writer = await inbox.get()
        with closing(writer):
            await asyncio.sleep(WORK_S)
            writer.write(await reader.readline())


async def attempt(n: int, server: asyncio.Server) -> bytes:
    """Ask the server once. Hang up after TRY_S seconds."""
    async with asyncio.timeout(TRY_S):
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        with closing(writer):
            writer.write(f"{n}\n".encode())
            return await reader.readline()


async def request(n: int, server: asyncio.Server) -> bytes:
    """Ask until there is an answer. Give up after DEADLINE_S seconds."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            with suppress(TimeoutError):
                return await attempt(n, server)


async def main() -> None:
    server = await asyncio.start_server(lambda *streams: inbox.put_nowait(streams), "127.0.0.1", 0)
    serving = asyncio.create_task(serve())
    requests = [asyncio.create_task(request(n, server)) for n in range(1, CLIENTS + 1)]
    await asyncio.wait(requests)
    print(sum(not one.exception() for one in requests), "answers,", inbox.qsize(), "attempts in the queue")
    server.close()
    serving.cancel()
    while inbox.qsize():
        inbox.get_nowait()[1].close()


if __name__ == "__main__":
    asyncio.run(main())
