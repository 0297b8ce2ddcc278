"""The tracer in pools: of any version, with any fault of its own, the program is as it would be without."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import ModuleType

import pytest

from asyncdemo.capture import libraries, wire
from asyncdemo.capture.blocking.limits import Limits
from asyncdemo.capture.blocking.waits import Waits
from asyncdemo.capture.instrument import Patches
from asyncdemo.capture.libraries.lookup import Libraries
from asyncdemo.capture.libraries.pool_registry import Connection, PoolKind, PoolRegistry
from asyncdemo.capture.loops.state import Loops
from asyncdemo.capture.recorder import Origins, Recorder
from tests.support.guards import strict_guard


@dataclass
class Bench:
    """The tracer's parts that pools need, and what they recorded."""

    recorder: Recorder = field(default_factory=lambda: Recorder(Origins()))

    def __post_init__(self) -> None:
        self.recorder.open_thread(threading.get_ident(), "MainThread", None, None, None, 0)
        loops = Loops(self.recorder)
        self.pools = PoolRegistry(
            self.recorder, loops, Limits(self.recorder, loops), Waits(self.recorder, loops)
        )

    @property
    def messages(self) -> list[wire.Message]:
        others = (wire.Thread, wire.Site, wire.Resource)
        return [one for one in self.recorder._definitions if not isinstance(one, others)]

    @property
    def kinds(self) -> list[type[wire.Message]]:
        return [type(one) for one in self.messages]

    @property
    def closed(self) -> wire.ConnectionClosed:
        """The last message."""
        last = self.messages[-1]
        assert isinstance(last, wire.ConnectionClosed)
        return last

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
    made = Patches(strict_guard())
    yield made
    made.undo()


class Thing:
    """A pool or a connection of some library."""


class Closed:
    """One that allows no weak references, as asyncpg's pool."""

    __slots__ = ()


# -- the book --------------------------------------------------------------------------------------


@pytest.fixture
def known(bench: Bench) -> Connection:
    """A connection that a pool is about to open."""
    pool = Thing()
    bench.pools.made(pool, PoolKind("redis"), 3)
    expected = bench.pools.expect(pool)
    assert expected is not None
    return expected


def test_a_connection_from_opening_to_closing(bench: Bench, known: Connection) -> None:
    pools, connection = bench.pools, Thing()
    pools.hold(known)
    pools.opening(known)
    pools.bind(known, connection)
    pools.ready(known)
    assert pools.of(connection) is known
    pools.returned(connection)
    pools.taken(connection)
    pools.returned(connection)
    pools.closed(connection)
    assert bench.kinds == [wire.Pool, wire.Connection, wire.ConnectionReady, wire.ConnectionClosed]
    assert bench.closed[2:] == (False, False)
    assert bench.slots == [("taken", 0), ("given back", 0), ("taken", 0), ("given back", 0)]


def test_object_that_reconnects_is_another_connection(bench: Bench, known: Connection) -> None:
    pools = bench.pools
    pools.hold(known)
    pools.opening(known)
    pools.close(known)
    assert bench.closed.held
    pools.opening(known)
    pools.let_go(known)
    assert bench.slots == [("taken", 0), ("given back", 0), ("taken", 1), ("given back", 1)]


def test_given_back_after_it_was_closed(bench: Bench, known: Connection) -> None:
    pools = bench.pools
    pools.hold(known)
    pools.opening(known)
    for _ in range(2):
        pools.close(known)
    for _ in range(2):
        pools.let_go(known)
    assert bench.kinds == [wire.Pool, wire.Connection, wire.ConnectionClosed, wire.ConnectionReturned]


def test_what_nobody_refers_to_any_more_was_dropped(bench: Bench, known: Connection) -> None:
    connection = Thing()
    bench.pools.opening(known)
    bench.pools.bind(known, connection)
    del connection
    gc.collect()
    assert bench.closed[2:] == (False, True)
    assert bench.pools.connections == {}


def test_objects_that_allow_no_weak_references_are_known_too(bench: Bench) -> None:
    pools, pool, connection = bench.pools, Closed(), Closed()
    pools.made(pool, PoolKind("asyncpg"), 3)
    pools.adopt(pool, connection)
    assert pools.of(connection) is not None
    assert pools.of(Thing()) is None
    assert pools.expect(connection) is None


def test_what_is_not_known_is_nothing(bench: Bench) -> None:
    pools = bench.pools
    assert pools.expect(Thing()) is None
    assert pools.of(Thing()) is pools.of(None) is None
    assert pools.service_of(Thing()) == ""
    assert not pools.works_for(Thing(), Thing())
    pools.refused(Thing(), 0)
    pools.adopt(Thing(), Thing())
    for report in (pools.taken, pools.returned, pools.closed, pools.shut):
        report(Thing())
    assert bench.kinds == []


@pytest.mark.parametrize("service", ["s3", ""])
def test_what_works_for_a_pool_is_that_pool(service: str, bench: Bench) -> None:
    """What is only known to speak HTTP may lead anywhere."""
    pools, client, connector, connection = bench.pools, Thing(), Thing(), Thing()
    pools.made(client, PoolKind("client", service), 10)
    assert pools.works_for(connector, client)
    assert pools.resource_of(connector) == pools.resource_of(client)
    assert pools.adopt(connector, connection) is connection
    assert pools.service_of(connection) == service


# -- faults of the tracer ----------------------------------------------------------------------------


def test_a_library_without_any_of_the_functions_is_left_alone(bench: Bench, patches: Patches) -> None:
    for name, loaded in (
        Libraries(libraries.known().values()).hooks(bench.pools, patches, lambda: None).items()
    ):
        if name == "psycopg2":
            continue  # its connect is replaced, not rewritten
        module = ModuleType(name)
        before = dict(vars(module))
        loaded(module)
        assert vars(module) == before
    assert bench.kinds == []
