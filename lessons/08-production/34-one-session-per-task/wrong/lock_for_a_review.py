"""A lock for each review. The transaction is still shared, and one bad review breaks it for all.

Breaks: their own transaction:
Fault: Do these clients share a session?
"""


async def accept(session: AsyncSession, lock: asyncio.Lock, client: int) -> None:
    for film_id, rating in reviews_of(client):
        async with lock:
            await store(session, film_id, rating)
    await session.commit()


async def serve() -> list[str]:
    lock = asyncio.Lock()
    async with AsyncSession(engine) as session:
        tasks = (accept(session, lock, client) for client in range(1, CLIENTS + 1))
        errors = await asyncio.gather(*tasks, return_exceptions=True)
    return ["refused" if error else "stored" for error in errors]
