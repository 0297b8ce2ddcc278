"""A task that the shared session refuses tries again until it works.

Breaks: their own transaction:
Fault: Do these clients share a session?
"""

from sqlalchemy.exc import InvalidRequestError


async def accept(session: AsyncSession, client: int) -> None:
    for film_id, rating in reviews_of(client):
        while True:
            try:
                await store(session, film_id, rating)
                break
            except InvalidRequestError:
                await asyncio.sleep(0.01)
    await session.commit()


async def serve() -> list[str]:
    async with AsyncSession(engine) as session:
        tasks = (accept(session, client) for client in range(1, CLIENTS + 1))
        errors = await asyncio.gather(*tasks, return_exceptions=True)
    return ["refused" if error else "stored" for error in errors]
