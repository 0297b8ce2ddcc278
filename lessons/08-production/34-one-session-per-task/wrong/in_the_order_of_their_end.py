"""The answers are in the order in which the tasks end.

Breaks: in their order;
Fault: serve() should return
"""

from sqlalchemy.exc import IntegrityError


async def accept(client: int) -> str:
    try:
        async with AsyncSession(engine) as session, session.begin():
            for film_id, rating in reviews_of(client):
                await store(session, film_id, rating)
    except IntegrityError:
        return "refused"
    return "stored"


async def serve() -> list[str]:
    tasks = [accept(client) for client in range(1, CLIENTS + 1)]
    return [await answer for answer in asyncio.as_completed(tasks)]
