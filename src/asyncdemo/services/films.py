"""The 1,000 films that the database is seeded with: made up, none of them real, the same on every machine."""

from __future__ import annotations

from random import Random
from typing import Final, NamedTuple

COUNT: Final = 1000

# The review table is from the article of lesson 20; the film table has those columns of the article's
# that a list of films shows.
TABLES: Final = """
CREATE TABLE film (
    film_id integer PRIMARY KEY,
    title text NOT NULL,
    release_year integer NOT NULL,
    length integer NOT NULL,
    rating text NOT NULL,
    rental_rate numeric(4, 2) NOT NULL
);
CREATE TABLE review (
    film_id integer NOT NULL REFERENCES film (film_id),
    rating integer NOT NULL
);
"""
"""``length`` is in minutes."""

_SEED: Final = 2017
_RATINGS: Final = ("G", "PG", "PG-13", "R", "NC-17")
_RATES: Final = ("0.99", "2.99", "4.99")
_FIRST: Final = """
    Amber Borrowed Brave Broken Burning Careful Clever Crimson Crooked Distant Double Electric Empty
    Endless Faithful Forgotten Frozen Gentle Golden Hidden Hollow Honest Hungry Iron Last Lonely
    Midnight Northern Paper Patient Quiet Restless Scarlet Second Silent Sleeping Stolen Summer
    Velvet Wandering
""".split()  # noqa: SIM905  (easier to read than eighty quoted words)
_SECOND: Final = """
    Affair Alibi Bridge Canyon Carousel Compass Courier Dancer Detective Ferry Garden Harbour
    Horizon Island Journey Kingdom Lantern Letter Lighthouse Meadow Mirror Mountain Neighbour
    Orchard Orchestra Passenger Pilot Promise Railway River Shadow Signal Stranger Summit Theatre
    Thief Voyage Waltz Window Winter
""".split()  # noqa: SIM905


class Film(NamedTuple):
    film_id: int
    title: str
    release_year: int
    length: int
    rating: str
    rental_rate: str


def films() -> list[Film]:
    """Return the films in the order of their ids, from 1. No two have the same title."""
    # Random guarantees the same numbers in every version of Python only for random().
    random = Random(_SEED).random
    titles = [f"{first} {second}" for first in _FIRST for second in _SECOND]
    return [
        Film(
            film_id=film_id,
            title=titles.pop(int(random() * len(titles))),
            release_year=1950 + int(random() * 70),
            length=60 + int(random() * 121),
            rating=_RATINGS[int(random() * len(_RATINGS))],
            rental_rate=_RATES[int(random() * len(_RATES))],
        )
        for film_id in range(1, COUNT + 1)
    ]
