"""An engine for each client, each with its own connection.

Breaks: over as many connections.
Fault: those of the engine's pool;
"""


async def accept(client: int) -> None:
    own = create_async_engine("postgresql+asyncpg://", async_creator=connect)
    async with AsyncSession(own) as session, session.begin():
        for film_id, rating in reviews_of(client):
            await store(session, film_id, rating)
    await own.dispose()
