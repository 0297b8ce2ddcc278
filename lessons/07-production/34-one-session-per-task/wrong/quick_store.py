"""Wrong: the database no longer takes the time that it takes."""

import asyncio
import os
from random import Random

import asyncpg
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine
from sqlalchemy.pool import AsyncAdaptedQueuePool

CLIENTS = 6
CONNECTIONS = 3
REVIEWS = 3
REFUSED = 2
QUERY_S = 0.2
SEED = 7
URL = os.environ.get("DATABASE_URL", "postgresql://postgres@127.0.0.1:5432/postgres")


def reviews_of(client: int) -> list[tuple[int, int]]:
    """What a client sends: film and rating of each review. Leave this function as it is."""
    ratings = Random(SEED + client)
    films = [100 * client + n for n in range(1, REVIEWS + 1)]
    if client == REFUSED:
        films[1] += 1000  # there's no such film
    return [(film_id, ratings.randint(1, 5)) for film_id in films]


async def connect() -> asyncpg.Connection:
    """Open a connection to the database. Leave this function as it is."""
    return await asyncpg.connect(URL)


# Leave the engine as it is. Its pool has CONNECTIONS connections.
engine = create_async_engine(
    "postgresql+asyncpg://", async_creator=connect, pool_size=CONNECTIONS, max_overflow=0, pool_timeout=10
)


async def store(session: AsyncSession, film_id: int, rating: int) -> int:
    """Store a review; return the number of its transaction. Leave this function as it is."""
    sql = text("INSERT INTO review VALUES (:film_id, :rating) RETURNING txid_current(), pg_sleep(:seconds)")
    values = {"film_id": film_id, "rating": rating, "seconds": QUERY_S / 3}
    return int((await session.execute(sql, values)).scalar_one())


async def stored() -> list[list[int]]:
    """Ask for all reviews in the database. Leave this function as it is."""
    async with AsyncSession(engine) as session:
        return [list(row) for row in await session.execute(text("SELECT * FROM review ORDER BY film_id"))]


def held() -> int:
    """How many connections somebody holds. Leave this function as it is."""
    assert isinstance(engine.pool, AsyncAdaptedQueuePool)
    return engine.pool.checkedout()


async def accept(client: int) -> None:
    async with AsyncSession(engine) as session, session.begin():
        for film_id, rating in reviews_of(client):
            await store(session, film_id, rating)


async def serve() -> list[str]:
    tasks = (accept(client) for client in range(1, CLIENTS + 1))
    errors = await asyncio.gather(*tasks, return_exceptions=True)
    return ["refused" if error else "stored" for error in errors]


async def main() -> None:
    """Serve all clients, then look into the database. Leave this function as it is."""
    print(await serve(), held(), "connections are held")
    print(await stored())
    await engine.dispose()


if __name__ == "__main__":
    asyncio.run(main())
