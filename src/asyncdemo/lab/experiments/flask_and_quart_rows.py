"""The rows of seed 002's report: three routes, twice: against Flask as published, and against Flask repaired.

Not for: how any of it is measured (``flask_and_quart``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from asyncdemo.lab.harness.protocol import MEAN_LATENCY, THROUGHPUT, Asked, Figure
from asyncdemo.lab.results.comparison import Bound, Published
from asyncdemo.lab.results.published import load_article

__all__ = [
    "ALONE",
    "ARTICLE",
    "CLIENTS",
    "CROWD",
    "ON_EVENTLET",
    "POOL",
    "PUBLISHED",
    "QUART",
    "REPAIRED",
    "ROUTES",
    "STAND_IN",
    "rows",
]

ARTICLE: Final = "flask-and-quart"
PUBLISHED, REPAIRED, QUART, ALONE = "flask-published", "flask-repaired", "quart-asyncpg", "quart-alone"
ON_EVENTLET: Final = "flask-repaired-eventlet"
"""As ``REPAIRED``, on the server of ``PUBLISHED``: so much of the difference is the code's."""
STAND_IN: Final = "flask-published-gevent"
"""For ``PUBLISHED``, where its server cannot be had."""
ROUTES: Final[Mapping[str, str]] = {
    "film": "GET /films/995/",
    "films": "GET /films/",
    "review": "POST /reviews/",
}
"""Setting -> route, as the article's tables name it."""
CROWD: Final = "film-crowd"
"""The setting with twice as many clients as the pool has connections."""
CLIENTS: Final = 20
POOL: Final = 20
_ALONE: Final = 1.5
_DIFFERS: Final = (
    "uvicorn instead of Quart's own Gunicorn worker",
    "Made-up films; PostgreSQL does not wait for its disk",
)
_ON_GEVENT: Final = ("gevent and psycogreen instead of eventlet",)
_REPAIRS: Final = (
    "The article's Flask keeps 1 of 20 connections when idle and stores nothing; this one is repaired",
)
_DRIVER: Final = ("psycopg on asyncio's loop: the article does not say what it has in mind",)
_BOUND: Final = Bound(
    1.0, f"{CLIENTS} clients and a pool of {POOL} on both sides: waiting makes no difference"
)
_OWN: Final = ("Not in the article",)
_TITLES: Final = {
    PUBLISHED: "Flask as published",
    STAND_IN: "Flask as published, on gevent",
    REPAIRED: "Flask repaired",
}


def rows(has_eventlet: bool) -> tuple[Asked, ...]:
    """Without eventlet the rows of the published Flask are there all the same; gevent's stand beside them."""
    as_published = (PUBLISHED,) if has_eventlet else (PUBLISHED, STAND_IN)
    flasks = (*as_published, REPAIRED)
    routes = (
        row
        for setting in ROUTES
        for row in (*_rates(setting, as_published), *(_latency(setting, flask) for flask in flasks))
    )
    crowd = (_row(f"Quart and {_TITLES[flask]}", (QUART, flask), CROWD, None, _OWN) for flask in flasks)
    return (*routes, *crowd)


def _rates(setting: str, as_published: tuple[str, ...]) -> Iterator[Asked]:
    flasks = (*as_published, REPAIRED)
    for flask in flasks:
        yield _row(
            f"Quart and {_TITLES[flask]}", (QUART, flask), setting, _rate_published(setting), _differs(flask)
        )
    if setting == "film":
        alone = Published(f"estimated at {_ALONE:g} times, for no route in particular", _ALONE)
        for flask in flasks:
            differs = (*_differs(flask), *_DRIVER)
            yield _row(f"Quart alone and {_TITLES[flask]}", (ALONE, flask), setting, alone, differs)
        yield _row("Quart and Quart alone", (QUART, ALONE), setting, None, _OWN)
    yield _row("Flask repaired and as published", (REPAIRED, as_published[-1]), setting, None, _OWN)
    if setting == "film":
        yield _row(
            "Flask repaired and as published, both on eventlet", (ON_EVENTLET, PUBLISHED), setting, None, _OWN
        )
        yield _row("Quart and Flask repaired, on eventlet", (QUART, ON_EVENTLET), setting, None, _OWN)


def _latency(setting: str, flask: str) -> Asked:
    published, differs = _latency_published(setting), _differs(flask)
    return _row(f"Quart and {_TITLES[flask]}", (QUART, flask), setting, published, differs, MEAN_LATENCY)


def _differs(flask: str) -> tuple[str, ...]:
    on_gevent = () if flask == PUBLISHED else _ON_GEVENT
    return (*_DIFFERS, *on_gevent, *(_REPAIRS if flask == REPAIRED else ()))


def _row(
    name: str,
    sides: tuple[str, str],
    setting: str,
    published: Published | None,
    differs: tuple[str, ...],
    figure: Figure = THROUGHPUT,
) -> Asked:
    return Asked(
        name=name,
        figure=figure,
        arm=sides[0],
        base=sides[1],
        setting=setting,
        published=published,
        bound=None if setting == CROWD else _BOUND,
        differs=differs,
    )


def _rate_published(setting: str) -> Published:
    article = load_article(ARTICLE)
    table, summary = article.table("results"), article.table("summary")
    flask, quart = (table.figure(table.row(ROUTES[setting]), key) for key in ("flask", "quart"))
    short = [summary.figure(summary.row(ROUTES[setting]), key).text for key in ("quart", "flask", "ratio")]
    assert flask.value is not None and quart.value is not None
    words = f"{quart.text} / {flask.text} per s; in short: {short[0]} / {short[1]}, {short[2]}"
    return Published(words, quart.value / flask.value)


def _latency_published(setting: str) -> Published:
    table = load_article(ARTICLE).table("results")
    flask, quart = (table.figure(table.row(ROUTES[setting]), key) for key in ("flask_ms", "quart_ms"))
    assert flask.value is not None and quart.value is not None
    times = flask.value / quart.value
    return Published(f"{quart.text} / {flask.text} ms: {times:.1f} times less", quart.value / flask.value)
