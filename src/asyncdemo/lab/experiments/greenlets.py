"""Greenlets with a driver that blocks them all, and with one that does not: a film that takes 20 ms.

No article has this, and two depend on it: in seed 002 eventlet patches psycopg2 unasked, and the greenlets of
seed 004 have it patched, too.
Not for: the apps (``apps/`` of lesson ``greenlets``).
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from asyncdemo.lab.experiments.entry import Surroundings
from asyncdemo.lab.harness.answers import answer_check
from asyncdemo.lab.harness.contestants import contestant, shared_packages
from asyncdemo.lab.harness.database import Database, film_database
from asyncdemo.lab.harness.protocol import (
    MEAN_LATENCY,
    THROUGHPUT,
    Asked,
    Check,
    Condition,
    Contender,
    Count,
    Experiment,
    Figure,
    Scene,
    Seen,
    Size,
    When,
)
from asyncdemo.lab.results.comparison import Better, Bound
from asyncdemo.lab.results.laws import bound_per_s, littles_latency_ms
from asyncdemo.lab.results.setup import Arm, Extent, Loop, Setting
from asyncdemo.lab.servers import PROGRAMS, App, Interface
from asyncdemo.load import Send
from asyncdemo.services.films import films

__all__ = ["described", "prepared"]

_NAME: Final = "greenlets"
SYNC, BLOCKED, FREE = "sync", "gevent", "gevent-psycogreen"
OWN_BLOCKED, OWN_FREE = "own-gevent", "own-gevent-psycogreen"
_IN_FLIGHT: Final = Figure(
    "counted.db_queries_in_flight",
    "Queries in flight in PostgreSQL, the most that were seen",
    "",
    Better.MORE,
)
_ONE_AT_A_TIME: Final = (SYNC, BLOCKED, OWN_BLOCKED)
_DELAY_MS: Final = 20
_CLIENTS: Final = 20
_POOLS: Final = (10, 20)
_FEW_ROUNDS: Final = 3
"""Of the second server: enough to see that it is as the first one, and nothing is ranked."""
_FILM: Final = 995
_SEND: Final = Send("GET", f"/films/{_FILM}/")
_LOOKS, _LOOK_S = 40, 0.01


@contextmanager
def prepared(surroundings: Surroundings) -> Iterator[Experiment]:
    with film_database(surroundings.say) as database:
        yield described(surroundings, database)


def described(surroundings: Surroundings, database: Database) -> Experiment:
    contenders = tuple(_contenders(surroundings))
    return Experiment(
        name=_NAME,
        title="Greenlets and their driver",
        contenders=contenders,
        conditions=tuple(_condition(pool, database) for pool in _POOLS),
        asked=tuple(row for pool in _POOLS for row in _rows(pool)),
        lesson=_NAME,
        sizes={
            Extent.QUICK: Size(2, 1.0, 0.3, 2, settings=(_setting(_POOLS[0]),)),
            Extent.DEFAULT: Size(7, 1.2, 0.3, 2, settings=(_setting(_POOLS[0]),)),
            Extent.FULL: Size(7, 3.0, 0.6, 3),
        },
        twin_of=FREE,
        packages=shared_packages(item.contestant for item in contenders),
        own_pids=database.pids,
        died=database.died,
        notes=(
            f"{database.words}. Each query sleeps there for {_DELAY_MS} ms, and computes nothing.",
            "One worker process of each. Each app opens all of its connections before its first request.",
            "gevent patches sockets of Python; psycopg2 waits in C, where no other greenlet gets a turn.",
            f"gevent's own server is measured in {_FEW_ROUNDS} rounds only, so nothing is ranked by it.",
        ),
    )


def _contenders(surroundings: Surroundings) -> Iterator[Contender]:
    for name, title, server, app in (
        (SYNC, "Gunicorn, sync", "gunicorn-sync", "flask_psycopg2"),
        (BLOCKED, "Gunicorn, gevent", "gunicorn-gevent", "flask_psycopg2"),
        (FREE, "Gunicorn, gevent, psycogreen", "gunicorn-gevent", "flask_psycogreen"),
        (OWN_BLOCKED, "gevent", "gevent", "flask_psycopg2"),
        (OWN_FREE, "gevent, psycogreen", "gevent", "flask_psycogreen"),
    ):
        program = PROGRAMS[server]
        packages = ("flask", "psycopg2-binary", *(("psycogreen",) if app == "flask_psycogreen" else ()))
        file = App(surroundings.apps / f"{app}.py", Interface.WSGI)
        arm = Arm(name, title, program.model, "Flask", program.title, notes=program.notes)
        served = contestant(program, file, name, packages=packages, path="/films/0/", tell=surroundings.tell)
        yield Contender(arm, served, rounds=_FEW_ROUNDS if server == "gevent" else None)


# -- under what ---------------------------------------------------------------------------------------------


def _setting(pool: int) -> str:
    return f"pool-{pool}"


def _condition(pool: int, database: Database) -> Condition:
    title = f"{_CLIENTS} clients, a pool of {pool}, {_DELAY_MS} ms a query"
    film = {"title": films()[_FILM - 1].title}
    return Condition(
        Setting(_setting(pool), title, Loop.CLOSED, (), clients=_CLIENTS, keep_alive=True),
        (_SEND,),
        {"delay_ms": _DELAY_MS, "pool": pool},
        checks=(
            answer_check(_SEND, "the film", lambda body: bool(json.loads(body) == film)),
            _connected(database, pool),
            *_in_flight(database, pool),
        ),
        counts=(
            Count("db_queries_in_flight", lambda _: database.in_flight()),
            Count("db_sessions", lambda _: database.connected()),
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
    yield Check(what, f"more than {pool / 2:.0f}, at most {pool}", several, When.LOADED, (FREE, OWN_FREE))


# -- what is compared ---------------------------------------------------------------------------------------


def _rows(pool: int) -> Iterator[Asked]:
    sides = (
        ("gevent with and without psycogreen", FREE, BLOCKED),
        ("gevent without psycogreen, and sync", BLOCKED, SYNC),
        ("gevent with psycogreen, and sync", FREE, SYNC),
        ("gevent's own server, with and without", OWN_FREE, OWN_BLOCKED),
        ("gevent's own server and Gunicorn, with psycogreen", OWN_FREE, FREE),
    )
    setting = _setting(pool)
    for name, arm, base in sides:
        yield Asked(
            name=name,
            figure=THROUGHPUT,
            arm=arm,
            base=base,
            setting=setting,
            bound=_rates(arm, base, pool),
        )
    for name, arm, base in sides[:2]:
        yield Asked(
            name=name,
            figure=MEAN_LATENCY,
            arm=arm,
            base=base,
            setting=setting,
            bound=_latencies(arm, base, pool),
        )
        yield Asked(
            name=name,
            figure=_IN_FLIGHT,
            arm=arm,
            base=base,
            setting=setting,
            bound=_flights(arm, base, pool),
        )


def _at_once(arm: str, pool: int) -> int:
    """So many queries can be in flight."""
    return 1 if arm in _ONE_AT_A_TIME else min(_CLIENTS, pool)


def _per_s(arm: str, pool: int) -> float:
    workers = 1 if arm in _ONE_AT_A_TIME else None
    return bound_per_s(_DELAY_MS, clients=_CLIENTS, slots=pool, workers=workers)


def _rates(arm: str, base: str, pool: int) -> Bound:
    words = " and ".join(
        f"{_at_once(one, pool)} / {_DELAY_MS} ms = {_per_s(one, pool):,.0f} per s" for one in (arm, base)
    )
    return Bound(_per_s(arm, pool) / _per_s(base, pool), words)


def _latencies(arm: str, base: str, pool: int) -> Bound:
    own_ms, base_ms = (littles_latency_ms(_CLIENTS, _per_s(one, pool)) for one in (arm, base))
    words = " and ".join(
        f"{_CLIENTS} clients / {_per_s(one, pool):,.0f} per s = {latency_ms:,.0f} ms"
        for one, latency_ms in ((arm, own_ms), (base, base_ms))
    )
    return Bound(own_ms / base_ms, words)


def _flights(arm: str, base: str, pool: int) -> Bound:
    own, others = _at_once(arm, pool), _at_once(base, pool)
    return Bound(own / others, f"{own} and {others}: of {_CLIENTS} clients and {pool} connections the fewer")
