"""What the greenlets need beside ``greenlets.toml``: a database, how many queries are in flight in it, and
the bounds that follow.

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
    Asked,
    Check,
    Condition,
    Count,
    Experiment,
    Scene,
    Seen,
    When,
)
from asyncdemo.lab.results.comparison import MEAN_LATENCY, THROUGHPUT, Bound
from asyncdemo.lab.results.laws import bound_per_s, littles_latency_ms
from asyncdemo.load import Send
from asyncdemo.services.films import films

__all__ = ["described", "prepared"]

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
    conditions = {condition.setting.name: condition for condition in experiment.conditions}
    return replace(
        experiment,
        asked=tuple(_predicted(row, conditions[row.setting]) for row in experiment.asked),
        own_pids=database.pids,
        died=database.died,
        notes=(
            f"{database.words}. Each query sleeps there for 20 ms, and computes nothing.",
            *experiment.notes,
        ),
    )


def _predicted(row: Asked, condition: Condition) -> Asked:
    """With what waiting alone gives: one query at a time, or as many as there are connections."""
    delay_ms, pool, clients = condition.knobs["delay_ms"], condition.knobs["pool"], condition.setting.clients
    assert clients is not None
    sides = [int(pool) if arm in _SEVERAL else 1 for arm in (row.arm, row.base)]
    rates = [bound_per_s(float(delay_ms), clients=clients, slots=slots) for slots in sides]
    values: list[float] = rates
    if row.figure == THROUGHPUT:
        words = [
            f"{slots} / {delay_ms} ms = {rate:,.0f} per s" for slots, rate in zip(sides, rates, strict=True)
        ]
    elif row.figure == MEAN_LATENCY:
        values = [littles_latency_ms(clients, rate) for rate in rates]
        words = [
            f"{clients} clients / {rate:,.0f} per s = {latency_ms:,.0f} ms"
            for rate, latency_ms in zip(rates, values, strict=True)
        ]
    else:
        values = [float(slots) for slots in sides]
        words = [f"{sides[0]}", f"{sides[1]}: of {clients} clients and {pool} connections the fewer"]
    return replace(row, bound=Bound(values[0] / values[1], " and ".join(words)))


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
