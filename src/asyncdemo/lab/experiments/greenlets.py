"""What the greenlets need besides ``greenlets.toml``: a database, and a count of its queries in flight."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from asyncdemo.lab.experiments.context import ExperimentContext
from asyncdemo.lab.experiments.definition import load_experiment
from asyncdemo.lab.harness.checks import answer_check, count_check
from asyncdemo.lab.harness.database import LabDatabase, film_database
from asyncdemo.lab.harness.protocol.description import Check, Count, Experiment, Scene, When
from asyncdemo.load import Send
from asyncdemo.services.films import films

_ONE_AT_A_TIME: Final = ("sync", "gevent", "own-gevent")
_SEVERAL: Final = ("gevent-psycogreen", "own-gevent-psycogreen")
_FILM: Final = 995
_SEND: Final = Send("GET", f"/films/{_FILM}/")
_LOOKS, _LOOK_S = 40, 0.01


@contextmanager
def prepared(context: ExperimentContext) -> Iterator[Experiment]:
    with film_database(context.say) as database:
        yield described(context, database)


def described(context: ExperimentContext, database: LabDatabase) -> Experiment:
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
    experiment = load_experiment("greenlets", context, checks, counts)
    return replace(
        experiment,
        own_pids=database.pids,
        died=database.died,
        notes=(
            f"{database.words}. Each query sleeps there for 20 ms, and computes nothing.",
            *experiment.notes,
        ),
    )


def _connected(database: LabDatabase, pool: int) -> Check:
    return count_check(
        "connections to PostgreSQL",
        f"{pool}",
        lambda _: database.connected_at_most(pool),
        lambda there: there == pool,
        always=True,
    )


def _in_flight(database: LabDatabase, pool: int) -> Iterator[Check]:
    """Look repeatedly: at a single moment there may be fewer."""

    def most(_: Scene) -> float:
        seen = []
        for _look in range(_LOOKS):
            seen.append(database.in_flight())
            time.sleep(_LOOK_S)
        return max(seen)

    what, several = "queries in flight in PostgreSQL", f"more than {pool / 2:.0f}, at most {pool}"
    yield count_check(what, "1", most, lambda many: many == 1, When.LOADED, _ONE_AT_A_TIME)
    yield count_check(what, several, most, lambda many: pool / 2 < many <= pool, When.LOADED, _SEVERAL)
