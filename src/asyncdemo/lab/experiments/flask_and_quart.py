"""Seed 002: three routes on films in PostgreSQL, in Flask as published, in Flask repaired, and in Quart.

One worker of each, as the article's configuration has it; twenty connections that are kept, as wrk did.
Not for: what is compared (``flask_and_quart_rows``), or the apps (``apps/`` of lesson
``psycopg2-to-asyncpg``).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from asyncdemo.lab.experiments.entry import Surroundings
from asyncdemo.lab.experiments.flask_and_quart_rows import (
    ALONE,
    ARTICLE,
    CLIENTS,
    CROWD,
    ON_EVENTLET,
    POOL,
    PUBLISHED,
    QUART,
    REPAIRED,
    ROUTES,
    STAND_IN,
    rows,
)
from asyncdemo.lab.harness.answers import answer_check
from asyncdemo.lab.harness.contestant import Unavailable
from asyncdemo.lab.harness.contestants import contestant, shared_packages
from asyncdemo.lab.harness.database import Database, Risen, film_database
from asyncdemo.lab.harness.environments import interpreter_of
from asyncdemo.lab.harness.protocol import (
    Check,
    Condition,
    Contender,
    Count,
    Experiment,
    Scene,
    Seen,
    Size,
    When,
)
from asyncdemo.lab.results.setup import Arm, Extent, Loop, Model, Setting
from asyncdemo.lab.servers import PROGRAMS, App, Interface
from asyncdemo.load import Send
from asyncdemo.services.films import films

__all__ = ["described", "prepared"]

_FILM: Final = 995
_REVIEW: Final = {"film_id": _FILM, "rating": 4}
_JSON: Final = ("Content-Type", "application/json")
_SENDS: Final = {
    "film": Send("GET", f"/films/{_FILM}/"),
    "films": Send("GET", "/films/"),
    "review": Send("POST", "/reviews/", (_JSON,), json.dumps(_REVIEW).encode()),
}
_EVENTLET: Final = "gunicorn-eventlet"


@contextmanager
def prepared(surroundings: Surroundings) -> Iterator[Experiment]:
    try:
        surroundings.say("looking for eventlet")
        interpreter_of(_EVENTLET, surroundings.tell)
        gone = None
    except Unavailable as error:
        gone = error
    with film_database(surroundings.say) as database:
        yield described(surroundings, database, gone)


def described(surroundings: Surroundings, database: Database, gone: Unavailable | None) -> Experiment:
    """gone: why there is no eventlet."""
    contenders = _contenders(surroundings, gone)
    return Experiment(
        name=ARTICLE,
        title="Flask and Quart",
        contenders=contenders,
        conditions=(
            *(_condition(name, name, CLIENTS, database, contenders) for name in ROUTES),
            _condition(CROWD, "film", 2 * POOL, database, contenders),
        ),
        asked=rows(has_eventlet=gone is None),
        article=ARTICLE,
        lesson="psycopg2-to-asyncpg",
        sizes={
            Extent.QUICK: Size(2, 1.0, 0.3, 2, settings=("film",)),
            Extent.DEFAULT: Size(7, 1.5, 0.4, 3, settings=tuple(ROUTES)),
            Extent.FULL: Size(7, 3.0, 0.6, 5),
        },
        twin_of=ALONE,
        packages=shared_packages(item.contestant for item in contenders),
        missing={"a worker of Quart's own for Gunicorn": "uvicorn"} | _missing_eventlet(gone),
        own_pids=database.pids,
        died=database.died,
        notes=(
            f"{database.words}. It does not wait for its disk (fsync and synchronous_commit are off), so a "
            "commit costs less than it would in production. It shares the processors of the servers.",
            "One worker process of each: the article's configuration has no more.",
            "As published, Flask's pool keeps 1 connection and closes each other one after its request; and "
            "no review is committed, so none is stored. The repaired app keeps 20, and commits. Everything "
            "else is the same.",
            "With eventlet psycopg2 needs no psycogreen: the monkey_patch() of Gunicorn's worker makes it "
            "wait for its socket without blocking. gevent's does not, so there psycogreen does.",
            f"With {2 * POOL} clients and a pool of {POOL}, psycopg2's pool raises PoolError, answered with "
            "500; asyncpg's lets whoever comes wait.",
            "GET /films/ with asyncpg fetches through a cursor, as published: 50 rows at a time.",
        ),
    )


# -- who ------------------------------------------------------------------------------------------------


def _contenders(surroundings: Surroundings, gone: Unavailable | None) -> tuple[Contender, ...]:
    def made(
        name: str,
        title: str,
        server: str,
        app: str,
        *packages: str,
        loop: str = "",
        notes: tuple[str, ...] = (),
    ) -> Contender:
        program = PROGRAMS[server]
        interface = Interface.ASGI if program.model is Model.COROUTINES else Interface.WSGI
        file = App(surroundings.apps / f"{app}.py", interface)
        framework = "Quart" if interface is Interface.ASGI else "Flask"
        missing = gone if server == _EVENTLET else None
        served = contestant(program, file, name, packages=packages, path="/films/0/", tell=surroundings.tell)
        arm = Arm(
            name,
            title,
            program.model,
            framework,
            program.title,
            versions={} if missing else served.own_versions,
            unavailable=missing.why if missing else "",
            successor=missing.successor if missing else "",
            notes=(*program.notes, *notes),
        )
        return Contender(arm, served, {"loop": loop} if loop else {})

    psycopg2, psycogreen = ("flask", "psycopg2-binary"), ("flask", "psycopg2-binary", "psycogreen")
    stand_in = made(
        STAND_IN, "Flask as published, on gevent", "gunicorn-gevent", "published_on_gevent", *psycogreen
    )
    return (
        made(PUBLISHED, "Flask as published", _EVENTLET, "flask_published", *psycopg2),
        *((stand_in,) if gone else ()),
        made(ON_EVENTLET, "Flask repaired, on eventlet", _EVENTLET, "flask_repaired", *psycopg2),
        made(REPAIRED, "Flask repaired", "gunicorn-gevent", "repaired_on_gevent", *psycogreen),
        made(QUART, "Quart, asyncpg, uvloop", "uvicorn", "quart_asyncpg", "quart", "asyncpg"),
        made(
            *(ALONE, "Quart alone", "uvicorn", "quart_psycopg", "quart", "psycopg", "psycopg-pool"),
            loop="asyncio",
            notes=("psycopg 3, in C, on asyncio's own loop.",),
        ),
    )


def _missing_eventlet(gone: Unavailable | None) -> dict[str, str]:
    return {"Gunicorn's eventlet worker": f"{gone.successor}. {gone.why}"} if gone else {}


# -- what is sent, and looked at --------------------------------------------------------------------------


def _condition(
    name: str, route: str, clients: int, database: Database, contenders: tuple[Contender, ...]
) -> Condition:
    some = tuple(item.arm.name for item in contenders if item.arm.name not in {ALONE, ON_EVENTLET})
    title = f"{ROUTES[route]}, {clients} connections"
    return Condition(
        Setting(name, title, Loop.CLOSED, (), clients=clients, keep_alive=True),
        (_SENDS[route],),
        {"pool": POOL},
        arms=() if name == "film" else some,
        checks=(*_answers(), *_stored(database), *(_connections(database) if name == "film" else ())),
        counts=(
            Count("db_connections_made", Risen(database.sessions)),
            Count("db_sessions", lambda _: database.connected()),
            Count("answers_500", _answers_500, most=False),
        ),
    )


def _answers() -> Iterator[Check]:
    """PoolError, which psycopg2 raises when its pool is empty, would be a 500 here."""
    film = films()[_FILM - 1]
    shown = {"title": film.title, "release_year": film.release_year}
    every = {str(film.film_id): {"title": film.title, "release_year": film.release_year} for film in films()}
    bodies: dict[str, tuple[str, object]] = {
        "film": ("the film", {"film_id": _FILM, **shown}),
        "films": (f"{len(every):,} films", every),
        "review": ("the review", _REVIEW),
    }
    for name, (words, wanted) in bodies.items():
        yield answer_check(_SENDS[name], words, _is(wanted), headers=dict([_JSON]))


def _is(wanted: object) -> Callable[[bytes], bool]:
    return lambda body: bool(json.loads(body) == wanted)


def _stored(database: Database) -> Iterator[Check]:
    post = answer_check(_SENDS["review"], "", lambda _: True)

    def look(scene: Scene, wanted: int) -> Seen:
        before = database.reviews()
        answered = post.look(scene)
        rows = database.reviews() - before
        return Seen(f"{rows:.0f}", answered.held and rows == wanted)

    as_published, others = (PUBLISHED, STAND_IN), (ON_EVENTLET, REPAIRED, QUART, ALONE)
    what = "rows that a POST /reviews/ stores"
    yield Check(what, "0: never committed", lambda scene: look(scene, 0), arms=as_published, always=True)
    yield Check(what, "1", lambda scene: look(scene, 1), arms=others, always=True)


def _connections(database: Database) -> Iterator[Check]:
    """How many the pool has before the load, and how many are made under it."""
    made = Risen(database.sessions)

    def before(scene: Scene, least: int, most: int) -> Seen:
        made(scene)
        there = database.connected_at_most(most)
        return Seen(f"{there:.0f}", least <= there <= most)

    def under_load(scene: Scene, kept: bool) -> Seen:
        many, answered = made(scene), scene.load.answered if scene.load else 0
        held = many <= POOL if kept else many > max(POOL, answered / 10)
        return Seen(f"{many:,.0f} for {answered:,} requests", held)

    is_open, is_made = "connections to PostgreSQL before the load", "connections made under load"
    published, repaired, quart = (PUBLISHED, STAND_IN), (REPAIRED, ON_EVENTLET), (QUART, ALONE)
    yield Check(is_open, "1", lambda scene: before(scene, 1, 1), arms=published)
    yield Check(is_open, f"{POOL}", lambda scene: before(scene, POOL, POOL), arms=repaired)
    yield Check(is_open, f"1 to {POOL}", lambda scene: before(scene, 1, POOL), arms=quart)
    many = "more than one for ten requests"
    yield Check(is_made, many, lambda scene: under_load(scene, False), When.AFTER, published)
    few = f"at most {POOL}"
    yield Check(is_made, few, lambda scene: under_load(scene, True), When.AFTER, (*repaired, *quart))


def _answers_500(scene: Scene) -> float:
    return float(scene.load.statuses.get("500", 0)) if scene.load else 0.0
