"""The session is still shared, but it has a connection before the tasks begin.

Breaks: their own transaction:
Fault: Do these clients share a session?
"""


async def accept(session: AsyncSession, client: int) -> None:
    for film_id, rating in reviews_of(client):
        await store(session, film_id, rating)


async def serve() -> list[str]:
    async with AsyncSession(engine) as session, session.begin():
        await session.connection()
        tasks = (accept(session, client) for client in range(1, CLIENTS + 1))
        errors = await asyncio.gather(*tasks, return_exceptions=True)
    return ["refused" if error else "stored" for error in errors]
