"""Waits that were seen from outside, put into a thread's own record."""

from __future__ import annotations

from asyncdemo.model import Span, Spans, State, Wait
from asyncdemo.recording.assembly.spans import with_waits

SLEEP, UNKNOWN = Wait("sleep"), Wait("outside Python")


def spans(*parts: tuple[int, int, State]) -> Spans:
    made = Spans.of(
        Span(start, end, state, SLEEP if state is State.WAITING else Wait()) for start, end, state in parts
    )
    starts, states, waits, end = made.columns
    return Spans(starts, states, waits, end, (*made.causes, UNKNOWN))


def test_only_where_it_would_run() -> None:
    own = spans((0, 10, State.RUNNING), (10, 20, State.WAITING), (20, 40, State.RUNNING))
    unknown = len(own.causes) - 1
    seen = with_waits(own, [(5, 25, unknown), (30, 60, unknown)])
    assert [(span.start_ns, span.end_ns, span.state, span.wait) for span in seen] == [
        (0, 5, State.RUNNING, Wait()),
        (5, 10, State.WAITING, UNKNOWN),
        (10, 20, State.WAITING, SLEEP),
        (20, 25, State.WAITING, UNKNOWN),
        (25, 30, State.RUNNING, Wait()),
        (30, 40, State.WAITING, UNKNOWN),
    ]


def test_what_was_seen_before_and_after_says_nothing() -> None:
    own = spans((10, 20, State.RUNNING), (20, 30, State.WAITING))
    unknown = len(own.causes) - 1
    assert with_waits(own, [(0, 10, unknown), (20, 30, unknown), (30, 50, unknown)]) == own


def test_pieces_that_overlap_are_one_wait() -> None:
    own = spans((0, 50, State.RUNNING), (50, 60, State.WAITING))
    unknown = len(own.causes) - 1
    seen = with_waits(own, [(10, 30, unknown), (20, 40, unknown)])
    assert [(span.start_ns, span.end_ns) for span in seen if span.wait == UNKNOWN] == [(10, 40)]
