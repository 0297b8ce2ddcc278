"""A page shows some films, and a task looks up each of them in the database. Which session does it use?

Predict how many films are found before you run it:  python shared.py
"""

import asyncio
import os

import asyncpg
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine

FILMS = 5
CONNECTIONS = 5
QUERY_S = 0.3
BROKEN = 0
URL = os.environ.get("DATABASE_URL", "postgresql://postgres@127.0.0.1:5432/postgres")


async def connect() -> asyncpg.Connection:
    return await asyncpg.connect(URL)


engine = create_async_engine(  # it has a pool of connections, and opens them when they're needed
    "postgresql+asyncpg://", async_creator=connect, pool_size=CONNECTIONS, max_overflow=0
)


async def query(session: AsyncSession, film_id: int) -> str:
    table = "flim" if film_id == BROKEN else "film"  # there's no table flim
    sql = text(f"SELECT title FROM {table}, pg_sleep(:seconds) WHERE film_id = :film_id")
    found = await session.execute(sql, {"film_id": film_id, "seconds": QUERY_S})
    return str(found.scalar_one())


async def look_up(session: AsyncSession, film_id: int) -> str:
    return await query(session, film_id)


async def main() -> None:
    async with AsyncSession(engine) as session:
        tasks = [look_up(session, n) for n in range(1, FILMS + 1)]
        titles = await asyncio.gather(*tasks, return_exceptions=True)
    for n, title in enumerate(titles, start=1):
        print(f"film {n}: {title}")
    await engine.dispose()


if __name__ == "__main__":
    asyncio.run(main())
