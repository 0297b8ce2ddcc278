"""What seed 002 needs besides ``flask-and-quart.toml``: a database, and checks in it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from asyncdemo.lab.experiments.context import ExperimentContext
from asyncdemo.lab.experiments.definition import load_experiment
from asyncdemo.lab.harness import Unavailable
from asyncdemo.lab.harness.checks import answer_check, json_check
from asyncdemo.lab.harness.database import LabDatabase, Risen, film_database
from asyncdemo.lab.harness.environments import interpreter_of
from asyncdemo.lab.harness.protocol.description import Check, Count, Experiment, Scene, Seen, When
from asyncdemo.load import Send
from asyncdemo.services.films import films

_FILM: Final = 995
_REVIEW: Final = {"film_id": _FILM, "rating": 4}
_JSON: Final = ("Content-Type", "application/json")
_SENDS: Final = {
    "film": Send("GET", f"/films/{_FILM}/"),
    "films": Send("GET", "/films/"),
    "review": Send("POST", "/reviews/", (_JSON,), json.dumps(_REVIEW).encode()),
}
_POOL: Final = 20
_EVENTLET: Final = "gunicorn-eventlet"
_AS_PUBLISHED: Final = ("flask-published", "flask-published-gevent")
_REPAIRED: Final = ("flask-repaired", "flask-repaired-eventlet")
_QUART: Final = ("quart-asyncpg", "quart-alone")


@contextmanager
def prepared(context: ExperimentContext) -> Iterator[Experiment]:
    try:
        context.say("looking for eventlet")
        interpreter_of(_EVENTLET, context.on_progress)
        gone = None
    except Unavailable as error:
        gone = error
    with film_database(context.say) as database:
        yield described(context, database, gone)


def described(context: ExperimentContext, database: LabDatabase, gone: Unavailable | None) -> Experiment:
    """``gone`` is why there is no eventlet. Then gevent's rows stand beside the refused ones."""
    published, stand_in = _AS_PUBLISHED
    missing = {"Gunicorn's eventlet worker": f"{gone.successor}. {gone.why}"} if gone else {}
    counts = (
        Count("db_connections_made", Risen(database.sessions)),
        Count("db_sessions", lambda _: database.connected()),
        Count("answers_500", _answers_500, most=False),
    )
    checks = {
        "answers": tuple(_answers()),
        "stored": tuple(_stored(database)),
        "pool": tuple(_connections(database)),
    }
    experiment = load_experiment(
        "flask-and-quart",
        context,
        checks,
        counts,
        _SENDS,
        gone={_EVENTLET: gone} if gone else {},
        leave_out=() if gone else (stand_in,),
    )
    rows = (row for row in experiment.rows if not gone or (row.arm, row.base) != (_REPAIRED[0], published))
    return replace(
        experiment,
        rows=tuple(rows),
        missing={**experiment.missing, **missing},
        own_pids=database.pids,
        died=database.died,
        notes=(
            f"{database.words}. It does not wait for its disk (fsync and synchronous_commit are off), so a "
            "commit costs less than it would in production. It shares the processors of the servers.",
            *experiment.notes,
        ),
    )


def _answers() -> Iterator[Check]:
    """If psycopg2's pool were empty, its PoolError would be a 500 here."""
    film = films()[_FILM - 1]
    shown = {"title": film.title, "release_year": film.release_year}
    every = {str(film.film_id): {"title": film.title, "release_year": film.release_year} for film in films()}
    bodies: dict[str, tuple[str, object]] = {
        "film": ("the film", {"film_id": _FILM, **shown}),
        "films": (f"{len(every):,} films", every),
        "review": ("the review", _REVIEW),
    }
    for name, (words, wanted) in bodies.items():
        yield json_check(_SENDS[name], words, wanted)


def _stored(database: LabDatabase) -> Iterator[Check]:
    post = answer_check(_SENDS["review"], "", lambda _: True)

    def look(scene: Scene, wanted: int) -> Seen:
        before = database.reviews()
        answered = post.look(scene)
        rows = database.reviews() - before
        return Seen(f"{rows:.0f}", answered.held and rows == wanted)

    others = (*_REPAIRED[::-1], *_QUART)
    what = "rows that a POST /reviews/ stores"
    yield Check(what, "0: never committed", lambda scene: look(scene, 0), arms=_AS_PUBLISHED, always=True)
    yield Check(what, "1", lambda scene: look(scene, 1), arms=others, always=True)


def _connections(database: LabDatabase) -> Iterator[Check]:
    made = Risen(database.sessions)

    def before(scene: Scene, least: int, most: int) -> Seen:
        made(scene)
        there = database.connected_at_most(most)
        return Seen(f"{there:.0f}", least <= there <= most)

    def under_load(scene: Scene, kept: bool) -> Seen:
        many, answered = made(scene), scene.load.answered if scene.load else 0
        held = many <= _POOL if kept else many > max(_POOL, answered / 10)
        return Seen(f"{many:,.0f} for {answered:,} requests", held)

    is_open, is_made = "connections to PostgreSQL before the load", "connections made under load"
    yield Check(is_open, "1", lambda scene: before(scene, 1, 1), arms=_AS_PUBLISHED)
    yield Check(is_open, f"{_POOL}", lambda scene: before(scene, _POOL, _POOL), arms=_REPAIRED)
    yield Check(is_open, f"1 to {_POOL}", lambda scene: before(scene, 1, _POOL), arms=_QUART)
    many = "more than one for ten requests"
    yield Check(is_made, many, lambda scene: under_load(scene, False), When.AFTER, _AS_PUBLISHED)
    few = f"at most {_POOL}"
    yield Check(is_made, few, lambda scene: under_load(scene, True), When.AFTER, (*_REPAIRED, *_QUART))


def _answers_500(scene: Scene) -> float:
    return float(scene.load.statuses.get("500", 0)) if scene.load else 0.0
