"""One session for each client, and a commit after each review.

Breaks: A client's reviews are stored in
Fault: should be stored in one transaction
"""


async def accept(client: int) -> None:
    async with AsyncSession(engine) as session:
        for film_id, rating in reviews_of(client):
            await store(session, film_id, rating)
            await session.commit()
