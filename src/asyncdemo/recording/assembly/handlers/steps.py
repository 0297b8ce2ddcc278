"""The steps of tasks, and all other events that travel as numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from asyncdemo.capture import wire
from asyncdemo.model import State
from asyncdemo.recording.assembly.handlers import blocking, resources, stuck, tracks
from asyncdemo.recording.assembly.spans import SpansBuilder, StepSum
from asyncdemo.recording.assembly.state import AssemblyState, NumberHandlers

_NOTHING = (wire.NOW, wire.STUCK, wire.OFF_CPU, wire.ENDED)
_STATES = tuple(State)
_BY_EVENTS = (wire.BY_IO, wire.BY_TIMER)


def take_numbers(state: AssemblyState, events: Iterator[tuple[int, ...]]) -> None:
    """Handle events. Most are steps of tasks, so the code for those is written out here, for speed."""
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
        if not before_ns <= start_ns <= end_ns:  # no process sends that, but garbage on the line may
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
            state.live_feed.stepped(index, ready_ns, start_ns, end_ns, _STATES[spent], reason)
    state.events += count
    state.coarsening.recorded(count)


def _without_track(state: AssemblyState, index: int, steps: int = 1) -> None:
    """Count steps that arrive after their task was summed up. Raise KeyError if that is impossible."""
    if not state.summing:
        raise KeyError(index)
    state.summing.late_steps += steps


def _summed(state: AssemblyState, index: int, end_ns: int, steps: int, running_ns: int, wait: int) -> None:
    spent, cause = state.waits[wait]
    waits, index = divmod(index, 1 << wire.WAITS_SHIFT)
    one = state.sums[index] = StepSum(end_ns, steps, running_ns, spent, cause, waits)
    _add_if_whole(state, index, one)


def _waited(state: AssemblyState, index: int, wait: int, waker: int, length_ns: int, *_: int) -> None:
    one = state.sums[index]
    spent, cause = state.waits[wait]
    if spent == State.WAITING and (waker >= 0 or waker in _BY_EVENTS):
        cause = _completed_cause(state, cause, waker)
    one.add(spent, cause, length_ns)
    one.to_come -= 1
    _add_if_whole(state, index, one)


def _add_if_whole(state: AssemblyState, index: int, one: StepSum) -> None:
    if one.to_come > 0:
        return
    ledger = state.ledger
    del state.sums[index]
    track = ledger.tracks.get(index)
    if track is None:
        _without_track(state, index, one.steps)
    elif one.steps:
        for start_ns, spent, cause in state.coarsening.add(track, one):
            state.live_feed.changed(index, start_ns, _STATES[spent], ledger.causes[cause].reason)
        ledger.starved.pop(index, None)
        state.events += one.steps


def _complete_cause(state: AssemblyState, spans: SpansBuilder, waker: int) -> None:
    """Complete the cause of a wait: who or what ended it may show what it was for."""
    wait = spans.waiting_for
    if wait < 0:
        return
    completed = _completed_cause(state, wait, waker)
    if completed != wait:
        spans.recause(completed)


def _completed_cause(state: AssemblyState, wait: int, waker: int) -> int:
    known = state.completed.get((wait, waker))
    if known is None:
        known = state.completed[wait, waker] = _newly_completed(state, wait, waker)
    return known


def _newly_completed(state: AssemblyState, wait: int, waker: int) -> int:
    causes = state.ledger.causes
    cause = causes[wait]
    if wait in state.ledger.item_waits or cause.on is not None or cause.reason not in wire.WOKEN_BY_LANES:
        return wait
    if waker >= 0:
        return causes.index(replace(cause, on=waker))
    if cause.reason != "future":
        return wait
    return causes.index(replace(cause, reason="i/o" if waker == wire.BY_IO else "timer"))


_NUMBERS: NumberHandlers = {
    **tracks.NUMBERS,
    **blocking.NUMBERS,
    **resources.NUMBERS,
    **stuck.NUMBERS,
    wire.SUMMED: _summed,
    wire.WAITED: _waited,
}
