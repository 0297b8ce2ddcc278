"""The lens in pools: of any version, with any fault of its own, the program is as it would be without."""

from __future__ import annotations

import asyncio
import gc
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import pytest

from asyncdemo.capture import libraries, wire
from asyncdemo.capture.instrument import Patches
from asyncdemo.capture.limits import Limits
from asyncdemo.capture.loops import Loops
from asyncdemo.capture.pools import Pools, in_modules
from asyncdemo.capture.pools.book import Call
from asyncdemo.capture.recorder import Origins, Recorder
from asyncdemo.capture.waits import Waits


@dataclass
class Bench:
    """The lens' parts that pools need, and what they recorded."""

    recorder: Recorder = field(default_factory=lambda: Recorder(Origins()))

    def __post_init__(self) -> None:
        self.recorder.open_thread(threading.get_ident(), "MainThread", None, None, None, 0)
        loops = Loops(self.recorder)
        self.pools = Pools(self.recorder, loops, Limits(self.recorder, loops), Waits(self.recorder, loops))

    @property
    def definitions(self) -> list[Any]:
        return [one for one in self.recorder._definitions if one[0] not in ("thread", "site", "resource")]

    @property
    def told(self) -> list[str]:
        return [one[0] for one in self.definitions]

    @property
    def slots(self) -> list[tuple[str, int]]:
        """(taken or given back, connection)."""
        numbers = self.recorder.numbers
        rows = [numbers[at : at + wire.STEP_SIZE] for at in range(0, len(numbers), wire.STEP_SIZE)]
        words = {wire.TAKEN: "taken", wire.GIVEN_BACK: "given back"}
        return [(words[row[0]], row[4] - 1) for row in rows if row[0] in words]


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.fixture
def patches() -> Iterator[Patches]:
    made = Patches()
    yield made
    made.undo()


class Thing:
    """A pool or a connection of some library."""


class Closed:
    """One that allows no weak references, as asyncpg's pool."""

    __slots__ = ()


# -- the book --------------------------------------------------------------------------------------


def test_a_connection_from_opening_to_closing(bench: Bench) -> None:
    pools, pool, connection = bench.pools, Thing(), Thing()
    pools.made(pool, "redis", 3)
    known = pools.expect(pool)
    assert known is not None
    pools.hold(known)
    pools.opening(known)
    pools.bind(known, connection)
    pools.ready(known)
    assert pools.of(connection) is known
    pools.let_go(known)
    pools.hold(known)
    pools.let_go(known)
    pools.close(known)
    assert bench.told == ["pool", "connection", "connection-ready", "connection-closed"]
    assert bench.definitions[-1][3:] == [False, False]
    assert bench.slots == [("taken", 0), ("given back", 0), ("taken", 0), ("given back", 0)]


def test_an_object_that_connects_anew_is_another_connection(bench: Bench) -> None:
    pools, pool = bench.pools, Thing()
    pools.made(pool, "redis", 3)
    known = pools.expect(pool)
    assert known is not None
    pools.hold(known)
    pools.opening(known)
    pools.close(known)
    assert bench.definitions[-1][3] is True
    pools.opening(known)
    pools.let_go(known)
    assert bench.slots == [("taken", 0), ("given back", 0), ("taken", 1), ("given back", 1)]


def test_given_back_after_it_was_closed(bench: Bench) -> None:
    pools, pool = bench.pools, Thing()
    pools.made(pool, "redis", 3)
    known = pools.expect(pool)
    assert known is not None
    pools.hold(known)
    pools.opening(known)
    pools.close(known)
    pools.close(known)
    pools.let_go(known)
    pools.let_go(known)
    assert bench.told == ["pool", "connection", "connection-closed", "connection-returned"]


def test_what_nobody_refers_to_any_more_was_dropped(bench: Bench) -> None:
    pools, pool, connection = bench.pools, Thing(), Thing()
    pools.made(pool, "redis", 3)
    known = pools.expect(pool)
    assert known is not None
    pools.opening(known)
    pools.bind(known, connection)
    alive = weakref.ref(connection)
    del connection
    gc.collect()
    assert alive() is None
    assert bench.definitions[-1][0] == "connection-closed"
    assert bench.definitions[-1][3:] == [False, True]
    assert pools._connections == {}


def test_objects_that_allow_no_weak_references_are_known_too(bench: Bench) -> None:
    pools, pool, connection = bench.pools, Closed(), Closed()
    pools.made(pool, "asyncpg", 3)
    known = pools.expect(pool)
    assert known is not None
    pools.bind(known, connection)
    assert pools.of(connection) is known
    assert pools.of(Thing()) is None
    assert pools.expect(connection) is None


def test_what_is_not_known_is_nothing(bench: Bench) -> None:
    pools = bench.pools
    assert pools.expect(Thing()) is None
    assert pools.of(Thing()) is None
    assert pools.of(None) is None
    assert pools.service_of(Thing()) == ""
    pools.refused(Thing(), 0)
    assert not pools.works_for(Thing(), Thing())
    assert bench.told == []


def test_what_works_for_a_pool_is_that_pool(bench: Bench) -> None:
    pools, client, connector, connection = bench.pools, Thing(), Thing(), Thing()
    pools.made(client, "s3", 10)
    assert pools.works_for(connector, client)
    assert pools.resource_of(connector) == pools.resource_of(client)
    known = pools.expect(connector)
    assert known is not None
    pools.bind(known, connection)
    assert pools.service_of(connection) == "s3"


def test_http_may_lead_anywhere(bench: Bench) -> None:
    pools, session, connection = bench.pools, Thing(), Thing()
    pools.made(session, "http", 10)
    known = pools.expect(session)
    assert known is not None
    pools.bind(known, connection)
    assert pools.service_of(connection) == ""


# -- faults of the lens ----------------------------------------------------------------------------


def failing(*_: Any) -> None:
    raise LookupError("not what was expected")


def test_a_hook_that_fails_is_told_once_and_raises_nothing(bench: Bench) -> None:
    pools = bench.pools
    pools.safe(failing)(1)
    assert pools.passing(failing)("self", "value") == "value"
    assert bench.told == ["note"]
    assert "LookupError: not what was expected" in bench.definitions[0][1]


class Failing(Call):
    def begin(self) -> None:
        failing()

    def returns(self, value: Any) -> None:
        failing()

    def ends(self, error: BaseException | None) -> None:
        failing()


def test_an_observer_that_fails_lets_the_call_go_on(bench: Bench) -> None:
    observed: Callable[[], Call] = bench.pools.observed(Failing)
    with observed() as call:
        assert call("value") == "value"
    with pytest.raises(KeyError), observed():
        raise KeyError("the program's own")
    assert bench.told == ["note"]


def test_a_library_without_any_of_the_functions_is_left_alone(bench: Bench, patches: Patches) -> None:
    for name, loaded in in_modules(bench.pools, patches, lambda: None).items():
        if name == "psycopg2":
            continue  # its connect is replaced, not rewritten
        module = ModuleType(name)
        before = dict(vars(module))
        loaded(module)
        assert vars(module) == before
    assert bench.told == []


def test_a_library_that_cannot_be_observed_is_imported_all_the_same(bench: Bench, patches: Patches) -> None:
    imported: list[None] = []
    in_modules(bench.pools, patches, lambda: imported.append(None))["psycopg2"](ModuleType("psycopg2"))
    assert bench.told == ["note"]
    assert imported == [None]


def test_nothing_of_a_library_is_imported_by_the_lens(bench: Bench, patches: Patches) -> None:
    before = set(sys.modules)
    in_modules(bench.pools, patches, lambda: None)
    assert not {name.partition(".")[0] for name in set(sys.modules) - before} & {
        "redis",
        "asyncpg",
        "aiohttp",
    }


# -- what is waited for ----------------------------------------------------------------------------


def code_in(package: str, qualname: str) -> Any:
    def function() -> None: ...

    filename = f"/venv/lib/site-packages/{package}/some.py"
    return function.__code__.replace(co_filename=filename, co_qualname=qualname)


OF_THE_USER = (lambda: None).__code__


@pytest.mark.parametrize(
    ("chain", "reason"),
    [
        (["redis:Reader.read", "redis:AbstractConnection.read_response"], "redis"),
        (["redis:Connection._connect", "redis:AbstractConnection.connect"], "net.connect"),
        (["redis:BlockingConnectionPool.get_connection", "redis:Redis.execute_command"], "connection pool"),
        (["redis:Something.new"], "redis"),
        (["asyncpg:Connection._do_execute", "asyncpg:Pool.fetch"], "sql"),
        (["asyncpg:__connect_addr", "asyncpg:connect"], "net.connect"),
        (["asyncpg:Pool._acquire.<locals>._acquire_impl", "asyncpg:Pool._acquire"], "connection pool"),
        (
            ["psycopg:wait_async", "psycopg:AsyncConnection.wait", "psycopg_pool:AsyncConnectionPool.check"],
            "sql",
        ),
        (
            ["psycopg_pool:WaitingClient.wait", "psycopg_pool:AsyncConnectionPool._getconn_unchecked"],
            "connection pool",
        ),
        (["psycopg_pool:AsyncConnectionPool.new"], None),
        (["aiohttp:DataQueue.read", "aiobotocore:AIOHTTPSession.send"], "net.read"),
        (["user", "redis:AbstractConnection.read_response"], None),
        (["anyio:unknown", "redis:AbstractConnection.read_response"], "redis"),
        ([], None),
    ],
)
def test_the_innermost_function_that_is_known_tells(chain: list[str], reason: str | None) -> None:
    codes = [OF_THE_USER if one == "user" else code_in(*one.split(":")) for one in chain]
    found = libraries.Libraries().reason(codes)
    assert (None if found is None else found[0][0]) == reason


@pytest.mark.parametrize(("package", "inner"), [("redis", True), ("psycopg2", True), ("shop", False)])
def test_locks_that_a_pool_is_made_of_are_no_limits(package: str, inner: bool) -> None:
    assert libraries.has_pools(f"/venv/lib/site-packages/{package}/pool.py") is inner
    assert not libraries.has_pools(f"/home/ada/{package}/pool.py")


def test_pools_are_known_in_tasks_too(bench: Bench) -> None:
    async def main() -> None:
        pool = Thing()
        bench.pools.made(pool, "redis", 3)
        known = bench.pools.expect(pool)
        assert known is not None
        bench.pools.opening(known)
        bench.pools.hold(known)

    asyncio.run(main())
    assert bench.told == ["pool", "connection"]
