"""What the events mean that travel as numbers: mostly the steps of tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from asyncdemo.capture import wire
from asyncdemo.model import LOOPS, BlockingCall, Outcome, State, TrackKind
from asyncdemo.recording.assembly import standstill
from asyncdemo.recording.assembly.records import Held, Item
from asyncdemo.recording.assembly.spans import SpansBuilder

if TYPE_CHECKING:
    from asyncdemo.recording.assembly.assembly import Assembly

_NOTHING = (wire.NOW, wire.STUCK, wire.OFF_CPU, wire.ENDED)
_STATES = tuple(State)
_BY_EVENTS = (wire.BY_IO, wire.BY_TIMER)
_LATE_NS = 1_000_000_000
"""A process that has sent nothing for this long is not waited for."""


def take_numbers(state: Assembly, events: Iterator[tuple[int, ...]]) -> None:
    """Handle events. Most are steps of tasks, so the code for those is written out here, for speed."""
    waits, has_listener = state.waits, state.has_listener
    tracks, starved, add_wake = state.tracks, state.starved, state.wakes.add
    count = 0
    for index, ready_ns, start_ns, end_ns, wait, waker in events:
        count += 1
        if index < 0:
            count -= index in _NOTHING
            _NUMBERS[index](state, ready_ns, start_ns, end_ns, wait, waker)
            continue
        track = tracks.get(index)
        if track is None:
            state.window.count_late_step(index)
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
        if cause in state.item_waits:
            track.waits_for_items = True
        if has_listener:
            reason = state.causes[cause].reason
            state.live_feed.stepped(index, ready_ns, start_ns, end_ns, _STATES[spent], reason)
    state.events += count
    state.window.add_steps(count)


def _gap(state: Assembly, since_ns: int, until_ns: int, steps: int, *_: int) -> None:
    state.gaps[state.process.number, since_ns] = until_ns, steps
    state.events += 1


def _unseen(state: Assembly, index: int, since_ns: int, *_: int) -> None:
    track = state.tracks.get(index)
    if track is not None:  # else it was done, and too long ago to be kept
        track.spans.add_unseen(since_ns)
        track.ended_ns = max(track.ended_ns, since_ns)
        state.live_feed.changed(index, since_ns, State.UNKNOWN, "")


def _complete_cause(state: Assembly, spans: SpansBuilder, waker: int) -> None:
    """Complete the cause of a wait: who or what ended it may show what it was for."""
    wait = spans.waiting_for
    if wait < 0:
        return
    completed = _completed_cause(state, wait, waker)
    if completed != wait:
        spans.recause(completed)


def _completed_cause(state: Assembly, wait: int, waker: int) -> int:
    known = state.completed.get((wait, waker))
    if known is None:
        known = state.completed[wait, waker] = _newly_completed(state, wait, waker)
    return known


def _newly_completed(state: Assembly, wait: int, waker: int) -> int:
    causes = state.causes
    cause = causes[wait]
    if wait in state.item_waits or cause.on is not None or cause.reason not in wire.WOKEN_BY_LANES:
        return wait
    if waker >= 0:
        return causes.index(replace(cause, on=waker))
    if cause.reason != "future":
        return wait
    return causes.index(replace(cause, reason="i/o" if waker == wire.BY_IO else "timer"))


def _thread_waits(state: Assembly, index: int, at_ns: int, wait: int, *_: int) -> None:
    track = state.tracks[index]
    number, cause = state.waits[wait]
    spent = _STATES[number]
    track.spans.add(at_ns, spent, cause)
    if cause in state.item_waits:
        track.waits_for_items = True
    reason = state.causes[cause].reason
    if reason in LOOPS:
        track.hosts_loop = True
    state.live_feed.thread_waits(index, at_ns, spent, reason)


def _thread_runs(state: Assembly, index: int, at_ns: int, *_: int) -> None:
    state.tracks[index].spans.add(at_ns, State.RUNNING)
    state.live_feed.changed(index, at_ns, State.RUNNING, "")


def _ended(state: Assembly, index: int, at_ns: int, cancelled: int, *_: int) -> None:
    state.end(index, at_ns, Outcome.CANCELLED if cancelled else Outcome.RETURNED)


def _off_cpu(state: Assembly, index: int, start_ns: int, end_ns: int, wait: int, *_: int) -> None:
    track = state.tracks[index]
    number, cause = state.waits[wait]
    seen = track.off_cpu
    if seen and seen[-1][1:] == (start_ns, cause):  # it continued
        seen[-1] = seen[-1][0], end_ns, cause
    else:
        seen.append((start_ns, end_ns, cause))
    growing = track.spans.state
    if growing is not None and growing[1] is State.RUNNING and growing[0] <= start_ns:
        state.live_feed.thread_waits(index, start_ns, _STATES[number], state.causes[cause].reason)
        state.live_feed.changed(index, end_ns, State.RUNNING, "")


def _taken(state: Assembly, index: int, at_ns: int, resource: int, connection: int, site: int) -> None:
    held = Held(index, at_ns, None, connection - 1 if connection else None, site - 1 if site else None)
    state.slots[resource].append(held)
    state.held[resource].append(held)
    track = state.tracks.get(index)
    growing = None if track is None else track.spans.state
    if track is None or growing is None or track.kind is not TrackKind.TASK or connection:
        return  # a pool hands nothing over: a woken task looks for a connection itself
    if growing[1] is State.QUEUED and state.causes[growing[2]].resource == resource:
        track.handed.append(held)


def _given_back(state: Assembly, index: int, at_ns: int, resource: int, connection: int, *_: int) -> None:
    """Close the slot of the track, or else of its child task, or else the one held longest.

    For a pool, the connection identifies the slot.
    """
    open_slots = state.held[resource]
    candidates = [h for h in open_slots if h.connection == connection - 1][:1] if connection else open_slots
    held = next((h for h in candidates if h.track == index), None)
    if held is None:
        held = next((h for h in candidates if _parent(state, h.track) == index), None)
        if held is not None:
            held.track = index  # before 3.12, wait_for takes it in its own task
    if held is None and candidates:
        held = candidates[0]
    if held is not None:
        held.end_ns = at_ns
        open_slots.remove(held)


def _parent(state: Assembly, index: int) -> int | None:
    track = state.tracks.get(index)
    return None if track is None else track.parent


def _level(state: Assembly, resource: int, at_ns: int, length: int, *_: int) -> None:
    state.levels[resource].append((at_ns, length))


def _item_queued(state: Assembly, item: int, at_ns: int, resource: int, submitter: int, *_: int) -> None:
    state.items[item] = Item(resource, submitter, at_ns)


def _item_started(state: Assembly, item: int, at_ns: int, worker: int, *_: int) -> None:
    if item in state.items:
        state.items[item].started_ns = at_ns
        state.items[item].worker = worker


def _item_done(state: Assembly, item: int, at_ns: int, *_: int) -> None:
    if item in state.items:
        state.items[item].done_ns = at_ns


def _called(state: Assembly, index: int, start_ns: int, end_ns: int, call: int, *_: int) -> None:
    reason, site, called_from = state.calls[call]
    made = BlockingCall(index if index >= 0 else None, start_ns, end_ns, reason, site, called_from)
    state.blocking_calls[state.process.number].append(made)


def _stuck_now(state: Assembly, at_ns: int, *_: int) -> None:
    process = state.process
    state.advance(process, at_ns)
    who = state.answers.pop(process.number)
    state.stuck[process.number] = [standstill.with_recorded_wait(state, stuck, cause) for stuck, cause in who]
    state.holdings[process.number] = standstill.holdings(state, process)


def _now(state: Assembly, at_ns: int, *_: int) -> None:
    state.advance(state.process, at_ns)
    state.process.numbers_ns = at_ns
    received = [process.now_ns for process in state.processes.values() if not process.gone]
    state.live_feed.clock(min((ns for ns in received if ns > at_ns - _LATE_NS), default=at_ns))


_NUMBERS: dict[int, Callable[[Assembly, int, int, int, int, int], None]] = {
    wire.THREAD_WAITS: _thread_waits,
    wire.THREAD_RUNS: _thread_runs,
    wire.OFF_CPU: _off_cpu,
    wire.ENDED: _ended,
    wire.GAP: _gap,
    wire.UNSEEN: _unseen,
    wire.TAKEN: _taken,
    wire.GIVEN_BACK: _given_back,
    wire.LEVEL: _level,
    wire.ITEM_QUEUED: _item_queued,
    wire.ITEM_STARTED: _item_started,
    wire.ITEM_DONE: _item_done,
    wire.CALLED: _called,
    wire.STUCK: _stuck_now,
    wire.NOW: _now,
}
"""By the first of the six numbers; called with the others."""
