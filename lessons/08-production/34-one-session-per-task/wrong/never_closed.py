"""The session is closed only if all went well.

Breaks: then no connection is in use.
Fault: nobody should hold a connection
"""

left_open: list[AsyncSession] = []


async def accept(client: int) -> None:
    session = AsyncSession(engine)
    left_open.append(session)
    for film_id, rating in reviews_of(client):
        await store(session, film_id, rating)
    await session.commit()
    await session.close()
