"""Serves the clients in batches; a connection that becomes free early waits for the next batch.

Breaks: Fix it: CONNECTIONS clients are served at the same time,
Fault: as long as there are that many
"""

from sqlalchemy.exc import DBAPIError


async def accept(client: int) -> str:
    try:
        async with AsyncSession(engine) as session, session.begin():
            for film_id, rating in reviews_of(client):
                await store(session, film_id, rating)
    except DBAPIError:
        return "refused"
    return "stored"


async def serve() -> list[str]:
    answers: list[str] = []
    clients = range(1, CLIENTS + 1)
    for n in range(0, CLIENTS, CONNECTIONS):
        answers += await asyncio.gather(*map(accept, clients[n : n + CONNECTIONS]))
    return answers
