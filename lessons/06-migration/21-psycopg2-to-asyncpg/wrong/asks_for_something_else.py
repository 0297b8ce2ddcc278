"""The list of films is kept; a request for it asks the database, but for something else.

Breaks: and answers with what the database holds.
Fault: The list of films should count every review
"""


@app.get("/films/")
async def films() -> list[dict]:
    if "films" in app.extensions:
        await query("SELECT pg_sleep(0.06)")
    else:
        sql = """SELECT film_id, title, (SELECT count(*) FROM review WHERE review.film_id = film.film_id)
                 AS reviews FROM film, pg_sleep(0.06) ORDER BY film_id"""
        app.extensions["films"] = await query(sql)
    every: list[dict] = app.extensions["films"]
    return every
