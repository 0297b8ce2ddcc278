"""Tasks, threads and their lanes: start, end, what they wait for. Not here: their steps (see ``steps``)."""

from __future__ import annotations

from asyncdemo.capture import wire
from asyncdemo.model import LOOPS, Outcome, Site, State, TrackKind, Unawaited, Uncaught, Wait
from asyncdemo.recording.assembly.records import LaneRecord, TrackRecord
from asyncdemo.recording.assembly.sequences import Pause
from asyncdemo.recording.assembly.state import AssemblyState, MessageHandlers, NumberHandlers

_STATES = tuple(State)
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


def site(state: AssemblyState, message: wire.Site) -> None:
    state.ledger.sites[message.site] = Site(message.file, message.line, message.function)


def wait(state: AssemblyState, message: wire.Wait) -> None:
    ledger, place = state.ledger, state.ledger.site(message.site)
    if message.item is None:
        cause = ledger.causes.index(Wait(message.reason, message.resource, message.on, site=place))
    else:
        # One cause per item, even if they look the same: each is split where its own item starts.
        cause = ledger.causes.add(Wait(message.reason, site=place))
        ledger.item_waits[cause] = message.item
    state.waits[message.wait] = int(State(message.state)), cause


def task(state: AssemblyState, message: wire.Task) -> None:
    track = _made(state, TrackKind.TASK, message)
    track.own, track.thread = message.own, message.thread
    state.ledger.refer(message.parent)
    state.live_feed.task_made(message.track, track)


def task_group(state: AssemblyState, message: wire.TaskGroup) -> None:
    state.ledger.refer(message.parent)
    _, function, outcome, parent, thread, site = message
    if state.summing is not None:
        state.summing.know(message.group, (function, Outcome(outcome), parent, thread, site))


def thread(state: AssemblyState, message: wire.Thread) -> None:
    track = _made(state, TrackKind.THREAD, message)
    track.own = message.function in _OWN_THREADS
    state.live_feed.thread_made(message.track, track)


def _made(state: AssemblyState, kind: TrackKind, message: wire.Task | wire.Thread) -> TrackRecord:
    track = state.ledger.tracks[message.track] = TrackRecord(
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
    return track


def runs(state: AssemblyState, message: wire.Runs) -> None:
    state.ledger.tracks[message.track].spans.add(message.at_ns, State.RUNNING)


def end(state: AssemblyState, message: wire.End) -> None:
    index, at_ns, outcome, error, cpu_ns, name = message
    track = state.ledger.tracks[index]
    track.error, track.cpu_ns, track.name = error, cpu_ns, name or track.name
    _end(state, index, at_ns, Outcome(outcome))


def _end(state: AssemblyState, index: int, at_ns: int, outcome: Outcome) -> None:
    track = state.ledger.tracks[index]
    track.closed_ns, track.outcome = at_ns, outcome
    if state.summing is not None:
        state.summing.ended(index, track)
    state.live_feed.track_closed(index, at_ns, outcome)


def destroyed(state: AssemblyState, message: wire.Destroyed) -> None:
    track = state.ledger.tracks.get(message.track)
    if track is not None and track.closed_ns is None:
        track.closed_ns = message.at_ns
        state.ledger.pending.add(message.track)


def pending(state: AssemblyState, message: wire.Pending) -> None:
    state.ledger.pending.update(message.tracks)


def lane(state: AssemblyState, message: wire.Lane) -> None:
    index, track, name, function, at_ns = message
    state.ledger.lanes[index] = LaneRecord(name, function, track, at_ns)
    state.live_feed.call_opened(index, track, name, at_ns)


def lane_end(state: AssemblyState, message: wire.LaneEnd) -> None:
    index, at_ns, outcome, result, error = message
    closed = state.ledger.lanes[index]
    closed.end_ns, closed.outcome, closed.result, closed.error = at_ns, Outcome(outcome), result, error
    state.live_feed.call_closed(index, closed.track, at_ns, closed.outcome)


def pause(state: AssemblyState, message: wire.Pause) -> None:
    state.ledger.refer(message.track)
    chain = tuple((serial, state.ledger.site(place)) for serial, place in message.places)
    state.ledger.pauses.append(Pause(message.track, message.start_ns, message.end_ns, chain))


def unawaited(state: AssemblyState, message: wire.Unawaited) -> None:
    place = state.ledger.site(message.site)
    state.ledger.unawaited.append(Unawaited(message.function, message.at_ns, place))


def uncaught(state: AssemblyState, message: wire.Uncaught) -> None:
    error, text, in_group, own, raised_in, site = message
    place = state.ledger.site(site)
    state.ledger.uncaught.append(Uncaught(error, text, in_group, own, raised_in, place))


# -- numbers --------------------------------------------------------------------------------------


def thread_waits(state: AssemblyState, index: int, at_ns: int, wait: int, *_: int) -> None:
    ledger = state.ledger
    track = ledger.tracks[index]
    number, cause = state.waits[wait]
    spent = _STATES[number]
    track.spans.add(at_ns, spent, cause)
    if cause in ledger.item_waits:
        track.waits_for_items = True
    reason = ledger.causes[cause].reason
    if reason in LOOPS:
        track.hosts_loop = True
    state.live_feed.thread_waits(index, at_ns, spent, reason)


def thread_runs(state: AssemblyState, index: int, at_ns: int, *_: int) -> None:
    state.ledger.tracks[index].spans.add(at_ns, State.RUNNING)
    state.live_feed.changed(index, at_ns, State.RUNNING, "")


def ended(state: AssemblyState, index: int, at_ns: int, cancelled: int, *_: int) -> None:
    _end(state, index, at_ns, Outcome.CANCELLED if cancelled else Outcome.RETURNED)


def task_summed(
    state: AssemblyState, group: int, start_ns: int, end_ns: int, running_ns: int, waiting_ns: int
) -> None:
    steps, group = divmod(group, 1 << wire.WAITS_SHIFT)
    if state.summing is not None:
        state.summing.add(group, start_ns, end_ns, running_ns, waiting_ns, steps)


def off_cpu(state: AssemblyState, index: int, start_ns: int, end_ns: int, wait: int, *_: int) -> None:
    track = state.ledger.tracks[index]
    number, cause = state.waits[wait]
    pieces = track.off_cpu
    if pieces and pieces[-1][1:] == (start_ns, cause):  # it continued
        pieces[-1] = pieces[-1][0], end_ns, cause
    else:
        pieces.append((start_ns, end_ns, cause))
    growing = track.spans.state
    if growing is not None and growing[1] is State.RUNNING and growing[0] <= start_ns:
        state.live_feed.thread_waits(index, start_ns, _STATES[number], state.ledger.causes[cause].reason)
        state.live_feed.changed(index, end_ns, State.RUNNING, "")


HANDLERS: MessageHandlers = {
    wire.Site: site,
    wire.Wait: wait,
    wire.Task: task,
    wire.TaskGroup: task_group,
    wire.Thread: thread,
    wire.Runs: runs,
    wire.End: end,
    wire.Destroyed: destroyed,
    wire.Pending: pending,
    wire.Lane: lane,
    wire.LaneEnd: lane_end,
    wire.Pause: pause,
    wire.Unawaited: unawaited,
    wire.Uncaught: uncaught,
}
NUMBERS: NumberHandlers = {
    wire.THREAD_WAITS: thread_waits,
    wire.THREAD_RUNS: thread_runs,
    wire.OFF_CPU: off_cpu,
    wire.ENDED: ended,
    wire.TASK_SUMMED: task_summed,
}
