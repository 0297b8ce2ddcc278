"""Keeps the reviews in the memory of the server, which every film then shows, until the server ends.

Breaks: Each request asks the database,
Fault: so their answers are not the database's
"""

from collections import defaultdict

reviews: defaultdict[int, list[int]] = defaultdict(list)


@app.get("/films/<int:film_id>/")
async def film(film_id: int) -> dict:
    sql = "SELECT title, length FROM film, pg_sleep(0.06) WHERE film_id = $1"
    return {**(await query(sql, film_id))[0], "ratings": [*reviews[film_id]]}


@app.post("/reviews/")
async def add_review() -> dict:
    review = await request.get_json()
    reviews[review["film_id"]].append(review["rating"])
    return {"film_id": review["film_id"], "rating": review["rating"]}
