"""What came before the bad review is committed.

Breaks: or none if the database refuses one.
Fault: so none of them should be in the database
"""

from sqlalchemy.exc import IntegrityError


async def accept(client: int) -> None:
    async with AsyncSession(engine) as session:
        for film_id, rating in reviews_of(client):
            try:
                async with session.begin_nested():
                    await store(session, film_id, rating)
            except IntegrityError:
                await session.commit()
                raise
        await session.commit()
