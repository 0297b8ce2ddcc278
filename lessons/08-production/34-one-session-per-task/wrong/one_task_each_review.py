"""A session for each client, but the client's reviews are tasks, which share it.

Breaks: A client's reviews are stored in
Fault: raises that when two tasks use one session
"""


async def accept(client: int) -> None:
    async with AsyncSession(engine) as session, session.begin(), asyncio.TaskGroup() as group:
        for film_id, rating in reviews_of(client):
            group.create_task(store(session, film_id, rating))
