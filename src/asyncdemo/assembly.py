"""Turns the events of a traced process into a ``Run``, as they arrive.

Knows what the events mean (``capture.wire`` lists them) and nothing of processes or sockets; what it
cannot make sense of it raises ValueError for. ``runner`` feeds it, ``snapshot`` may be asked at any time.
"""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from asyncdemo import sequences
from asyncdemo.capture import wire
from asyncdemo.model import (
    NO_WAIT,
    AwaitSequence,
    BlockingCall,
    Clock,
    Lane,
    Outcome,
    Resource,
    ResourceKind,
    Run,
    RunOutcome,
    Site,
    Slot,
    SlowStep,
    Spans,
    SpansBuilder,
    State,
    Track,
    TrackKind,
    Unawaited,
    Wait,
    Wakes,
)

__all__ = ["Assembly", "Listener"]

_WOKEN_BY_LANES = frozenset(
    {"event", "condition", "barrier", "empty queue", "queue.join", "future", "taskgroup", "gather", "tasks"}
)
"""Waits that another lane may end: who did is known from the wake."""

_OWN_THREADS = frozenset(
    {
        "BaseEventLoop._do_shutdown",
        "ThreadedChildWatcher._do_waitpid",
        "_ThreadedChildWatcher._do_waitpid",
        "_ExecutorManagerThread.run",
        "Queue._feed",
    }
)
"""Threads that asyncio and the executors start for themselves: no rows of the timeline."""

_SHOW_THREAD_AFTER_NS = 100_000_000


class Listener(Protocol):
    """Hears what happens while it happens. Times are since the start of the run's clock."""

    def lane_opened(self, lane: int, name: str, at_ns: int, state: State) -> None: ...
    def lane_changed(self, lane: int, at_ns: int, state: State, reason: str) -> None: ...
    def lane_closed(self, lane: int, at_ns: int, outcome: Outcome) -> None: ...
    def loop_blocked(
        self, since_ns: int, now_ns: int, site: Site | None, called_from: Site | None
    ) -> None: ...
    def clock(self, now_ns: int) -> None: ...
    def output(self, stream: str, text: str) -> None: ...


class _TrackBuilder:
    """What is known so far of one track."""

    __slots__ = (
        "closed_ns",
        "cpu_ns",
        "created_at",
        "ended_ns",
        "error",
        "function",
        "handed",
        "hosts_loop",
        "kind",
        "name",
        "outcome",
        "own",
        "parent",
        "site",
        "spans",
        "start_ns",
        "steps",
        "thread",
        "waits_for_items",
    )

    def __init__(self, kind: TrackKind, start_ns: int) -> None:
        self.kind = kind
        self.start_ns = start_ns
        self.ended_ns = start_ns
        self.closed_ns: int | None = None
        self.spans = SpansBuilder()
        self.name = self.function = ""
        self.outcome = Outcome.OPEN
        self.error: str | None = None
        self.parent: int | None = None
        self.thread: int | None = None
        self.site: int | None = None
        self.created_at: int | None = None
        self.cpu_ns: int | None = None
        self.steps = 0
        self.handed: list[list[int]] = []
        """Slots taken in the step that is going on, after queueing for them."""
        self.hosts_loop = False
        self.own = False
        """Made by the standard library for itself: no row of the timeline."""
        self.waits_for_items = False


@dataclass(slots=True)
class _Item:
    """A work item of an executor."""

    resource: int | None
    submitter: int
    queued_ns: int
    started_ns: int | None = None
    done_ns: int | None = None


@dataclass(slots=True)
class _OpenLane:
    name: str
    function: str
    track: int
    start_ns: int
    end_ns: int | None = None
    outcome: Outcome = Outcome.OPEN


class Assembly:
    def __init__(self, *, named: bool, threshold_ns: int, listener: Listener | None = None) -> None:
        self._named = named
        self._threshold_ns = threshold_ns
        self._listener = listener
        self.token = ""
        self.pid = 0
        self.python = ""
        self.knobs: dict[str, Any] = {}
        self.clock = Clock.REAL
        self.ready = False
        self.refused: str | None = None
        """Why the child would not run the script: wrong use."""
        self.invalid: str | None = None
        """Why the script cannot run at all."""
        self.finished = False
        self.notes: list[str] = []
        self.now_ns = 0
        self.origin_ns = 0
        self._tracks: dict[int, _TrackBuilder] = {}
        self._lanes: dict[int, _OpenLane] = {}
        self._open_lanes: defaultdict[int, list[int]] = defaultdict(list)
        self._shown: dict[int, int] = {}
        """track, or -1 - lane, -> index told to the listener."""
        self._just_closed: list[tuple[int, int, Outcome]] = []
        self._unshown_threads: set[int] = set()
        self._sites: dict[int, Site] = {}
        self._causes: list[Wait] = [NO_WAIT]
        self._cause_index: dict[Wait, int] = {NO_WAIT: 0}
        self._waits: dict[int, tuple[State, int]] = {
            wire.WAIT_YIELD: (State.READY, 0),
            wire.WAIT_DONE: (State.READY, 0),
        }
        self._item_waits: dict[int, int] = {}
        """index of a cause -> the work item that it waits for."""
        self._resources: dict[int, tuple[ResourceKind, int | None, Site | None]] = {}
        self._slots: defaultdict[int, list[list[int]]] = defaultdict(list)
        """By resource: [track, start_ns, end_ns or -1]."""
        self._held: defaultdict[int, list[list[int]]] = defaultdict(list)
        self._levels: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        self._items: dict[int, _Item] = {}
        self._calls: dict[int, tuple[str, Site | None, Site | None]] = {}
        self._blocking_calls: list[BlockingCall] = []
        self._slow_steps: list[SlowStep] = []
        self._pauses: list[sequences.Pause] = []
        self._unawaited: list[Unawaited] = []
        self._pending: set[int] = set()
        self._wakes = Wakes()

    # -- feeding --------------------------------------------------------------------------------

    def feed(self, kind: bytes, payload: bytes) -> None:
        """One frame. Raises ValueError if it makes no sense."""
        try:
            if kind == wire.NUMBERS:
                self._numbers(wire.unpack_numbers(payload))
            elif kind == wire.DEFINITIONS:
                for definition in json.loads(payload):
                    self._define(definition)
        except (KeyError, IndexError, TypeError, AttributeError, OverflowError) as error:
            raise ValueError(f"an event makes no sense: {error!r}") from error

    def _define(self, definition: list[Any]) -> None:
        getattr(self, "_on_" + definition[0].replace("-", "_"))(*definition[1:])

    def _on_hello(self, token: str, pid: int) -> None:
        self.token, self.pid = token, pid

    def _on_refused(self, message: str) -> None:
        self.refused = message

    def _on_invalid(self, message: str) -> None:
        self.invalid = message

    def _on_ready(self, python: str, knobs: dict[str, Any], clock: str) -> None:
        self.ready, self.python, self.knobs, self.clock = True, python, knobs, Clock(clock)

    def _on_start(self, at_ns: int) -> None:
        self.origin_ns = self.now_ns = at_ns

    def _on_finish(self, at_ns: int) -> None:
        self.finished, self.now_ns = True, max(self.now_ns, at_ns)

    def _on_note(self, text: str) -> None:
        self.notes.append(text)

    def _on_clock(self, kind: str, why: str) -> None:
        if self.clock is not Clock(kind):
            self.notes.append(f"Time is real, not virtual, because {why}.")
        self.clock = Clock(kind)

    def _on_site(self, index: int, file: str, line: int, function: str) -> None:
        self._sites[index] = Site(file, line, function)

    def _on_wait(
        self, index: int, reason: str, state: int, resource: int | None, on: int | None, item: int | None
    ) -> None:
        cause = self._cause(Wait(reason, resource, on))
        if item is not None:
            # one cause an item, though they read the same: each is split where its own item starts
            cause = len(self._causes)
            self._causes.append(Wait(reason))
            self._item_waits[cause] = item
        self._waits[index] = State(state), cause

    def _cause(self, wait: Wait) -> int:
        index = self._cause_index.get(wait)
        if index is None:
            index = self._cause_index[wait] = len(self._causes)
            self._causes.append(wait)
        return index

    def _on_task(
        self,
        index: int,
        name: str,
        function: str,
        site: int | None,
        created: int | None,
        parent: int | None,
        at_ns: int,
        thread: int | None,
        own: bool,
    ) -> None:
        track = self._tracks[index] = _TrackBuilder(TrackKind.TASK, at_ns)
        track.own = own
        track.name, track.function, track.site, track.created_at = name, function, site, created
        track.parent, track.thread = parent, thread
        track.spans.add(at_ns, State.READY)
        if not self._named and not own:
            self._tell_opened(index, f"{name} {function}".strip(), at_ns, State.READY)

    def _on_thread(
        self,
        index: int,
        name: str,
        function: str,
        site: int | None,
        created: int | None,
        parent: int | None,
        at_ns: int,
    ) -> None:
        track = self._tracks[index] = _TrackBuilder(TrackKind.THREAD, at_ns)
        track.name, track.function, track.site, track.created_at, track.parent = (
            name,
            function,
            site,
            created,
            parent,
        )
        track.spans.add(at_ns, State.READY)
        track.own = function in _OWN_THREADS
        if not self._named and not track.own:
            self._unshown_threads.add(index)

    def _on_runs(self, index: int, at_ns: int) -> None:
        self._tracks[index].spans.add(at_ns, State.RUNNING)

    def _on_end(
        self, index: int, at_ns: int, outcome: str, error: str | None, cpu_ns: int | None, name: str | None
    ) -> None:
        track = self._tracks[index]
        track.closed_ns, track.outcome, track.error, track.cpu_ns = at_ns, Outcome(outcome), error, cpu_ns
        track.name = name or track.name
        self._just_closed.append((index, at_ns, track.outcome))

    def _on_destroyed(self, index: int, at_ns: int) -> None:
        track = self._tracks[index]
        if track.closed_ns is None:
            track.closed_ns = at_ns
            self._pending.add(index)

    def _on_pending(self, tracks: list[int]) -> None:
        self._pending.update(tracks)

    def _on_resource(self, index: int, kind: str, limit: int | None, site: int | None) -> None:
        self._resources[index] = ResourceKind(kind), limit, self._site(site)

    def _on_lane(self, lane: int, track: int, name: str, function: str, at_ns: int) -> None:
        self._lanes[lane] = _OpenLane(name, function, track, at_ns)
        if self._named:
            self._open_lanes[track].append(-1 - lane)
            self._tell_opened(-1 - lane, name, at_ns, State.RUNNING)

    def _on_lane_end(self, lane: int, at_ns: int, outcome: str) -> None:
        closed = self._lanes[lane]
        closed.end_ns, closed.outcome = at_ns, Outcome(outcome)
        self._just_closed.append((-1 - lane, at_ns, closed.outcome))

    def _on_slow(
        self,
        track: int,
        start_ns: int,
        end_ns: int,
        cpu_ns: int | None,
        stolen_ns: int,
        site: int | None,
        called_from: int | None,
    ) -> None:
        self._slow_steps.append(
            SlowStep(
                track if track >= 0 else None,
                start_ns,
                end_ns,
                cpu_ns,
                stolen_ns,
                self._site(site),
                self._site(called_from),
            )
        )

    def _on_blocked(self, since_ns: int, now_ns: int, site: int | None, called_from: int | None) -> None:
        if self._listener is not None:
            origin = self.origin_ns
            self._listener.loop_blocked(
                since_ns - origin, now_ns - origin, self._site(site), self._site(called_from)
            )

    def _on_call(self, index: int, reason: str, site: int | None, called_from: int | None) -> None:
        self._calls[index] = reason, self._site(site), self._site(called_from)

    def _on_pause(self, track: int, start_ns: int, end_ns: int, places: list[list[Any]]) -> None:
        chain = tuple((serial, self._site(site)) for serial, site in places)
        self._pauses.append(sequences.Pause(track, start_ns, end_ns, chain))

    def _on_unawaited(self, function: str, at_ns: int, site: int | None) -> None:
        self._unawaited.append(Unawaited(function, at_ns, self._site(site)))

    def _site(self, index: int | None) -> Site | None:
        return None if index is None else self._sites.get(index)

    # -- numbers --------------------------------------------------------------------------------

    def _numbers(self, numbers: array[int]) -> None:
        for position in range(0, len(numbers), wire.STEP_SIZE):
            tag, a, b, c, d, e = numbers[position : position + wire.STEP_SIZE]
            if tag >= 0:
                self._step(tag, a, b, c, d, e)
            else:
                _HANDLERS[tag](self, a, b, c, d)

    def _step(self, index: int, ready_ns: int, start_ns: int, end_ns: int, wait: int, waker: int) -> None:
        track = self._tracks[index]
        spans = track.spans
        ready_ns = min(max(ready_ns, track.ended_ns), start_ns)
        if waker != index:
            if waker >= 0:
                self._wakes.add(ready_ns, waker, index)
            if waker >= 0 or waker in (wire.BY_IO, wire.BY_TIMER):
                self._complete_cause(spans, waker)
        if track.handed:
            for slot in track.handed:
                slot[1] = ready_ns
            track.handed.clear()
        state, cause = self._waits[wait]
        spans.add(ready_ns, State.READY)
        spans.add(start_ns, State.RUNNING)
        spans.add(end_ns, state, cause)
        track.ended_ns = end_ns
        track.steps += 1
        if cause in self._item_waits:
            track.waits_for_items = True
        if self._listener is not None:
            if ready_ns < start_ns:
                self._tell_changed(index, ready_ns, State.READY, "")
            self._tell_changed(index, start_ns, State.RUNNING, "")
            if wait != wire.WAIT_DONE:
                self._tell_changed(index, end_ns, state, self._causes[cause].reason)

    def _complete_cause(self, spans: SpansBuilder, waker: int) -> None:
        growing = spans.state
        if growing is None or growing[1] is not State.WAITING or growing[2] in self._item_waits:
            return
        cause = self._causes[growing[2]]
        if cause.on is not None or cause.reason not in _WOKEN_BY_LANES:
            return
        if waker >= 0:
            spans.recause(self._cause(replace(cause, on=waker)))
        elif cause.reason == "future":
            spans.recause(self._cause(Wait("i/o" if waker == wire.BY_IO else "timer")))

    def _thread_waits(self, index: int, at_ns: int, wait: int, _: int) -> None:
        track = self._tracks[index]
        state, cause = self._waits[wait]
        track.spans.add(at_ns, state, cause)
        if cause in self._item_waits:
            track.waits_for_items = True
        reason = self._causes[cause].reason
        if reason == "event loop":
            track.hosts_loop = True
        elif index in self._unshown_threads:
            self._tell_opened(index, track.name, track.start_ns, State.RUNNING)
        self._tell_changed(index, at_ns, state, reason)

    def _thread_runs(self, index: int, at_ns: int, *_: int) -> None:
        self._tracks[index].spans.add(at_ns, State.RUNNING)
        self._tell_changed(index, at_ns, State.RUNNING, "")

    def _taken(self, index: int, at_ns: int, resource: int, _: int) -> None:
        slot = [index, at_ns, -1]
        self._slots[resource].append(slot)
        self._held[resource].append(slot)
        track = self._tracks.get(index)
        growing = None if track is None else track.spans.state
        if track is None or growing is None or track.kind is not TrackKind.TASK:
            return
        if growing[1] is State.QUEUED and self._causes[growing[2]].resource == resource:
            track.handed.append(slot)

    def _given_back(self, index: int, at_ns: int, resource: int, _: int) -> None:
        held = self._held[resource]
        mine = next((s for s in held if s[0] == index), None)
        if mine is None:
            mine = next((s for s in held if self._parent(s[0]) == index), None)
        slot = mine or (held[0] if held else None)
        if slot is not None:
            if mine is not None:
                slot[0] = index  # taken by a child task on this one's behalf
            slot[2] = at_ns
            held.remove(slot)

    def _parent(self, index: int) -> int | None:
        track = self._tracks.get(index)
        return None if track is None else track.parent

    def _level(self, resource: int, at_ns: int, length: int, _: int) -> None:
        self._levels[resource].append((at_ns, length))

    def _item_queued(self, item: int, at_ns: int, resource: int, submitter: int) -> None:
        self._items[item] = _Item(resource, submitter, at_ns)

    def _item_started(self, item: int, at_ns: int, *_: int) -> None:
        if item in self._items:
            self._items[item].started_ns = at_ns

    def _item_done(self, item: int, at_ns: int, *_: int) -> None:
        if item in self._items:
            self._items[item].done_ns = at_ns

    def _called(self, index: int, start_ns: int, end_ns: int, call: int) -> None:
        reason, site, called_from = self._calls[call]
        self._blocking_calls.append(
            BlockingCall(index if index >= 0 else None, start_ns, end_ns, reason, site, called_from)
        )

    def _at(self, at_ns: int, *_: int) -> None:
        self.now_ns = max(self.now_ns, at_ns)
        if self._listener is None:
            return
        for key, closed_ns, outcome in self._just_closed:
            self._tell_closed(key, closed_ns, outcome)
        self._just_closed.clear()
        for index in list(self._unshown_threads):
            track = self._tracks[index]
            if track.closed_ns is not None or track.hosts_loop:
                self._unshown_threads.discard(index)
            elif at_ns - track.start_ns > _SHOW_THREAD_AFTER_NS:
                self._tell_opened(index, track.name, track.start_ns, State.RUNNING)
        self._listener.clock(at_ns - self.origin_ns)

    # -- telling the listener -------------------------------------------------------------------

    def _tell_opened(self, key: int, name: str, at_ns: int, state: State) -> None:
        self._unshown_threads.discard(key)
        if self._listener is not None:
            shown = self._shown[key] = len(self._shown)
            self._listener.lane_opened(shown, name, at_ns - self.origin_ns, state)

    def _tell_changed(self, track: int, at_ns: int, state: State, reason: str) -> None:
        if self._listener is None:
            return
        for key in self._open_lanes[track] if self._named else (track,):
            shown = self._shown.get(key)
            if shown is not None:
                self._listener.lane_changed(shown, at_ns - self.origin_ns, state, reason)

    def _tell_closed(self, key: int, at_ns: int, outcome: Outcome) -> None:
        shown = self._shown.get(key)
        if self._listener is not None and shown is not None:
            self._listener.lane_closed(shown, at_ns - self.origin_ns, outcome)

    # -- the run --------------------------------------------------------------------------------

    def run(
        self, *, name: str, script: str, argv: Sequence[str], outcome: RunOutcome, exit_code: int | None
    ) -> Run:
        """What has been recorded so far."""
        end_ns = max([self.now_ns, *(t.ended_ns for t in self._tracks.values())], default=self.now_ns)
        order = {index: position for position, index in enumerate(self._in_order())}
        built = _Builder(self, order, end_ns)
        tracks = built.tracks()
        named = self._named
        return Run(
            name=name,
            script=script,
            argv=tuple(argv),
            python=self.python,
            clock=self.clock,
            outcome=outcome,
            exit_code=exit_code,
            threshold_ns=self._threshold_ns,
            tracks=tracks,
            lanes=built.named_lanes(tracks) if named else built.track_lanes(tracks),
            named=named,
            knobs=dict(self.knobs),
            resources=built.resources(),
            wakes=built.wakes(),
            slow_steps=built.slow_steps(),
            blocking_calls=built.blocking_calls(),
            await_sequences=built.await_sequences(tracks),
            unawaited=tuple(self._unawaited),
            left_pending=tuple(sorted(order[i] for i in self._left_pending() if i in order)),
            notes=tuple(self.notes),
        )

    def _in_order(self) -> list[int]:
        return sorted(self._tracks, key=lambda index: (self._tracks[index].start_ns, index))

    def _left_pending(self) -> set[int]:
        if not self.finished:
            return self._pending
        still_open = {
            index for index, t in self._tracks.items() if t.kind is TrackKind.TASK and t.closed_ns is None
        }
        return self._pending | still_open


class _Builder:
    """One snapshot: turns the growing columns into the parts of a ``Run``."""

    def __init__(self, assembly: Assembly, order: dict[int, int], end_ns: int) -> None:
        self._a = assembly
        self._order = order
        self._end_ns = end_ns
        self._causes: list[Wait] = [self._renumbered(cause) for cause in assembly._causes]
        self._cause_index = {cause: i for i, cause in reversed(list(enumerate(self._causes)))}
        self._shown_spans: dict[int, Spans] = {}

    def _renumbered(self, cause: Wait) -> Wait:
        if cause.on is None:
            return cause
        return replace(cause, on=self._order.get(cause.on))

    def _cause(self, wait: Wait) -> int:
        index = self._cause_index.get(wait)
        if index is None:
            index = self._cause_index[wait] = len(self._causes)
            self._causes.append(wait)
        return index

    # -- tracks and lanes -----------------------------------------------------------------------

    def tracks(self) -> tuple[Track, ...]:
        a = self._a
        first_task: dict[int, int] = {}
        for index in self._order:
            thread = a._tracks[index].thread
            if thread is not None:
                first_task.setdefault(thread, self._order[index])
        self._start_process_items()
        built = []
        for index, position in self._order.items():
            t = a._tracks[index]
            closed_ns = t.closed_ns if t.closed_ns is not None else max(self._end_ns, t.start_ns)
            spans = t.spans.build(closed_ns, self._causes)
            if t.waits_for_items:
                spans = self._split_at_item_start(spans)
            if t.hosts_loop:
                loop = self._cause(Wait("event loop"))
                spans = _recaused(spans, {loop: self._cause(Wait("event loop", on=first_task.get(index)))})
            built.append(
                Track(
                    index=position,
                    kind=t.kind,
                    name=t.name,
                    function=t.function,
                    start_ns=t.start_ns,
                    end_ns=closed_ns,
                    outcome=t.outcome,
                    spans=spans,
                    site=a._site(t.site),
                    created_at=a._site(t.created_at),
                    parent=None if t.parent is None else self._order.get(t.parent),
                    thread=None if t.thread is None else self._order.get(t.thread),
                    steps=t.steps,
                    cpu_ns=t.cpu_ns if a.clock is Clock.REAL else None,
                    error=t.error,
                )
            )
        return tuple(built)

    def _start_process_items(self) -> None:
        """A process pool does not tell when it started an item: first come, first served, a worker each."""
        by_pool: defaultdict[int, list[_Item]] = defaultdict(list)
        for item in self._a._items.values():
            if item.started_ns is None and item.done_ns is not None and item.resource is not None:
                by_pool[item.resource].append(item)
        for resource, items in by_pool.items():
            free = [0] * (self._a._resources[resource][1] or len(items))
            for item in sorted(items, key=lambda i: i.queued_ns):
                assert item.done_ns is not None
                worker = min(range(len(free)), key=free.__getitem__)
                item.started_ns = min(max(item.queued_ns, free[worker]), item.done_ns)
                free[worker] = item.done_ns

    def _split_at_item_start(self, spans: Spans) -> Spans:
        """Waiting for a work item is queueing until a worker takes it."""
        starts, states, waits, end_ns = spans.columns
        builder = SpansBuilder()
        for position, start_ns in enumerate(starts):
            wait = waits[position]
            item = self._a._items.get(self._a._item_waits.get(wait, -1))
            if item is None:
                builder.add(start_ns, State(states[position]), wait)
                continue
            stop_ns = starts[position + 1] if position + 1 < len(starts) else end_ns
            started_ns = item.started_ns if item.started_ns is not None else stop_ns
            if started_ns > start_ns:
                builder.add(start_ns, State.QUEUED, self._cause(Wait("executor", resource=item.resource)))
            if started_ns < stop_ns:
                builder.add(max(start_ns, started_ns), State.WAITING, self._cause(Wait("thread")))
        return builder.build(end_ns, self._causes)

    def track_lanes(self, tracks: Sequence[Track]) -> tuple[Lane, ...]:
        return tuple(
            Lane(
                name=_lane_name(track),
                track=track.index,
                start_ns=track.start_ns,
                end_ns=track.end_ns,
                outcome=track.outcome,
                spans=self._as_shown(track.index, tracks),
                function=track.function,
            )
            for track, builder in zip(tracks, (self._a._tracks[i] for i in self._order), strict=True)
            if not (builder.own or (builder.hosts_loop and self._only_hosts(track)))
        )

    def _only_hosts(self, track: Track) -> bool:
        """Did the thread do nothing to speak of but run an event loop?"""
        outside = sum(
            span.duration_ns
            for span in track.spans
            if span.wait.reason != "event loop" and span.state is not State.READY
        )
        return outside < self._a._threshold_ns

    def named_lanes(self, tracks: Sequence[Track]) -> tuple[Lane, ...]:
        lanes = []
        for opened in sorted(self._a._lanes.values(), key=lambda lane: lane.start_ns):
            position = self._order.get(opened.track)
            if position is None:
                continue
            end_ns = opened.end_ns if opened.end_ns is not None else tracks[position].end_ns
            spans = self._as_shown(position, tracks).clip(opened.start_ns, max(end_ns, opened.start_ns))
            lanes.append(
                Lane(opened.name, position, opened.start_ns, end_ns, opened.outcome, spans, opened.function)
            )
        return tuple(lanes)

    def _as_shown(self, position: int, tracks: Sequence[Track], depth: int = 0) -> Spans:
        """A track's spans, with the state of its own child in place of waiting for it."""
        known = self._shown_spans.get(position)
        if known is not None:
            return known
        spans = tracks[position].spans
        starts, states, waits, end_ns = spans.columns
        own = {
            wait
            for wait in set(waits)
            if self._causes[wait].reason == "task"
            and (child := self._causes[wait].on) is not None
            and tracks[child].parent == position
        }
        if own and depth < 50:
            builder = SpansBuilder()
            for i, start_ns in enumerate(starts):
                builder.add(start_ns, State(states[i]), waits[i])
                if waits[i] not in own or states[i] != State.WAITING:
                    continue
                child = self._causes[waits[i]].on
                assert child is not None
                stop_ns = starts[i + 1] if i + 1 < len(starts) else end_ns
                borrowed = self._as_shown(child, tracks, depth + 1).clip(start_ns, stop_ns)
                for span in borrowed:
                    via = self._cause(replace(span.wait, via=child))
                    builder.add(span.start_ns, span.state, via)
                if len(borrowed) and borrowed[-1].end_ns < stop_ns:
                    builder.add(borrowed[-1].end_ns, State.WAITING, waits[i])
            spans = builder.build(end_ns, self._causes)
        self._shown_spans[position] = spans
        return spans

    # -- the rest -------------------------------------------------------------------------------

    def resources(self) -> tuple[Resource, ...]:
        a = self._a
        slots: defaultdict[int, list[Slot]] = defaultdict(list)
        for resource, taken in a._slots.items():
            for track, start_ns, end_ns in taken:
                if track in self._order:
                    stop_ns = end_ns if end_ns >= 0 else self._end_ns
                    slots[resource].append(Slot(self._order[track], start_ns, max(start_ns, stop_ns)))
        for item in a._items.values():
            if item.resource is not None and item.started_ns is not None and item.submitter in self._order:
                stop_ns = item.done_ns if item.done_ns is not None else self._end_ns
                slots[item.resource].append(Slot(self._order[item.submitter], item.started_ns, stop_ns))
        return tuple(
            Resource(index, kind, limit, site, tuple(slots[index]), tuple(a._levels[index]))
            for index, (kind, limit, site) in sorted(a._resources.items())
        )

    def wakes(self) -> Wakes:
        wakes = Wakes()
        for wake in self._a._wakes:
            waker, woken = self._order.get(wake.waker), self._order.get(wake.woken)
            if waker is not None and woken is not None:
                wakes.add(wake.at_ns, waker, woken)
        return wakes

    def blocking_calls(self) -> tuple[BlockingCall, ...]:
        return tuple(replace(call, track=self._position(call.track)) for call in self._a._blocking_calls)

    def _position(self, track: int | None) -> int | None:
        return None if track is None else self._order.get(track)

    def slow_steps(self) -> tuple[SlowStep, ...]:
        """With what they were doing: a known call that filled half of the step, or computing."""
        calls = sorted(self._a._blocking_calls, key=lambda call: call.start_ns)
        starts = [call.start_ns for call in calls]
        return tuple(
            replace(_explained(step, calls, starts), track=self._position(step.track))
            for step in sorted(self._a._slow_steps, key=lambda step: step.start_ns)
        )

    def await_sequences(self, tracks: Sequence[Track]) -> tuple[AwaitSequence, ...]:
        pauses = [
            replace(pause, track=self._order[pause.track])
            for pause in self._a._pauses
            if pause.track in self._order
        ]
        return sequences.find(pauses, tracks)


_OUTSIDE = 0.5


def _explained(step: SlowStep, calls: Sequence[BlockingCall], starts: Sequence[int]) -> SlowStep:
    length = step.end_ns - step.start_ns
    longest: BlockingCall | None = None
    for call in calls[bisect_left(starts, step.start_ns) : bisect_right(starts, step.end_ns)]:
        if call.end_ns <= step.end_ns and (
            longest is None or call.end_ns - call.start_ns > longest.end_ns - longest.start_ns
        ):
            longest = call
    if longest is not None and longest.end_ns - longest.start_ns >= _OUTSIDE * length:
        return replace(step, site=longest.site, called_from=longest.called_from, reason=longest.reason)
    if step.cpu_ns is not None and step.cpu_ns + step.stolen_ns < _OUTSIDE * length:
        return replace(step, reason="outside Python")
    return step


def _lane_name(track: Track) -> str:
    if track.kind is TrackKind.TASK:
        return f"{track.name} {track.function}".strip()
    return track.name


def _recaused(spans: Spans, changes: dict[int, int]) -> Spans:
    starts, states, waits, end_ns = spans.columns
    changed = array("i", (changes.get(wait, wait) for wait in waits))
    return Spans(starts, states, changed, end_ns, spans.causes)


_HANDLERS: dict[int, Callable[[Assembly, int, int, int, int], None]] = {
    wire.THREAD_WAITS: Assembly._thread_waits,
    wire.THREAD_RUNS: Assembly._thread_runs,
    wire.TAKEN: Assembly._taken,
    wire.GIVEN_BACK: Assembly._given_back,
    wire.LEVEL: Assembly._level,
    wire.ITEM_QUEUED: Assembly._item_queued,
    wire.ITEM_STARTED: Assembly._item_started,
    wire.ITEM_DONE: Assembly._item_done,
    wire.CALLED: Assembly._called,
    wire.NOW: Assembly._at,
}
