"""A lock for each review, and a rollback after the bad one, which undoes what others have stored.

Breaks: their own transaction:
Fault: Do these clients share a session?
"""

from sqlalchemy.exc import IntegrityError


async def accept(session: AsyncSession, lock: asyncio.Lock, client: int) -> None:
    for film_id, rating in reviews_of(client):
        async with lock:
            try:
                await store(session, film_id, rating)
            except IntegrityError:
                await session.rollback()
                raise
    await session.commit()


async def serve() -> list[str]:
    lock = asyncio.Lock()
    async with AsyncSession(engine) as session:
        tasks = (accept(session, lock, client) for client in range(1, CLIENTS + 1))
        errors = await asyncio.gather(*tasks, return_exceptions=True)
    return ["refused" if error else "stored" for error in errors]
