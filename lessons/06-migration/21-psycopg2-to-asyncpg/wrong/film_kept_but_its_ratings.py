"""Keeps title and length of each film that somebody asked for, and asks only for its ratings again.

Breaks: Each request asks the database,
Fault: so part of the answers was kept
"""

known: dict[int, dict] = {}


@app.get("/films/<int:film_id>/")
async def film(film_id: int) -> dict:
    if film_id not in known:
        known[film_id] = (await query("SELECT title, length FROM film WHERE film_id = $1", film_id))[0]
    sql = "SELECT ARRAY(SELECT rating FROM review WHERE film_id = $1) AS ratings FROM pg_sleep(0.06)"
    return known[film_id] | (await query(sql, film_id))[0]
