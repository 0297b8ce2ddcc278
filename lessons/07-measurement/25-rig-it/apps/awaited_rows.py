"""One row by its key, asked for as a coroutine does: others run until the row is there.

Each call opens a session and closes it: keeping sessions is left to pgbouncer, for all workers together.
"""

import os
import random

import asyncpg

ADDRESS = os.environ.get("DATABASE_URL", "postgresql:///")
DELAY_S = float(os.environ.get("LAB_DELAY_MS", "20")) / 1000
ROWS = 100_000
QUERY = "SELECT a, b FROM pair, pg_sleep($1) WHERE a = $2"


async def row_by_key() -> tuple[int, str]:
    # No statements are kept: the session that they belong to goes back to pgbouncer.
    connection = await asyncpg.connect(ADDRESS, statement_cache_size=0)
    try:
        number, text = await connection.fetchrow(QUERY, DELAY_S, random.randint(1, ROWS))
    finally:
        await connection.close()
    return number, text
