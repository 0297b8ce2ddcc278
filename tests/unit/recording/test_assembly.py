"""Events become a run, whatever arrives: in order, out of order, cut off, or not making sense."""

from __future__ import annotations

import contextlib
import json
from itertools import pairwise
from types import UnionType
from typing import Any, get_args, get_type_hints
from unittest.mock import Mock

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from asyncdemo.analysis.diagnose import diagnose
from asyncdemo.analysis.metrics import measure
from asyncdemo.analysis.metrics.pools import pool_use
from asyncdemo.capture import wire
from asyncdemo.model import Connection, PoolWords, Resource, ResourceKind, Run, RunOutcome, Slot, State
from asyncdemo.recording.assembly import Assembly
from asyncdemo.render.facts.runs import account_for
from asyncdemo.store import dumps, loads

SMALL = st.integers(-2, 6)
TIME = st.integers(0, 10**10)
ODD = st.one_of(st.none(), SMALL, st.integers(-(2**63), 2**63 - 1), st.text(max_size=3), st.booleans())

WORDS: dict[str, list[Any]] = {
    "Clock.kind": ["real", "virtual"],
    "Resource.kind": list(ResourceKind),
    "Ready.clock": ["real", "virtual"],
    "outcome": ["returned", "raised", "cancelled"],
    "reason": ["", "sleep", "task", "event", "semaphore", "thread", "lock", "event loop"],
    "state": [2, 3],
    "wait": [2, 3, 4, 5, 6],
    "trace_id": ["a" * 32, "b" * 32],
}
STUCK = (str, str, int | None, str, State, int | None, int | None, str, int | None, list[int], int | None)
LISTS: dict[str, tuple[Any, ...]] = {
    "who": STUCK,
    "places": (int, int | None),
    "starved": (int, int),
    "roots": (),
    "tracks": (),
}


def values(message: str, field: str, hint: Any) -> st.SearchStrategy[Any]:
    """What a field may hold, by its name and type."""
    if words := WORDS.get(f"{message}.{field}", WORDS.get(field)):
        return st.sampled_from(words)
    if field in LISTS:
        parts = st.tuples(*(values("", "", part) for part in LISTS[field]))
        return st.lists(parts if LISTS[field] else SMALL, max_size=3)
    if isinstance(hint, UnionType):
        return st.none() | values(message, field, get_args(hint)[0])
    of_type: dict[Any, st.SearchStrategy[Any]] = {
        int: TIME if field.endswith("_ns") else SMALL,
        str: st.text(max_size=3),
        bool: st.booleans(),
        State: st.integers(0, 3),
        list[int]: st.lists(SMALL, max_size=2),
        dict[str, Any]: st.just({}),
    }
    return of_type[hint]


def definitions_of(message: Any) -> st.SearchStrategy[list[object]]:
    name = message.__name__
    fields = [values(name, field, hint) for field, hint in get_type_hints(message).items()]
    return st.tuples(st.just(name), *fields).map(list[object])


one_definition = st.one_of(
    *map(definitions_of, get_args(wire.Message)),
    st.lists(ODD, max_size=5),
)
one_number = st.one_of(
    st.tuples(st.integers(0, 4), TIME, TIME, TIME, st.integers(0, 6), st.integers(-4, 4)),
    st.tuples(st.integers(-11, -1), TIME | SMALL, TIME | SMALL, TIME | SMALL, SMALL, SMALL),
    st.tuples(*[st.integers(-(2**63), 2**63 - 1)] * 6),
)
one_frame = st.one_of(
    st.lists(one_definition, max_size=6).map(lambda d: (wire.MESSAGES, json.dumps(d).encode())),
    st.lists(one_number, max_size=6).map(
        lambda rows: (wire.NUMBERS, wire.numbers_frame([n for row in rows for n in row])[5:])
    ),
    st.tuples(st.sampled_from([wire.NUMBERS, wire.MESSAGES, b"?"]), st.binary(max_size=60)),
)


def run_of(assembly: Assembly) -> Run:
    return assembly.run(name="n", script="s.py", argv=(), outcome=RunOutcome.OK, exit_code=0)


TASK = [["Task", 0, "Task", "work", None, None, None, 5, None, False]]


ENDS = ["End", 0, 4, "returned", None, None, None]
ENDS_BEFORE_IT_BEGINS = [(wire.MESSAGES, json.dumps([*TASK, ENDS]).encode())]


def one_step(*times: int) -> list[tuple[bytes, bytes]]:
    numbers = wire.numbers_frame([0, *times, wire.WAIT_DONE, 0])[5:]
    return [(wire.MESSAGES, json.dumps(TASK).encode()), (wire.NUMBERS, numbers)]


@settings(max_examples=300, deadline=None)
@given(frames=st.lists(one_frame, max_size=12), named=st.booleans())
@example(frames=one_step(0, 1, 2), named=False)
@example(frames=one_step(7, 9, 6), named=False)
@example(frames=ENDS_BEFORE_IT_BEGINS, named=False)
def test_any_stream_of_events_gives_a_run_or_a_clear_error(
    frames: list[tuple[bytes, bytes]], named: bool
) -> None:
    assembly = Assembly(named=named, threshold_ns=50_000_000)
    with contextlib.suppress(ValueError):  # the clear error
        for kind, payload in frames:
            assembly.feed(kind, payload)
    run = run_of(assembly)
    for track in run.tracks:
        spans = list(track.spans)
        assert all(span.start_ns <= span.end_ns for span in spans)
        assert all(one.end_ns == two.start_ns for one, two in pairwise(spans))
    measure(run)
    pool_use(run)
    diagnose(run)
    account_for([run])
    assert loads(dumps(run)) == run


@settings(max_examples=100, deadline=None)
@given(data=st.binary(max_size=200), cuts=st.lists(st.integers(1, 50), max_size=10))
def test_any_bytes_are_frames_or_a_clear_error_however_cut(data: bytes, cuts: list[int]) -> None:
    reader = wire.FrameReader()
    start = 0
    with contextlib.suppress(ValueError):  # the clear error
        for length in [*cuts, len(data)]:
            for _ in reader.feed(data[start : start + length]):
                pass
            start += length


def fed(*definitions: list[object], numbers: list[int] | None = None, named: bool = False) -> Run:
    assembly = Assembly(named=named, threshold_ns=50_000_000)
    assembly.feed(wire.MESSAGES, json.dumps(definitions).encode())
    if numbers:
        assembly.feed(wire.NUMBERS, wire.numbers_frame(numbers)[5:])
    return run_of(assembly)


def task(index: int, at_ns: int, parent: int | None = None) -> list[object]:
    return ["Task", index, f"Task-{index}", "work", None, None, parent, at_ns, None, False]


def test_steps_become_ready_running_and_waiting() -> None:
    run = fed(
        task(0, 100),
        ["Wait", 2, "sleep", 2, None, None, None, None],
        ["End", 0, 930, "returned", None, None, "named late"],
        numbers=[0, 100, 150, 200, 2, -1, 0, 800, 900, 930, wire.WAIT_DONE, wire.BY_TIMER],
    )
    (lane,) = run.lanes
    assert [(s.start_ns, s.end_ns, s.state, s.wait.reason) for s in lane.spans] == [
        (100, 150, State.READY, ""),
        (150, 200, State.RUNNING, ""),
        (200, 800, State.WAITING, "sleep"),
        (800, 900, State.READY, ""),
        (900, 930, State.RUNNING, ""),
    ]
    assert (lane.name, lane.outcome, run.tracks[0].steps) == ("named late work", "returned", 2)


def test_who_ended_a_wait_is_who_was_waited_for() -> None:
    run = fed(
        task(0, 0),
        task(1, 0),
        ["Wait", 2, "event", 2, None, None, None, None],
        numbers=[0, 0, 0, 10, 2, -1, 1, 0, 10, 50, wire.WAIT_DONE, -1, 0, 40, 50, 60, wire.WAIT_DONE, 1],
    )
    waited = next(span for span in run.lanes[0].spans if span.wait.reason == "event")
    assert waited.wait.on == 1
    assert [(wake.at_ns, wake.waker, wake.woken) for wake in run.wakes] == [(40, 1, 0)]


def test_a_slot_given_back_by_another_is_the_one_held_longest() -> None:
    run = fed(
        task(0, 0),
        task(1, 0),
        ["Resource", 0, "semaphore", 2, None],
        numbers=[
            *(wire.TAKEN, 0, 10, 0, 0, 0),
            *(wire.TAKEN, 1, 20, 0, 0, 0),
            *(wire.GIVEN_BACK, -1, 30, 0, 0, 0),
            *(wire.NOW, 100, 0, 0, 0, 0),
        ],
    )
    assert [(slot.track, slot.start_ns, slot.end_ns) for slot in run.resources[0].slots] == [
        (0, 10, 30),
        (1, 20, 100),
    ]


def test_a_process_pool_works_first_come_first_served() -> None:
    numbers: list[int] = []
    for item, (queued, done) in enumerate([(0, 100), (0, 150), (0, 220), (10, 260)]):
        numbers += [wire.ITEM_QUEUED, item, queued, 0, 0, 0, wire.ITEM_DONE, item, done, 0, 0, 0]
    run = fed(task(0, 0), ["Resource", 0, "executor", 2, None], numbers=numbers)
    assert sorted((slot.start_ns, slot.end_ns) for slot in run.resources[0].slots) == [
        (0, 100),
        (0, 150),
        (100, 220),
        (150, 260),
    ]


def test_every_message_and_number_has_a_handler() -> None:
    assembly = Assembly(named=False, threshold_ns=50_000_000)
    tags = {value for value in vars(wire).values() if type(value) is int and value < 0}
    assert set(assembly._handlers) == set(get_args(wire.Message))
    assert set(assembly._on_numbers) == tags


class TestSeveralProcesses:
    """A script's own process and those that it started, whose indices are theirs alone."""

    @staticmethod
    def tell(assembly: Assembly, process: int, *definitions: list[object]) -> None:
        assembly.feed(wire.MESSAGES, json.dumps(definitions).encode(), process)

    @staticmethod
    def count(assembly: Assembly, process: int, *numbers: int) -> None:
        assembly.feed(wire.NUMBERS, wire.numbers_frame(list(numbers))[5:], process)

    def served(self) -> tuple[Assembly, int]:
        """Two processes, in each a thread that waits for its own semaphore, in the same ns."""
        assembly = Assembly(named=False, threshold_ns=10**8)
        base = 3 << wire.PROCESS_SHIFT
        assembly.script.add_process(3)
        self.tell(assembly, 3, ["Process", 3, 4711, "Server-0"])
        for process, first in ((0, 0), (3, base)):
            self.tell(
                assembly,
                process,
                ["Site", first, f"file{process}.py", 7, "serve"],
                ["Resource", first, "semaphore", 1, first],
                ["Wait", first + 2, "semaphore", int(State.QUEUED), first, None, None, None],
                ["Thread", first, "MainThread", "", first, None, None, 1000],
                ["Thread", first + 1, "T", "", first, None, first, 1000],
            )
            self.count(assembly, process, wire.TAKEN, first + 1, 1100, first, 0, 0)
            self.count(assembly, process, wire.THREAD_WAITS, first, 1200, first + 2, 0, 0)
            self.count(assembly, process, wire.NOW, 2000 + 1000 * process, 0, 0, 0, 0)
        return assembly, base

    def test_each_thing_is_its_own_process(self) -> None:
        run = run_of(self.served()[0])
        assert run.processes == 2
        assert [track.process for track in run.tracks] == [0, 0, 3, 3]
        assert [(one.index, one.process) for one in run.resources] == [(0, 0), (1, 3)]
        for track, resource in ((0, 0), (2, 1)):
            waited = run.tracks[track].spans[-1].wait
            assert (waited.reason, waited.resource) == ("semaphore", resource)
            assert [slot.track for slot in run.resources[resource].slots] == [track + 1]
        assert [one.site.file for one in run.resources if one.site] == ["file0.py", "file3.py"]

    def test_one_that_is_gone_has_nothing_after_that(self) -> None:
        assembly, _ = self.served()
        assembly.script.mark_gone(3)
        self.count(assembly, 0, wire.NOW, 9000, 0, 0, 0, 0)
        run = run_of(assembly)
        assert [track.end_ns for track in run.tracks] == [9000, 9000, 5000, 5000]
        assert [one.slots[0].end_ns for one in run.resources] == [9000, 5000]

    def test_who_woke_whom_within_a_process(self) -> None:
        assembly, base = self.served()
        self.tell(assembly, 3, ["Task", base + 2, "Task-1", "handle", None, None, None, 1000, base, False])
        self.count(assembly, 3, base + 2, 1300, 1400, 1500, wire.WAIT_DONE, base)
        run = run_of(assembly)
        (wake,) = run.wakes
        assert run.tracks[wake.waker].name == "MainThread" and run.tracks[wake.waker].process == 3
        assert run.tracks[wake.woken].function == "handle"

    def test_a_call_of_another_process_explains_no_slow_step(self) -> None:
        for caller, reason in ((3, "sleep"), (0, "")):
            assembly, base = self.served()
            first = base if caller else 0
            self.tell(assembly, caller, ["Call", first, "sleep", first, first])
            self.count(assembly, caller, wire.CALLED, -1, 10_000, 90_000, first, 0)
            self.tell(assembly, 3, ["SlowStep", -1, 10_000, 90_000, 80_000, 0, base, None, ""])
            (step,) = run_of(assembly).slow_steps
            assert step.reason == reason

    def test_tasks_are_left_pending_in_the_process_that_finished(self) -> None:
        for finished in (0, 3):
            assembly, base = self.served()
            for process, first in ((0, 0), (3, base)):
                self.tell(
                    assembly,
                    process,
                    ["Task", first + 2, "Task-1", "handle", None, None, None, 1000, first, False],
                )
            self.tell(assembly, finished, ["Finish", 6000])
            run = run_of(assembly)
            assert [run.tracks[left].process for left in run.left_pending] == [finished]
            assert assembly.script.finished is (finished == 0)

    def test_stuck_processes_are_known_once_all_others_have_answered(self) -> None:
        assembly, base = self.served()
        known = [assembly.standstill.is_known]
        one = ["MainThread", "serve", base, "while True: ...", 0, base, None, "", None, [], None, None, []]
        self.tell(assembly, 3, ["Stuck", [one], True, False])
        known.append(assembly.standstill.is_known)
        self.count(assembly, 3, wire.STUCK, 9000, 0, 0, 0, 0)
        known.append(assembly.standstill.is_known)
        assembly.script.mark_gone(0)
        known.append(assembly.standstill.is_known)
        assert known == [False, False, False, True]
        assert [one.name for one in run_of(assembly).stuck] == ["MainThread (Server-0)"]

    def test_a_note_says_whose_it_is(self) -> None:
        assembly, _ = self.served()
        self.tell(assembly, 0, ["Note", "It is late."])
        self.tell(assembly, 3, ["Note", "It is late."])
        assert run_of(assembly).notes == ("It is late.", "Server-0: It is late.")


def test_listeners_clock_is_that_of_the_process_behind() -> None:
    """What is reported of a lane must not lie in the past of the clock."""
    listener = Mock()
    assembly = Assembly(named=False, threshold_ns=10**8, listener=listener)
    assembly.script.add_process(1)
    heard = []
    for process, now_ns in (
        (0, 2_000_000_000),  # nothing was heard of the other one
        (1, 2_500_000_000),
        (1, 3_500_000_000),  # the first one is not waited for without end
        (0, 3_400_000_000),
    ):
        TestSeveralProcesses.count(assembly, process, wire.NOW, now_ns, 0, 0, 0, 0)
        heard.append(listener.clock.call_args.args[0] // 1_000_000)
    assembly.script.mark_gone(0)
    TestSeveralProcesses.count(assembly, 1, wire.NOW, 4_000_000_000, 0, 0, 0, 0)
    heard.append(listener.clock.call_args.args[0] // 1_000_000)
    assert heard == [2_000, 2_000, 3_500, 3_400, 4_000]


POOL_WORDS = [False, "`max_size`", "`async with`", "wait", "keep"]


def pool_events(*definitions: list[object], numbers: list[int]) -> Resource:
    """Task 0 makes pool 0 at 10; what comes of it."""
    made: list[list[object]] = [task(0, 0), task(1, 0), ["Resource", 0, "pool", 2, None]]
    made.append(["Pool", 0, "redis", 0, 10, *POOL_WORDS])
    run = fed(*made, *definitions, numbers=[*numbers, wire.NOW, 900, 0, 0, 0, 0])
    (pool,) = run.resources
    return pool


def taken(track: int, at_ns: int, connection: int) -> list[int]:
    return [wire.TAKEN, track, at_ns, 0, connection + 1, 0]


def given_back(track: int, at_ns: int, connection: int) -> list[int]:
    return [wire.GIVEN_BACK, track, at_ns, 0, connection + 1, 0]


def test_connections_of_a_pool_with_their_uses() -> None:
    pool = pool_events(
        ["Connection", 4, 0, 0, 20],
        ["ConnectionReady", 4, 30],
        ["Connection", 5, 0, 1, 40],
        ["ConnectionReady", 5, 45],
        ["ConnectionClosed", 5, 200, False, False],
        ["PoolClosed", 0, 40],
        ["PoolClosed", 0, 260],
        numbers=[
            *taken(0, 20, 4),
            *taken(1, 40, 5),
            *given_back(0, 50, 4),
            *taken(1, 60, 4),
            *given_back(1, 80, 4),
            *given_back(1, 90, 5),
        ],
    )
    assert (pool.name, pool.made_ns, pool.made_by, pool.limit) == ("redis", 10, 0, 2)
    assert pool.words == PoolWords(False, "`max_size`", "`async with`", "wait", "keep")
    assert pool.closed_ns == 260, "when it was closed last"
    first, second = pool.connections
    assert first == Connection(20, 30, None, 0, (Slot(0, 20, 50), Slot(1, 60, 80)))
    assert second == Connection(40, 45, 200, 1, (Slot(1, 40, 90),))
    assert sorted(pool.slots, key=lambda slot: slot.start_ns) == [
        Slot(0, 20, 50),
        Slot(1, 40, 90),
        Slot(1, 60, 80),
    ]


def test_connection_use_belongs_to_its_taker() -> None:
    pool = pool_events(
        ["Connection", 0, 0, 0, 20],
        ["Connection", 1, 0, 0, 20],
        numbers=[*taken(0, 20, 0), *taken(0, 25, 1), *given_back(1, 50, 1)],
    )
    assert [one.uses for one in pool.connections] == [(Slot(0, 20, 900),), (Slot(0, 25, 50),)]
    assert [one.kept for one in pool.connections] == [True, False]


def test_connection_taken_by_a_child_and_returned_by_its_parent() -> None:
    run = fed(
        task(0, 0),
        task(1, 5, parent=0),
        ["Resource", 0, "pool", 2, None],
        ["Pool", 0, "asyncpg", 0, 0, *POOL_WORDS],
        ["Connection", 0, 0, 1, 10],
        numbers=[*taken(1, 10, 0), *given_back(0, 50, 0)],
    )
    assert run.resources[0].slots == (Slot(0, 10, 50),)


@pytest.mark.parametrize(
    ("parents", "kept"),
    [
        ([0], [None]),
        ([1, 0], [1, None]),
        ([None, 2, 3, 1, 1], [None, 2, 3, None, 1]),
        ([4, 0, 9, None], [None, 0, None, None]),
    ],
)
def test_no_track_descends_from_itself(parents: list[int | None], kept: list[int | None]) -> None:
    """The file of such a run could not be read."""
    run = fed(*(task(index, 0, parent) for index, parent in enumerate(parents)))
    assert [track.parent for track in run.tracks] == kept
    assert loads(dumps(run)) == run


def test_connection_closed_while_held_is_kept_until_returned() -> None:
    closed: list[object] = ["ConnectionClosed", 0, 50, True, False]
    numbers = [*taken(0, 20, 0), *given_back(0, 50, 0)]
    (lost,) = pool_events(["Connection", 0, 0, 0, 20], closed, numbers=numbers).connections
    assert (lost.closed_ns, lost.kept) == (50, True)
    returned: list[object] = ["ConnectionReturned", 0]
    (back,) = pool_events(["Connection", 0, 0, 0, 20], closed, returned, numbers=numbers).connections
    assert (back.closed_ns, back.kept) == (50, False)


def test_task_that_queued_for_a_pool_has_no_connection_before() -> None:
    """A semaphore hands its slot over to who is woken; a pool's caller looks for a connection itself."""
    run = fed(
        task(0, 0),
        ["Resource", 0, "pool", 1, None],
        ["Pool", 0, "redis", 0, 0, *POOL_WORDS],
        ["Connection", 0, 0, 0, 5],
        ["Wait", 2, "connection pool", 3, 0, None, None, None],
        numbers=[0, 0, 0, 10, 2, -1, *taken(0, 95, 0), 0, 70, 90, 100, wire.WAIT_DONE, -1],
    )
    assert run.resources[0].slots == (Slot(0, 95, 100),)


# -- messages on their way --------------------------------------------------------------------------

BREW = wire.Task(1, "Task-1", "brew", None, 3, None, 5, 0, False)


@pytest.mark.parametrize(
    "wrong",
    [
        ["Nonsense", 1],
        ["Task", *BREW[:-1]],
        ["Task", *BREW, 0],
        ["Task", True, *BREW[1:]],
        ["Task", *BREW[:-1], 0],
        ["Site", 0, "tea.py", "7", "brew"],
        ["Result", 5],
        [],
        [[]],
    ],
)
def test_what_is_no_message_is_refused_also_the_second_time(wrong: list[object]) -> None:
    for _ in range(2):
        with pytest.raises((ValueError, TypeError, KeyError)):
            list(wire.messages(json.dumps([wrong]).encode()))
