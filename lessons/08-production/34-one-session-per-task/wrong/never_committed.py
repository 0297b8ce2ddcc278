"""Nobody commits, so the reviews are gone when the sessions are closed.

Breaks: all,
Fault: should be in the database when serve returns
"""


async def accept(client: int) -> None:
    async with AsyncSession(engine) as session:
        for film_id, rating in reviews_of(client):
            await store(session, film_id, rating)
