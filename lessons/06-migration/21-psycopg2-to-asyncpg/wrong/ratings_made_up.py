"""Shows as many ratings as there are, and each of them is what the first review of the film had.

Breaks: and answers with what the database holds.
Fault: A film should show every review
"""


@app.get("/films/<int:film_id>/")
async def film(film_id: int) -> dict:
    sql = """SELECT title, length, ARRAY(SELECT CASE review.film_id WHEN 7 THEN 2 ELSE 4 END FROM review
             WHERE review.film_id = film.film_id) AS ratings FROM film, pg_sleep(0.06) WHERE film_id = $1"""
    return (await query(sql, film_id))[0]
