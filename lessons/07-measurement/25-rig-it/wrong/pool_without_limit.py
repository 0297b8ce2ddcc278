"""The settings are equal, and the app is edited: no query waits for a session.

Breaks: Change nothing except the settings.
Fault: There should be 4 queries at the same time in the asynchronous server; there were 24
"""


async def async_client(numbers: Iterator[int], sessions: asyncio.Semaphore, delay_ms: int) -> None:
    for _ in numbers:
        await async_query(delay_ms)
