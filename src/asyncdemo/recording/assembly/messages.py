"""What each message of the traced process means for the run.

To add a message, add a NamedTuple to ``capture.wire`` and a case here; mypy finds one that has none.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, assert_never

from asyncdemo.capture import wire
from asyncdemo.model import (
    Clock,
    Connection,
    Delay,
    Outcome,
    PoolWords,
    ResourceKind,
    Site,
    SlowStep,
    State,
    TrackKind,
    Unawaited,
    Uncaught,
    Wait,
)
from asyncdemo.recording.assembly import standstill
from asyncdemo.recording.assembly.records import Held, LaneRecord, ResourceRecord, TrackRecord
from asyncdemo.recording.assembly.sequences import Pause

if TYPE_CHECKING:
    from asyncdemo.recording.assembly.assembly import Assembly

_OWN_THREADS = frozenset(
    {
        "BaseEventLoop._do_shutdown",
        "ThreadedChildWatcher._do_waitpid",
        "_ThreadedChildWatcher._do_waitpid",
        "_ExecutorManagerThread.run",
        "Queue._feed",
    }
)
"""Threads that asyncio and the executors start for their own use: not rows of the timeline."""
_RECENT = 20


def handle(state: Assembly, message: wire.Message) -> None:
    """Change the assembly. The most frequent messages come first, and are unpacked as tuples, for speed.

    Raise ValueError, KeyError or the like if the message makes no sense.
    """
    match message:
        case wire.Task():
            track = _made(state, TrackKind.TASK, message)
            track.own, track.thread = message.own, message.thread
            state.live_feed.task_made(message.track, track)
        case wire.End():
            index, at_ns, outcome, error, cpu_ns, name = message
            track = state.tracks[index]
            track.error, track.cpu_ns, track.name = error, cpu_ns, name or track.name
            state.end(index, at_ns, Outcome(outcome))
        case wire.Lane():
            lane, index, name, function, at_ns = message
            state.lanes[lane] = LaneRecord(name, function, index, at_ns)
            state.live_feed.call_opened(lane, index, name, at_ns)
        case wire.LaneEnd():
            lane, at_ns, outcome, result, error = message
            closed = state.lanes[lane]
            closed.end_ns, closed.outcome = at_ns, Outcome(outcome)
            closed.result, closed.error = result, error
            state.live_feed.call_closed(lane, closed.track, at_ns, closed.outcome)
        case wire.Wait():
            _wait(state, message)
        case wire.Site(index, file, line, function):
            state.sites[index] = Site(file, line, function)
        case wire.Pause(index, start_ns, end_ns, calls):
            chain = tuple((serial, state.site(place)) for serial, place in calls)
            state.pauses.append(Pause(index, start_ns, end_ns, chain))
        case wire.SlowStep(index, start_ns, end_ns, cpu_ns, stolen_ns, site, called_from):
            state.begun.pop(start_ns, None)
            places = state.site(site), state.site(called_from)
            step = SlowStep(index if index >= 0 else None, start_ns, end_ns, cpu_ns, stolen_ns, *places)
            state.slow_steps[state.process.number].append(step)
        case wire.Call(call, reason, site, called_from):
            state.calls[call] = reason, state.site(site), state.site(called_from)
        case wire.Handling():
            state.requests.handling(*message)
        case wire.Handled():
            state.requests.handled(*message)
        case wire.Accepted(port, at_ns):
            state.requests.accepted[port].append(at_ns)
            state.accepting.add(state.process.number)
        case wire.Resource(index, kind, limit, site):
            record = ResourceRecord(ResourceKind(kind), limit, state.site(site), state.process)
            state.resources[index] = record
        case wire.Pool():
            pool = state.resources[message.resource]
            pool.name, pool.made_by, pool.made_ns = message.name, message.track, message.at_ns
            pool.words = PoolWords(*message[4:])
        case wire.PoolClosed(index, at_ns):
            state.resources[index].closed_ns = at_ns
        case wire.PoolRefused(index, track_index, asked_ns, at_ns):
            state.resources[index].refused.append(Held(track_index, asked_ns, at_ns))
        case wire.Connection(connection, index, track_index, at_ns):
            state.resources[index].connections.append(connection)
            state.connections[connection] = Connection(at_ns, track=track_index)
        case wire.ConnectionReady(connection, at_ns):
            _change(state, connection, ready_ns=at_ns)
        case wire.ConnectionReturned(connection):
            _change(state, connection, kept=False)
        case wire.ConnectionClosed(connection, at_ns, held, dropped):
            # if it was in use then, it may still be given back
            _change(state, connection, closed_ns=at_ns, kept=held, dropped=dropped)
        case wire.Thread(track=index, function=function):
            track = _made(state, TrackKind.THREAD, message)
            track.own = function in _OWN_THREADS
            state.live_feed.thread_made(index, track)
        case wire.Runs(index, at_ns):
            state.tracks[index].spans.add(at_ns, State.RUNNING)
        case wire.TasksCounted(function, outcome, error, count):
            if not state.named:  # else the calls are the lanes, and each of them was reported
                state.window.count(function, Outcome(outcome), error, count)
        case wire.Destroyed(index, at_ns):
            destroyed = state.tracks.get(index)
            if destroyed is not None and destroyed.closed_ns is None:
                destroyed.closed_ns = at_ns
                state.pending.add(index)
        case wire.Pending(tracks):
            state.pending.update(tracks)
        case wire.Unawaited(function, at_ns, site):
            state.unawaited.append(Unawaited(function, at_ns, state.site(site)))
        case wire.Uncaught(error, text, in_group, own, raised_in, site):
            state.uncaught.append(Uncaught(error, text, in_group, own, raised_in, state.site(site)))
        case wire.Blocked():
            _blocked(state, message)
        case wire.Stuck(who, idle, alarms):
            # What they were doing is known once the numbers have reached that moment.
            state.answers[state.process.number] = standstill.reported_stuck(state, who)
            state.idle[state.process.number] = idle
            state.alarms[state.process.number] = alarms
        case wire.Refused(text):
            state.refused = text
        case wire.Invalid(text):
            state.invalid = text
        case wire.Ready(python, knobs, kind):
            state.python, state.knobs, state.clock = python, knobs, Clock(kind)
            state.ready = True
        case wire.Process(_, _, name):
            state.process.name = name
        case wire.Code():
            state.code = message._asdict()
        case wire.Start(at_ns):
            state.start_ns = state.now_ns = state.live_feed.origin_ns = at_ns
        case wire.Finish(at_ns):
            state.process.finished = True
            state.advance(state.process, at_ns)
        case wire.Forked():
            state.process.forks += 1
        case wire.Cut(at_ns):
            # It stopped sending because we read too slowly. Everything until then has arrived.
            state.advance(state.process, at_ns)
            since_s = (at_ns - state.live_feed.origin_ns) / 1e9
            state.stop(state.process.number, f"after {since_s:.2f} s: asyncdemo stopped reading the events")
        case wire.Note(text):
            _note(state, text)
        case wire.HookFailed(hook, why, at_ns, switched_off):
            what = f"`{hook}` was not recorded" if switched_off else f"`{hook}` was recorded only in part"
            since_s = max(at_ns - state.start_ns, 0) / 1e9
            _note(
                state,
                f"From {since_s:.2f} s on, {what}, because the tracer's hook there failed ({why}). "
                "The script was not affected, and everything else was recorded.",
            )
            state.incomplete = state.incomplete or state.notes[-1]
        case wire.Clock(kind, why):
            if state.clock is not Clock(kind):
                state.notes.append(f"Time is real, not virtual, because {why}.")
            state.clock = Clock(kind)
        case wire.Delay():
            state.delays.append(Delay(*message))
        case wire.Result(literal):
            state.result = literal
        case wire.Hello():
            pass  # its token was checked when the process connected
        case _:
            assert_never(message)


def _made(state: Assembly, kind: TrackKind, message: wire.Task | wire.Thread) -> TrackRecord:
    track = state.tracks[message.track] = TrackRecord(
        kind,
        message.at_ns,
        state.process,
        ended_ns=message.at_ns,
        name=message.name,
        function=message.function,
        site=message.site,
        created_at=message.created,
        parent=message.parent,
    )
    track.spans.add(message.at_ns, State.READY)
    state.window.add_track()
    return track


def _wait(state: Assembly, message: wire.Wait) -> None:
    place = state.site(message.site)
    if message.item is None:
        cause = state.causes.index(Wait(message.reason, message.resource, message.on, site=place))
    else:
        # One cause per item, even if they look the same: each is split where its own item starts.
        cause = state.causes.add(Wait(message.reason, site=place))
        state.item_waits[cause] = message.item
    state.waits[message.wait] = int(State(message.state)), cause


def _change(state: Assembly, connection: int, **changes: Any) -> None:
    state.connections[connection] = replace(state.connections[connection], **changes)


def _blocked(state: Assembly, message: wire.Blocked) -> None:
    """Record a step in progress, and who waits for its end: the run may end before it does."""
    index, since_ns, now_ns, site, called_from, reason, starved = message
    if any(step.start_ns == since_ns for step in state.slow_steps[state.process.number][-_RECENT:]):
        return  # the step ended before this could be reported
    place, caller = state.site(site), state.site(called_from)
    known = index if index in state.tracks else None
    if known is not None and since_ns not in state.begun:
        state.live_feed.changed(known, since_ns, State.RUNNING, "")
    state.begun[since_ns] = SlowStep(known, since_ns, now_ns, None, 0, place, caller, reason)
    for waiting, ready_ns in starved:
        if waiting in state.tracks and waiting not in state.starved:
            state.starved[waiting] = max(ready_ns, state.tracks[waiting].ended_ns)
            state.live_feed.changed(waiting, state.starved[waiting], State.READY, "")
    state.live_feed.blocked(since_ns, now_ns, place, caller)


def _note(state: Assembly, text: str) -> None:
    state.notes.append(f"{state.process.title}: {text}" if state.process.number else text)
