"""A connection is closed after one statement, so the pool opens one for each.

Breaks: of at most MAXCONN connections
Fault: At most 20 asyncpg connections should be opened
"""


async def main() -> None:
    async with asyncpg.create_pool(URL, min_size=1, max_size=MAXCONN, max_queries=1) as pool:
        app.extensions["pool"] = pool
        await app.run_task(host="127.0.0.1", port=PORT)
