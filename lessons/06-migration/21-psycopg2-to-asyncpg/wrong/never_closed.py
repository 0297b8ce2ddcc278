"""One pool, opened in time, and left to the end of the process.

Breaks: closed after the last, when the server has stopped.
Fault: should be closed at the end; it was not
"""


async def main() -> None:
    app.extensions["pool"] = await asyncpg.create_pool(URL, min_size=1, max_size=MAXCONN)
    await app.run_task(host="127.0.0.1", port=PORT)
