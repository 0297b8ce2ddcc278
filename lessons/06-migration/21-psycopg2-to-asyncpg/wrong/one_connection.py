"""A pool of one connection, so each request waits for all others.

Breaks: Fix them: one pool
Fault: films should be at work at the same time
"""


async def main() -> None:
    async with asyncpg.create_pool(URL, min_size=1, max_size=1) as pool:
        app.extensions["pool"] = pool
        await app.run_task(host="127.0.0.1", port=PORT)
