"""The program decides itself which films there are, and doesn't ask the database.

Breaks: or none if the database refuses one.
Fault: is for the database to say
"""


async def accept(client: int) -> None:
    if any(film_id > 1000 for film_id, _ in reviews_of(client)):
        raise ValueError("there's no such film")
    async with AsyncSession(engine) as session, session.begin():
        for film_id, rating in reviews_of(client):
            await store(session, film_id, rating)
