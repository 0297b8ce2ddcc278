"""The database no longer takes the time that it takes.

Breaks: Leave this function as it is.
Fault: Leave store as the exercise has it
"""


async def store(session: AsyncSession, film_id: int, rating: int) -> int:
    """Store a review; return the number of its transaction. Leave this function as it is."""
    sql = text("INSERT INTO review VALUES (:film, :rating) RETURNING txid_current(), pg_sleep(0.05)")
    return int(await session.scalar(sql, {"film": film_id, "rating": rating}))
