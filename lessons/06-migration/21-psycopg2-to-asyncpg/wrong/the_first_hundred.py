"""The list of films is cut short, which makes it quick.

Breaks: and answers with what the database holds.
Fault: and gave 100 rows
"""


@app.get("/films/")
async def films() -> list[dict]:
    sql = """SELECT film_id, title, (SELECT count(*) FROM review WHERE review.film_id = film.film_id)
             AS reviews FROM film, pg_sleep(0.06) ORDER BY film_id LIMIT 100"""
    return await query(sql)
