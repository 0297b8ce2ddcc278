"""The load is edited: one server gets half of the clients.

Breaks: Change nothing except the settings.
Fault: There should be 24 clients in the asynchronous server; there were 3
"""


async def async_server(sessions: int, delay_ms: int, clients: int) -> None:
    shared = (iter(range(REQUESTS)), asyncio.Semaphore(sessions), delay_ms)
    await asyncio.gather(*(async_client(*shared) for _ in range(clients // 8)))
