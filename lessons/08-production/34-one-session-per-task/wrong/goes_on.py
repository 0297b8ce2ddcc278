"""Goes on in the same transaction after a review was refused.

Breaks: or none if the database refuses one.
Fault: Its transaction had failed before
"""

from sqlalchemy.exc import IntegrityError


async def accept(client: int) -> None:
    refused = None
    async with AsyncSession(engine) as session, session.begin():
        for film_id, rating in reviews_of(client):
            try:
                await store(session, film_id, rating)
            except IntegrityError as error:
                refused = error
    if refused:
        raise refused
