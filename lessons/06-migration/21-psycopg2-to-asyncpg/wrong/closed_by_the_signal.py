"""The signal closes the pool, while requests may still need it; then the server stops.

Breaks: closed after the last, when the server has stopped.
Fault: it was closed before the server had stopped
"""

import signal


async def main() -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    pool = app.extensions["pool"] = await asyncpg.create_pool(URL, min_size=1, max_size=MAXCONN)

    async def until_stopped() -> None:
        await stop.wait()
        await pool.close()

    await app.run_task(host="127.0.0.1", port=PORT, shutdown_trigger=until_stopped)
