"""Takes in the events of a traced process, as they arrive.

Knows what each event means (``capture.wire`` lists them) and nothing of processes or sockets. What
it cannot make sense of it raises ValueError for.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.model import (
    LOOPS,
    BlockingCall,
    Clock,
    MemorySample,
    Outcome,
    ResourceKind,
    Run,
    RunOutcome,
    Site,
    SlowStep,
    State,
    Stuck,
    TrackKind,
    Unawaited,
    Wait,
)
from asyncdemo.recording.assembly import standstill
from asyncdemo.recording.assembly.coarsening import Coarsening
from asyncdemo.recording.assembly.ledger import (
    Held,
    Item,
    LaneRecord,
    Ledger,
    ProcessRecord,
    ResourceRecord,
    TrackRecord,
)
from asyncdemo.recording.assembly.live_feed import Audience, Listener, NoAudience
from asyncdemo.recording.assembly.request_matcher import Correspondence
from asyncdemo.recording.assembly.sequences import Pause
from asyncdemo.recording.assembly.snapshot import snapshot
from asyncdemo.recording.assembly.spans import SpansBuilder
from asyncdemo.recording.assembly.summing import Summing

_WOKEN_BY_LANES = frozenset(
    {"event", "condition", "barrier", "empty queue", "queue.join", "future", "taskgroup", "gather", "tasks"}
)
"""Waits that another lane may end: who did is known from the wake."""

_NOTHING = (wire.NOW, wire.STUCK, wire.OFF_CPU)
_STATES = tuple(State)
_BY_EVENTS = (wire.BY_IO, wire.BY_TIMER)
_RECENT = 20
_LATE_NS = 1_000_000_000
"""A process that has told nothing for so long is not waited for."""
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


class Assembly:
    """Turns the events of one run into a ``Run``; ``run`` may be asked at any time."""

    def __init__(
        self, *, named: bool, threshold_ns: int, listener: Listener | None = None, serves: bool = False
    ) -> None:
        """serves: the script is a server, whose requests are told here too and are what listeners see."""
        self._named = named
        self._threshold_ns = threshold_ns
        self._audience = NoAudience() if listener is None else Audience(listener, named, serves)
        self._ledger = Ledger()
        self._process = self._ledger.processes[0]
        """Whose events are being taken in."""
        self._stopped: set[int] = set()
        self.token = ""
        self._start_ns = 0
        self.ready = False
        self.refused: str | None = None
        """Why the child would not run the script: wrong use."""
        self.invalid: str | None = None
        """Why the script cannot run at all."""
        self.code: dict[str, Any] = {}
        """Where the script's code is, as those that it starts have to be told."""
        self._heard = listener is not None
        self._completed: dict[tuple[int, int], int] = {}
        self._waits: dict[int, tuple[int, int]] = {
            wire.WAIT_YIELD: (int(State.READY), 0),
            wire.WAIT_DONE: (int(State.READY), 0),
        }
        self._calls: dict[int, tuple[str, Site | None, Site | None]] = {}
        self._held: defaultdict[int, list[Held]] = defaultdict(list)
        """The slots that have not been given back, by resource."""
        self._coarsening = Coarsening(self._ledger)
        self._summing = None if named or serves else Summing(self._ledger, self._audience.forget)
        self._events = 0
        self._answers: dict[int, list[tuple[Stuck, int | None]]] = {}
        """By process: who has not ended, told ahead of the numbers of that moment."""
        self.requests = Correspondence(self._ledger, self._audience, self._close_if_nobody_tells)

    @property
    def finished(self) -> bool:
        """The script's interpreter came to its own end."""
        return self._ledger.processes[0].finished

    @property
    def told_stuck(self) -> bool:
        """All processes have said who has not ended."""
        ledger = self._ledger
        return all(process.gone or process.number in ledger.stuck for process in ledger.processes.values())

    def forget_stuck(self) -> None:
        """They went on, or are asked again."""
        self._ledger.stuck.clear()
        self._ledger.holdings.clear()

    def complete_stuck(self) -> None:
        """For the processes that have not answered, by what is recorded of them."""
        ledger = self._ledger
        for number, process in ledger.processes.items():
            if not process.gone and number not in ledger.stuck:
                ledger.stuck[number] = standstill.own_record(ledger, process)
                ledger.holdings[number] = standstill.holdings(ledger, process, self._held)

    @property
    def told_until_ns(self) -> int:
        """Up to when the script's own process has told everything; 0 where its clock is not ours."""
        ledger = self._ledger
        return ledger.processes[0].now_ns if ledger.clock is Clock.REAL else 0

    @property
    def notes(self) -> list[str]:
        """What a reader of the run must know; others may add to it."""
        return self._ledger.notes

    def add_note(self, text: str) -> None:
        """Unless it is there already."""
        if text not in self._ledger.notes:
            self._ledger.notes.append(text)

    def run(
        self, *, name: str, script: str, argv: Sequence[str], outcome: RunOutcome, exit_code: int | None
    ) -> Run:
        """What has been recorded so far."""
        return snapshot(
            self._ledger,
            self._summing,
            self._coarsening,
            named=self._named,
            threshold_ns=self._threshold_ns,
            name=name,
            script=script,
            argv=argv,
            outcome=outcome,
            exit_code=exit_code,
        )

    # -- feeding --------------------------------------------------------------------------------

    def joins(self, process: int) -> None:
        """A process that the script started will tell of itself too."""
        self._ledger.processes[process] = ProcessRecord(process)

    @property
    def accepting(self) -> frozenset[int]:
        """The processes that have accepted a connection; 0 is the script's own."""
        return frozenset(self._ledger.accepting)

    @property
    def knobs(self) -> dict[str, Any]:
        """The constants of the script, once it is compiled."""
        return self._ledger.knobs

    def leaves(self, process: int) -> None:
        """It will tell no more."""
        self._ledger.processes[process].gone = True
        self._close_if_nobody_tells()

    def stops(self, process: int, why: str) -> None:
        """What it tells from now on is not taken in, though it goes on. why: for the end of a sentence."""
        self._stopped.add(process)
        whose = f" of {self.name_of(process)}" if process else ""
        self.add_note(f"The recording{whose} stops {why}.")

    def said_why_it_stops(self, process: int) -> bool:
        return process in self._stopped

    def name_of(self, process: int) -> str:
        """For a sentence."""
        return self._ledger.processes[process].name or f"process {process}"

    def ended_by_itself(self, process: int) -> bool:
        """Its interpreter came to its own end, so it has told everything."""
        return self._ledger.processes[process].finished

    def feed(self, kind: bytes, payload: bytes, process: int = 0) -> None:
        """One frame. process: that it comes from. Raises ValueError if it makes no sense."""
        self._process = self._ledger.processes[process]
        try:
            if kind == wire.NUMBERS:
                self._numbers(wire.events(payload))
            elif kind == wire.DEFINITIONS:
                for definition in json.loads(payload):
                    self._define(definition)
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError) as error:
            raise ValueError(f"an event makes no sense: {error!r}") from error

    def _define(self, definition: list[Any]) -> None:
        getattr(self, "_on_" + definition[0].replace("-", "_"))(*definition[1:])

    def _on_hello(self, token: str, _: int) -> None:
        self.token = token

    def _on_refused(self, message: str) -> None:
        self.refused = message

    def _on_invalid(self, message: str) -> None:
        self.invalid = message

    def _on_ready(self, python: str, knobs: dict[str, Any], clock: str) -> None:
        ledger = self._ledger
        self.ready, ledger.python, ledger.knobs, ledger.clock = True, python, knobs, Clock(clock)

    def _on_process(self, _: int, __: int, name: str) -> None:
        self._process.name = name

    def _on_code(self, path: str, roots: list[str]) -> None:
        self.code = {"path": path, "roots": roots}

    def _on_start(self, at_ns: int) -> None:
        self._start_ns = self._ledger.now_ns = self._audience.origin_ns = at_ns

    def _on_finish(self, at_ns: int) -> None:
        self._process.finished = True
        self._come_to(at_ns)

    def _on_forked(self) -> None:
        self._process.forks += 1

    def _on_cut(self, at_ns: int) -> None:
        """It has more to tell than was taken from it, so it tells no more. All until then has been told."""
        self._come_to(at_ns)
        since_s = (at_ns - self._audience.origin_ns) / 1e9
        self.stops(self._process.number, f"after {since_s:.2f} s: nobody took what was recorded")

    def _come_to(self, at_ns: int) -> None:
        self._process.now_ns = max(self._process.now_ns, at_ns)
        self._ledger.now_ns = max(self._ledger.now_ns, at_ns)

    def _on_note(self, text: str) -> None:
        self.notes.append(f"{self.name_of(number)}: {text}" if (number := self._process.number) else text)

    def _on_hook_failed(self, name: str, why: str, at_ns: int, switched_off: bool) -> None:
        what = f"`{name}` was not observed" if switched_off else f"not everything in `{name}` was recorded"
        self._on_note(
            f"From {max(at_ns - self._start_ns, 0) / 1e9:.2f} s on {what}, because the "
            f"tracer's hook there failed ({why}). The script was not affected, and all else was recorded."
        )

    def _on_clock(self, kind: str, why: str) -> None:
        if self._ledger.clock is not Clock(kind):
            self.notes.append(f"Time is real, not virtual, because {why}.")
        self._ledger.clock = Clock(kind)

    def _on_site(self, index: int, file: str, line: int, function: str) -> None:
        self._ledger.sites[index] = Site(file, line, function)

    def _on_wait(
        self,
        index: int,
        reason: str,
        state: int,
        resource: int | None,
        on: int | None,
        item: int | None,
        site: int | None = None,
    ) -> None:
        place = self._ledger.site(site)
        cause = self._ledger.causes.index(Wait(reason, resource, on, site=place))
        if item is not None:
            # one cause an item, though they read the same: each is split where its own item starts
            cause = self._ledger.causes.add(Wait(reason, site=place))
            self._ledger.item_waits[cause] = item
        self._waits[index] = int(State(state)), cause

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
        track = self._ledger.tracks[_whole(index)] = TrackRecord(TrackKind.TASK, _whole(at_ns), self._process)
        track.own = own
        track.name, track.function, track.site, track.created_at = name, function, site, created
        track.parent, track.thread = parent, thread
        track.spans.add(at_ns, State.READY)
        self._refer(parent)
        self._audience.task_made(index, track)

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
        track = self._ledger.tracks[_whole(index)] = TrackRecord(
            TrackKind.THREAD, _whole(at_ns), self._process
        )
        track.name, track.function, track.parent = name, function, parent
        track.site, track.created_at = site, created
        track.spans.add(at_ns, State.READY)
        track.own = function in _OWN_THREADS
        self._audience.thread_made(index, track)

    def _on_runs(self, index: int, at_ns: int) -> None:
        self._ledger.tracks[index].spans.add(at_ns, State.RUNNING)

    def _on_end(
        self, index: int, at_ns: int, outcome: str, error: str | None, cpu_ns: int | None, name: str | None
    ) -> None:
        track = self._ledger.tracks[index]
        track.closed_ns, track.outcome, track.error, track.cpu_ns = at_ns, Outcome(outcome), error, cpu_ns
        track.name = name or track.name
        if self._summing is not None:
            self._summing.ended(index, track)
        self._audience.track_closed(index, at_ns, track.outcome)

    def _refer(self, index: int | None) -> None:
        """It is kept whole: something else says what it did."""
        track = self._ledger.tracks.get(-1 if index is None else index)
        if track is not None:
            track.referred = True

    def _on_destroyed(self, index: int, at_ns: int) -> None:
        track = self._ledger.tracks.get(index)
        if track is not None and track.closed_ns is None:
            track.closed_ns = at_ns
            self._ledger.pending.add(index)

    def _on_pending(self, tracks: list[int]) -> None:
        self._ledger.pending.update(tracks)

    def _on_resource(self, index: int, kind: str, limit: int | None, site: int | None) -> None:
        place = self._ledger.site(site)
        self._ledger.resources[_whole(index)] = ResourceRecord(
            ResourceKind(kind), limit, place, self._process
        )

    def _on_pool(self, resource: int, name: str, track: int, at_ns: int) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{name!r} is no name")
        self._refer(track)
        self._ledger.pools.made(_whole(resource), name, _whole(track), _whole(at_ns))

    def _on_pool_closed(self, resource: int, at_ns: int) -> None:
        self._ledger.pools.shut(resource, _whole(at_ns))

    def _on_pool_refused(self, resource: int, track: int, asked_ns: int, at_ns: int) -> None:
        self._refer(track)
        self._ledger.pools.refused(_whole(resource), _whole(track), _whole(asked_ns), _whole(at_ns))

    def _on_connection(self, index: int, resource: int, track: int, at_ns: int) -> None:
        self._refer(track)
        self._ledger.pools.opening(_whole(index), _whole(resource), _whole(track), _whole(at_ns))

    def _on_connection_ready(self, index: int, at_ns: int) -> None:
        self._ledger.pools.ready(index, _whole(at_ns))

    def _on_connection_closed(self, index: int, at_ns: int, held: bool, dropped: bool) -> None:
        self._ledger.pools.closed(index, _whole(at_ns), held, dropped)

    def _on_connection_returned(self, index: int) -> None:
        self._ledger.pools.returned(index)

    def _on_lane(self, lane: int, track: int, name: str, function: str, at_ns: int) -> None:
        self._ledger.lanes[_whole(lane)] = LaneRecord(name, function, track, at_ns)
        self._audience.call_opened(lane, track, name, at_ns)

    def _on_lane_end(
        self, lane: int, at_ns: int, outcome: str, result: str | None, error: str | None
    ) -> None:
        closed = self._ledger.lanes[lane]
        closed.end_ns, closed.outcome, closed.result, closed.error = at_ns, Outcome(outcome), result, error
        self._audience.call_closed(lane, closed.track, at_ns, closed.outcome)

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
        self._ledger.begun.pop(start_ns, None)
        self._refer(track)
        self._ledger.slow_steps[self._process.number].append(
            SlowStep(
                track if track >= 0 else None,
                start_ns,
                end_ns,
                cpu_ns,
                stolen_ns,
                self._ledger.site(site),
                self._ledger.site(called_from),
            )
        )

    def _on_blocked(
        self,
        track: int,
        since_ns: int,
        now_ns: int,
        site: int | None,
        called_from: int | None,
        reason: str,
        starved: list[list[int]],
    ) -> None:
        """A step that is not over, and who waits for its end: the run may end before it does."""
        ledger = self._ledger
        if any(step.start_ns == since_ns for step in ledger.slow_steps[self._process.number][-_RECENT:]):
            return  # the step was over before this could be told
        place, caller = ledger.site(site), ledger.site(called_from)
        begun = SlowStep(
            track if track in ledger.tracks else None, since_ns, now_ns, None, 0, place, caller, reason
        )
        if track in ledger.tracks and since_ns not in ledger.begun:
            self._audience.changed(track, since_ns, State.RUNNING, "")
        ledger.begun[since_ns] = begun
        for index, ready_ns in starved:
            if index in ledger.tracks and index not in ledger.starved:
                ledger.starved[index] = max(ready_ns, ledger.tracks[index].ended_ns)
                self._audience.changed(index, ledger.starved[index], State.READY, "")
        self._audience.blocked(since_ns, now_ns, place, caller)

    def _on_call(self, index: int, reason: str, site: int | None, called_from: int | None) -> None:
        self._calls[index] = reason, self._ledger.site(site), self._ledger.site(called_from)

    def _on_pause(self, track: int, start_ns: int, end_ns: int, places: list[list[Any]]) -> None:
        self._refer(track)
        chain = tuple((serial, self._ledger.site(site)) for serial, site in places)
        self._ledger.pauses.append(Pause(track, start_ns, end_ns, chain))

    def _on_unawaited(self, function: str, at_ns: int, site: int | None) -> None:
        self._ledger.unawaited.append(Unawaited(function, at_ns, self._ledger.site(site)))

    def _on_result(self, literal: str | None) -> None:
        self._ledger.result = literal

    def _on_accepted(self, port: int, at_ns: int) -> None:
        self.requests.accepted(_whole(port), _whole(at_ns), self._process.number)

    def _on_handling(self, number: int, trace_id: str, track: int, at_ns: int) -> None:
        self.requests.handling(_whole(number), trace_id, _whole(track), _whole(at_ns))

    def _on_handled(self, number: int, at_ns: int) -> None:
        self.requests.handled(number, _whole(at_ns))

    def _on_stuck(self, who: list[list[Any]], idle: bool) -> None:
        """What they did then is known when the numbers have come so far."""
        self._answers[self._process.number] = standstill.told(
            self._ledger, self._process, who, lambda wait: self._waits[wait][1]
        )
        self._ledger.idle[self._process.number] = bool(idle)

    def memory_sampled(self, sample: MemorySample) -> None:
        self._ledger.memory.append(sample)

    def _close_if_nobody_tells(self) -> None:
        """Then no clock comes either, and what has ended stays as it is."""
        ledger = self._ledger
        if ledger.now_ns and all(process.gone for process in ledger.processes.values()):
            self._audience.clock(ledger.now_ns)

    # -- numbers --------------------------------------------------------------------------------

    @property
    def events(self) -> int:
        """How much has happened: it stays the same while nothing does."""
        return self._events

    def _numbers(self, events: Iterator[tuple[int, ...]]) -> None:
        """Most of them are steps of tasks; what is done for every one of those stands here, in one piece."""
        ledger, waits, heard = self._ledger, self._waits, self._heard
        tracks, starved, add_wake = ledger.tracks, ledger.starved, ledger.wakes.add
        count = 0
        for index, ready_ns, start_ns, end_ns, wait, waker in events:
            count += 1
            if index < 0:
                count -= index in _NOTHING
                _HANDLERS[index](self, ready_ns, start_ns, end_ns, wait, waker)
                continue
            track = tracks.get(index)
            if track is None:
                self._without_track(index)
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
                    self._complete_cause(track.spans, waker)
                elif waker in _BY_EVENTS:
                    self._complete_cause(track.spans, waker)
            if track.handed:
                for held in track.handed:
                    held.start_ns = ready_ns
                track.handed.clear()
            state, cause = waits[wait]
            track.spans.add_step(ready_ns, start_ns, end_ns, state, cause)
            if starved and index in starved:
                del starved[index]
            track.ended_ns = end_ns
            track.steps += 1
            if cause in ledger.item_waits:
                track.waits_for_items = True
            if heard:
                reason = ledger.causes[cause].reason
                self._audience.stepped(index, ready_ns, start_ns, end_ns, _STATES[state], reason)
        self._events += count
        self._coarsening.recorded(count)

    def _without_track(self, index: int) -> None:
        """A task's step may come after the task was summed up. Raises KeyError if that cannot be."""
        if not self._summing:
            raise KeyError(index)
        self._summing.late_steps += 1

    def _complete_cause(self, spans: SpansBuilder, waker: int) -> None:
        """Who ended a wait, or what did, may tell what it was for."""
        wait = spans.waiting_for
        if wait < 0:
            return
        completed = self._completed.get((wait, waker))
        if completed is None:
            completed = self._completed[wait, waker] = self._completed_cause(wait, waker)
        if completed != wait:
            spans.recause(completed)

    def _completed_cause(self, wait: int, waker: int) -> int:
        causes = self._ledger.causes
        cause = causes[wait]
        if wait in self._ledger.item_waits or cause.on is not None or cause.reason not in _WOKEN_BY_LANES:
            return wait
        if waker >= 0:
            return causes.index(replace(cause, on=waker))
        if cause.reason != "future":
            return wait
        return causes.index(replace(cause, reason="i/o" if waker == wire.BY_IO else "timer"))

    def _stuck(self, at_ns: int, *_: int) -> None:
        self._come_to(at_ns)
        number = self._process.number
        self._ledger.stuck[number] = standstill.completed(self._ledger, self._answers.pop(number))
        self._ledger.holdings[number] = standstill.holdings(self._ledger, self._process, self._held)

    def _thread_waits(self, index: int, at_ns: int, wait: int, *_: int) -> None:
        track = self._ledger.tracks[index]
        number, cause = self._waits[wait]
        state = _STATES[number]
        track.spans.add(at_ns, state, cause)
        if cause in self._ledger.item_waits:
            track.waits_for_items = True
        reason = self._ledger.causes[cause].reason
        if reason in LOOPS:
            track.hosts_loop = True
        self._audience.thread_waits(index, at_ns, state, reason)

    def _thread_runs(self, index: int, at_ns: int, *_: int) -> None:
        self._ledger.tracks[index].spans.add(at_ns, State.RUNNING)
        self._audience.changed(index, at_ns, State.RUNNING, "")

    def _off_cpu(self, index: int, start_ns: int, end_ns: int, wait: int, *_: int) -> None:
        track = self._ledger.tracks[index]
        number, cause = self._waits[wait]
        state = _STATES[number]
        pieces = track.off_cpu
        if pieces and pieces[-1][1:] == (start_ns, cause):  # it went on
            pieces[-1] = pieces[-1][0], end_ns, cause
        else:
            pieces.append((start_ns, end_ns, cause))
        growing = track.spans.state
        if growing is not None and growing[1] is State.RUNNING and growing[0] <= start_ns:
            self._audience.thread_waits(index, start_ns, state, self._ledger.causes[cause].reason)
            self._audience.changed(index, end_ns, State.RUNNING, "")

    def _taken(self, index: int, at_ns: int, resource: int, connection: int, site: int) -> None:
        held = Held(
            index,
            at_ns,
            connection=connection - 1 if connection else None,
            site=site - 1 if site else None,
        )
        self._refer(index)
        self._ledger.slots[resource].append(held)
        self._held[resource].append(held)
        track = self._ledger.tracks.get(index)
        growing = None if track is None else track.spans.state
        if track is None or growing is None or track.kind is not TrackKind.TASK or connection:
            return  # a pool hands nothing over: who was woken looks for a connection itself
        if growing[1] is State.QUEUED and self._ledger.causes[growing[2]].resource == resource:
            track.handed.append(held)

    def _given_back(self, index: int, at_ns: int, resource: int, connection: int, *_: int) -> None:
        """By who took it; else by whose child task took it; else it is the one held longest.

        Of a pool it is known which.
        """
        taken = self._held[resource]
        if connection:
            held = next((h for h in taken if h.connection == connection - 1), None)
            taken = [] if held is None else taken
            if held is not None and self._parent(held.track) == index:
                held.track = index  # before 3.12, wait_for takes it in a task of its own
        else:
            held = next((h for h in taken if h.track == index), None)
        if held is None:
            held = next((h for h in taken if self._parent(h.track) == index), None)
            if held is not None:
                held.track = index
        if held is None and taken:
            held = taken[0]
        if held is not None:
            held.end_ns = at_ns
            taken.remove(held)

    def _parent(self, index: int) -> int | None:
        track = self._ledger.tracks.get(index)
        return None if track is None else track.parent

    def _level(self, resource: int, at_ns: int, length: int, *_: int) -> None:
        self._ledger.levels[resource].append((at_ns, length))

    def _item_queued(self, item: int, at_ns: int, resource: int, submitter: int, *_: int) -> None:
        self._ledger.items[item] = Item(resource, submitter, at_ns)
        self._refer(submitter)

    def _item_started(self, item: int, at_ns: int, worker: int, *_: int) -> None:
        if item in self._ledger.items:
            self._ledger.items[item].started_ns = at_ns
            self._ledger.items[item].worker = worker

    def _item_done(self, item: int, at_ns: int, *_: int) -> None:
        if item in self._ledger.items:
            self._ledger.items[item].done_ns = at_ns

    def _called(self, index: int, start_ns: int, end_ns: int, call: int, *_: int) -> None:
        reason, site, called_from = self._calls[call]
        self._refer(index)
        self._ledger.blocking_calls[self._process.number].append(
            BlockingCall(index if index >= 0 else None, start_ns, end_ns, reason, site, called_from)
        )

    def _at(self, at_ns: int, *_: int) -> None:
        self._come_to(at_ns)
        if self._summing is not None:
            self._summing.told(self._process.number, at_ns)
        told = [process.now_ns for process in self._ledger.processes.values() if not process.gone]
        self._audience.clock(min((ns for ns in told if ns > at_ns - _LATE_NS), default=at_ns))


def _whole(value: int) -> int:
    """Raises TypeError for what only claims to be an index or a time."""
    if type(value) is not int:
        raise TypeError(f"{value!r} is not a whole number")
    return value


_HANDLERS: dict[int, Callable[[Assembly, int, int, int, int, int], None]] = {
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
    wire.STUCK: Assembly._stuck,
    wire.OFF_CPU: Assembly._off_cpu,
}
