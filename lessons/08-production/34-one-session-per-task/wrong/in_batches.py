"""Wrong: serves the clients in batches; a connection that becomes free early waits for the next batch."""

import asyncio
import os

import asyncpg
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine

CLIENTS = 6
CONNECTIONS = 3
REFUSED = 2
SEED = 7
URL = os.environ.get("DATABASE_URL", "postgresql://postgres@127.0.0.1:5432/postgres")


async def connect() -> asyncpg.Connection:
    return await asyncpg.connect(URL)


engine = create_async_engine(  # Leave it as it is: its pool has CONNECTIONS connections.
    "postgresql+asyncpg://", async_creator=connect, pool_size=CONNECTIONS, max_overflow=0, pool_timeout=10
)


def reviews_of(client: int) -> list[tuple[int, int]]:
    """Return what a client sends: the film and rating of each review. Leave this function as it is."""
    second = 1002 if client == REFUSED else 2  # no film has a number above 1000
    return [(100 * client + n, (client + n) * SEED % 5 + 1) for n in (1, second, 3, 4)]


async def store(session: AsyncSession, film_id: int, rating: int) -> int:
    """Store a review; return the number of its transaction. Leave this function as it is."""
    sql = text("INSERT INTO review VALUES (:film, :rating) RETURNING txid_current(), pg_sleep(0.2)")
    return int(await session.scalar(sql, {"film": film_id, "rating": rating}))


async def accept(client: int) -> str:
    try:
        async with AsyncSession(engine) as session, session.begin():
            for film_id, rating in reviews_of(client):
                await store(session, film_id, rating)
    except DBAPIError:
        return "refused"
    return "stored"


async def serve() -> list[str]:
    told: list[str] = []
    clients = range(1, CLIENTS + 1)
    for n in range(0, CLIENTS, CONNECTIONS):
        told += await asyncio.gather(*map(accept, clients[n : n + CONNECTIONS]))
    return told


async def main() -> list[list[int]]:
    """Serve all clients, then see what the database holds. Leave this function as it is."""
    print(await serve(), engine.pool.status())
    connection = await connect()  # not from the pool: somebody may still hold those
    reviews = [list(row) for row in await connection.fetch("SELECT * FROM review ORDER BY film_id")]
    await asyncio.gather(connection.close(), engine.dispose())
    return reviews


if __name__ == "__main__":
    print(asyncio.run(main()))
