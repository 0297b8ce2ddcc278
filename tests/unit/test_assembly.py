"""Events become a run, whatever arrives: in order, out of order, cut off, or not making sense."""

from __future__ import annotations

import contextlib
import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asyncdemo.assembly import Assembly
from asyncdemo.capture import wire
from asyncdemo.diagnose import diagnose
from asyncdemo.metrics import measure
from asyncdemo.model import Run, RunOutcome, State

SMALL = st.integers(-2, 6)
TIME = st.integers(0, 10**10)
ODD = st.one_of(st.none(), SMALL, st.integers(-(2**63), 2**63 - 1), st.text(max_size=3), st.booleans())

DEFINITIONS = {
    "task": st.tuples(
        SMALL,
        st.just("Task"),
        st.just("work"),
        st.none(),
        st.none(),
        st.none() | SMALL,
        TIME,
        st.none(),
        st.booleans(),
    ),
    "thread": st.tuples(SMALL, st.just("T"), st.just("work"), st.none(), st.none(), st.none() | SMALL, TIME),
    "runs": st.tuples(SMALL, TIME),
    "end": st.tuples(
        SMALL, TIME, st.sampled_from(["returned", "raised", "cancelled"]), st.none(), st.none(), st.none()
    ),
    "destroyed": st.tuples(SMALL, TIME),
    "pending": st.tuples(st.lists(SMALL, max_size=3)),
    "wait": st.tuples(
        st.integers(2, 6),
        st.sampled_from(["sleep", "task", "event", "semaphore", "thread", "event loop"]),
        st.sampled_from([2, 3]),
        st.none() | SMALL,
        st.none() | SMALL,
        st.none() | SMALL,
    ),
    "resource": st.tuples(
        SMALL,
        st.sampled_from(["semaphore", "lock", "queue", "executor"]),
        st.none() | st.integers(0, 3),
        st.none(),
    ),
    "lane": st.tuples(SMALL, SMALL, st.just("work(1)"), st.just("work"), TIME),
    "lane-end": st.tuples(
        SMALL, TIME, st.sampled_from(["returned", "raised"]), st.none() | st.just("1"), st.none()
    ),
    "stuck": st.tuples(
        st.lists(
            st.tuples(
                st.text(max_size=3),
                st.text(max_size=3),
                st.none() | SMALL,
                st.text(max_size=3),
                st.integers(0, 3),
            ),
            max_size=2,
        )
    ),
    "slow": st.tuples(SMALL, TIME, TIME, st.none() | TIME, TIME, st.none(), st.none()),
    "call": st.tuples(SMALL, st.just("sleep"), st.none(), st.none()),
    "pause": st.tuples(SMALL, TIME, TIME, st.lists(st.tuples(SMALL, st.none()), max_size=3)),
    "unawaited": st.tuples(st.just("work"), TIME, st.none()),
    "note": st.tuples(st.text(max_size=5)),
    "clock": st.tuples(st.sampled_from(["real", "virtual"]), st.just("of this")),
    "finish": st.tuples(TIME),
}


def _named(definition: tuple[str, tuple[object, ...]]) -> list[object]:
    name, arguments = definition
    return [name, *arguments]


one_definition = st.one_of(
    *(st.tuples(st.just(name), arguments).map(_named) for name, arguments in DEFINITIONS.items()),
    st.lists(ODD, max_size=5),
)
one_number = st.one_of(
    st.tuples(st.integers(0, 4), TIME, TIME, TIME, st.integers(0, 6), st.integers(-4, 4)),
    st.tuples(st.integers(-11, -1), TIME | SMALL, TIME | SMALL, TIME | SMALL, SMALL, SMALL),
    st.tuples(*[st.integers(-(2**63), 2**63 - 1)] * 6),
)
one_frame = st.one_of(
    st.lists(one_definition, max_size=6).map(lambda d: (wire.DEFINITIONS, json.dumps(d).encode())),
    st.lists(one_number, max_size=6).map(
        lambda rows: (wire.NUMBERS, wire.numbers_frame([n for row in rows for n in row])[5:])
    ),
    st.tuples(st.sampled_from([wire.NUMBERS, wire.DEFINITIONS, b"?"]), st.binary(max_size=60)),
)


def run_of(assembly: Assembly) -> Run:
    return assembly.run(name="n", script="s.py", argv=(), outcome=RunOutcome.OK, exit_code=0)


@settings(max_examples=300, deadline=None)
@given(frames=st.lists(one_frame, max_size=12), named=st.booleans())
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
    diagnose(run)


@settings(max_examples=100, deadline=None)
@given(data=st.binary(max_size=200), cuts=st.lists(st.integers(1, 50), max_size=10))
def test_any_bytes_are_frames_or_a_clear_error_however_they_are_cut(data: bytes, cuts: list[int]) -> None:
    reader = wire.FrameReader()
    start = 0
    with contextlib.suppress(ValueError):  # the clear error
        for length in [*cuts, len(data)]:
            for _ in reader.feed(data[start : start + length]):
                pass
            start += length


def fed(*definitions: list[object], numbers: list[int] | None = None, named: bool = False) -> Run:
    assembly = Assembly(named=named, threshold_ns=50_000_000)
    assembly.feed(wire.DEFINITIONS, json.dumps(definitions).encode())
    if numbers:
        assembly.feed(wire.NUMBERS, wire.numbers_frame(numbers)[5:])
    return run_of(assembly)


def task(index: int, at_ns: int, parent: int | None = None) -> list[object]:
    return ["task", index, f"Task-{index}", "work", None, None, parent, at_ns, None, False]


def test_steps_become_ready_running_and_waiting() -> None:
    run = fed(
        task(0, 100),
        ["wait", 2, "sleep", 2, None, None, None],
        ["end", 0, 930, "returned", None, None, "named late"],
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
        ["wait", 2, "event", 2, None, None, None],
        numbers=[0, 0, 0, 10, 2, -1, 1, 0, 10, 50, wire.WAIT_DONE, -1, 0, 40, 50, 60, wire.WAIT_DONE, 1],
    )
    waited = next(span for span in run.lanes[0].spans if span.wait.reason == "event")
    assert waited.wait.on == 1
    assert [(wake.at_ns, wake.waker, wake.woken) for wake in run.wakes] == [(40, 1, 0)]


def test_a_slot_given_back_by_another_is_the_one_held_longest() -> None:
    run = fed(
        task(0, 0),
        task(1, 0),
        ["resource", 0, "semaphore", 2, None],
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
    run = fed(task(0, 0), ["resource", 0, "executor", 2, None], numbers=numbers)
    assert sorted((slot.start_ns, slot.end_ns) for slot in run.resources[0].slots) == [
        (0, 100),
        (0, 150),
        (100, 220),
        (150, 260),
    ]


@pytest.mark.parametrize(
    "definition",
    [
        ["nonsense"],
        ["task"],
        ["end", 5, 0, "returned", None, None, None],
        ["wait", 2, "x", 9, None, None, None],
        [],
    ],
)
def test_events_that_make_no_sense_are_refused(definition: list[object]) -> None:
    with pytest.raises(ValueError, match=r"makes no sense"):
        fed(definition)
