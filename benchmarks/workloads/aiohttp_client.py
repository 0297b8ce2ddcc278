"""A closed loop of requests with aiohttp, on uvloop if it is there: a load test of an afternoon.

python aiohttp_client.py URL REQUESTS CLIENTS
"""

import asyncio
import sys

import aiohttp


async def main(url: str, requests: int, clients: int) -> None:
    left = iter(range(requests))

    async def client(session: aiohttp.ClientSession) -> None:
        for _ in left:
            async with session.get(url) as response:
                await response.read()

    connector = aiohttp.TCPConnector(limit=clients)
    async with aiohttp.ClientSession(connector=connector) as session, asyncio.TaskGroup() as group:
        for _ in range(clients):
            group.create_task(client(session))


if __name__ == "__main__":
    try:
        import uvloop
    except ImportError:
        asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
    else:
        uvloop.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
