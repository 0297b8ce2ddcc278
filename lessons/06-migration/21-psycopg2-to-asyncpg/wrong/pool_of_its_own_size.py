"""The size of the pool is written down, not MAXCONN.

Breaks: of at most MAXCONN connections
Fault: asyncpg connections should be opened
"""


async def main() -> None:
    async with asyncpg.create_pool(URL, min_size=1, max_size=20) as pool:
        app.extensions["pool"] = pool
        await app.run_task(host="127.0.0.1", port=PORT)
