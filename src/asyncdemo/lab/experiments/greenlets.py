"""What the greenlets need beside ``greenlets.toml``: a database, and how many queries are in flight in it.

Not for: the apps (``apps/`` of lesson ``greenlets``).
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from asyncdemo.lab.experiments import Surroundings
from asyncdemo.lab.experiments.definition import load_definition
from asyncdemo.lab.harness.checks import answer_check
from asyncdemo.lab.harness.database import Database, film_database
from asyncdemo.lab.harness.protocol.description import (
    Check,
    Count,
    Experiment,
    Scene,
    Seen,
    When,
)
from asyncdemo.load import Send
from asyncdemo.services.films import films

_ONE_AT_A_TIME: Final = ("sync", "gevent", "own-gevent")
_SEVERAL: Final = ("gevent-psycogreen", "own-gevent-psycogreen")
_FILM: Final = 995
_SEND: Final = Send("GET", f"/films/{_FILM}/")
_LOOKS, _LOOK_S = 40, 0.01


@contextmanager
def prepared(surroundings: Surroundings) -> Iterator[Experiment]:
    with film_database(surroundings.say) as database:
        yield described(surroundings, database)


def described(surroundings: Surroundings, database: Database) -> Experiment:
    film = {"title": films()[_FILM - 1].title}
    checks = {
        "film": (answer_check(_SEND, "the film", lambda body: bool(json.loads(body) == film)),),
        "pool of 10": (_connected(database, 10), *_in_flight(database, 10)),
        "pool of 20": (_connected(database, 20), *_in_flight(database, 20)),
    }
    counts = (
        Count("db_queries_in_flight", lambda _: database.in_flight()),
        Count("db_sessions", lambda _: database.connected()),
    )
    experiment = load_definition("greenlets").experiment(surroundings, checks, counts)
    return replace(
        experiment,
        own_pids=database.pids,
        died=database.died,
        notes=(
            f"{database.words}. Each query sleeps there for 20 ms, and computes nothing.",
            *experiment.notes,
        ),
    )


def _connected(database: Database, pool: int) -> Check:
    def look(_: Scene) -> Seen:
        there = database.connected_at_most(pool)
        return Seen(f"{there:.0f}", there == pool)

    return Check("connections to PostgreSQL", f"{pool}", look, always=True)


def _in_flight(database: Database, pool: int) -> Iterator[Check]:
    """Looked for again and again: at a single moment there may be fewer."""

    def most() -> float:
        seen = []
        for _ in range(_LOOKS):
            seen.append(database.in_flight())
            time.sleep(_LOOK_S)
        return max(seen)

    def one(_: Scene) -> Seen:
        many = most()
        return Seen(f"{many:.0f}", many == 1)

    def several(_: Scene) -> Seen:
        many = most()
        return Seen(f"{many:.0f}", pool / 2 < many <= pool)

    what = "queries in flight in PostgreSQL"
    yield Check(what, "1", one, When.LOADED, _ONE_AT_A_TIME)
    yield Check(what, f"more than {pool / 2:.0f}, at most {pool}", several, When.LOADED, _SEVERAL)
