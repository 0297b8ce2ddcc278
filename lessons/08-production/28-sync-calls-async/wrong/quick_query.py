"""The query no longer takes the time that it takes.

Breaks: Leave this function as it is.
Fault: Leave query as the exercise has it
"""


async def query(pool: asyncpg.Pool, film_id: int) -> int:
    """Ask the database how long a film is. Leave this function as it is."""
    sql = "SELECT (SELECT length FROM film WHERE film_id = $1) FROM pg_sleep($2)"
    minutes = await pool.fetchval(sql, film_id, SLOW_S if film_id == SLOW else QUERY_S / 2)
    if minutes is None:
        raise LookupError(f"there is no film {film_id}")
    return int(minutes)
