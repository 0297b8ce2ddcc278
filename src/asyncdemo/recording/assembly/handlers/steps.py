"""The steps of tasks, and all other events that travel as numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from asyncdemo.capture import wire
from asyncdemo.model import State
from asyncdemo.recording.assembly.handlers import blocking, resources, stuck, tracks
from asyncdemo.recording.assembly.spans import SpansBuilder
from asyncdemo.recording.assembly.state import AssemblyState, NumberHandlers

__all__ = ["take_numbers"]

_WOKEN_BY_LANES = frozenset(
    {"event", "condition", "barrier", "empty queue", "queue.join", "future", "taskgroup", "gather", "tasks"}
)
"""Waits that another lane may end: who did is known from the wake."""

_NOTHING = (wire.NOW, wire.STUCK, wire.OFF_CPU)
_STATES = tuple(State)
_BY_EVENTS = (wire.BY_IO, wire.BY_TIMER)

_NUMBERS: NumberHandlers = {
    **tracks.NUMBERS,
    **blocking.NUMBERS,
    **resources.NUMBERS,
    **stuck.NUMBERS,
}


def take_numbers(state: AssemblyState, events: Iterator[tuple[int, ...]]) -> None:
    """Most of them are steps of tasks; what is done for every one of those stands here, in one piece."""
    ledger, waits, heard = state.ledger, state.waits, state.heard
    tracks, starved, add_wake = ledger.tracks, ledger.starved, ledger.wakes.add
    count = 0
    for index, ready_ns, start_ns, end_ns, wait, waker in events:
        count += 1
        if index < 0:
            count -= index in _NOTHING
            _NUMBERS[index](state, ready_ns, start_ns, end_ns, wait, waker)
            continue
        track = tracks.get(index)
        if track is None:
            _without_track(state, index)
            continue
        before_ns = track.ended_ns
        if not before_ns <= start_ns <= end_ns:  # no process tells that; garbage on the line may
            start_ns = max(start_ns, before_ns)
            end_ns = max(start_ns, end_ns)
        ready_ns = max(ready_ns, before_ns)
        ready_ns = min(ready_ns, start_ns)
        if waker != index:
            if waker >= 0:
                add_wake(ready_ns, waker, index)
                _complete_cause(state, track.spans, waker)
            elif waker in _BY_EVENTS:
                _complete_cause(state, track.spans, waker)
        if track.handed:
            for held in track.handed:
                held.start_ns = ready_ns
            track.handed.clear()
        spent, cause = waits[wait]
        track.spans.add_step(ready_ns, start_ns, end_ns, spent, cause)
        if starved and index in starved:
            del starved[index]
        track.ended_ns = end_ns
        track.steps += 1
        if cause in ledger.item_waits:
            track.waits_for_items = True
        if heard:
            reason = ledger.causes[cause].reason
            state.feed.stepped(index, ready_ns, start_ns, end_ns, _STATES[spent], reason)
    state.events += count
    state.coarsening.recorded(count)


def _without_track(state: AssemblyState, index: int) -> None:
    """A task's step may come after the task was summed up. Raises KeyError if that cannot be."""
    if not state.summing:
        raise KeyError(index)
    state.summing.late_steps += 1


def _complete_cause(state: AssemblyState, spans: SpansBuilder, waker: int) -> None:
    """Who ended a wait, or what did, may tell what it was for."""
    wait = spans.waiting_for
    if wait < 0:
        return
    completed = state.completed.get((wait, waker))
    if completed is None:
        completed = state.completed[wait, waker] = _completed_cause(state, wait, waker)
    if completed != wait:
        spans.recause(completed)


def _completed_cause(state: AssemblyState, wait: int, waker: int) -> int:
    causes = state.ledger.causes
    cause = causes[wait]
    if wait in state.ledger.item_waits or cause.on is not None or cause.reason not in _WOKEN_BY_LANES:
        return wait
    if waker >= 0:
        return causes.index(replace(cause, on=waker))
    if cause.reason != "future":
        return wait
    return causes.index(replace(cause, reason="i/o" if waker == wire.BY_IO else "timer"))
