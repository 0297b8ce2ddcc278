"""A session for each review, so that half of a client's reviews can stay.

Breaks: A client's reviews are stored in
Fault: should be stored in one transaction
"""


async def accept(client: int) -> None:
    for film_id, rating in reviews_of(client):
        async with AsyncSession(engine) as session, session.begin():
            await store(session, film_id, rating)
