"""Tasks and threads, their steps and waits, and the named calls on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import assert_never

from asyncdemo.capture import wire
from asyncdemo.model import LOOPS, Gap, Outcome, Site, State, TrackKind, Unawaited, Uncaught, Wait
from asyncdemo.recording.assembly.live_feed import LiveFeed
from asyncdemo.recording.assembly.records import Causes, LaneRecord, RawWakes, TrackRecord
from asyncdemo.recording.assembly.script import Script
from asyncdemo.recording.assembly.sequences import Pause
from asyncdemo.recording.assembly.spans import SpansBuilder
from asyncdemo.recording.assembly.window import Window

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
_NOTHING = (wire.NOW, wire.STUCK, wire.OFF_CPU, wire.ENDED)
"""Numbers that don't mean that the script did something."""
_STATES = tuple(State)
_BY_EVENTS = (wire.BY_IO, wire.BY_TIMER)


class Tracks:
    """Indices are those of the traced processes."""

    def __init__(self, script: Script, live_feed: LiveFeed, *, named: bool) -> None:
        self.script = script
        self._live_feed = live_feed
        self.named = named
        """Whether the lanes are named calls, not tracks."""
        self.records: dict[int, TrackRecord] = {}
        self.lanes: dict[int, LaneRecord] = {}
        self.window = Window(self.records, script, self._forget_before)
        self._sites: dict[int, Site] = {}
        self.causes = Causes()
        self.waits: dict[int, tuple[int, int]] = {
            wire.WAIT_YIELD: (int(State.READY), 0),
            wire.WAIT_DONE: (int(State.READY), 0),
        }
        """Index of a wait -> (state, cause)."""
        self.item_waits: dict[int, int] = {}
        """Index of a cause -> the work item waited for."""
        self._completed: dict[tuple[int, int], int] = {}
        """(cause, who ended the wait) -> the cause that includes who did."""
        self.starved: dict[int, int] = {}
        """Tasks that could run if another step ended -> since when."""
        self.wakes = RawWakes()
        self.pauses: list[Pause] = []
        self.unawaited: list[tuple[Unawaited, bool]] = []
        """With whether its line itself dropped it."""
        self.uncaught: list[Uncaught] = []
        self.pending: set[int] = set()
        """Tasks that were not done when their loop's main task was, or when they were collected."""
        self._gaps: dict[tuple[int, int], tuple[int, int]] = {}
        """(process, since when) -> (until when, steps that were not recorded)."""

    def site(self, index: int | None) -> Site | None:
        return None if index is None else self._sites.get(index)

    def mark_starved(self, index: int, ready_ns: int) -> None:
        """Note that a task could run since then, but another step holds its loop."""
        track = self.records.get(index)
        if track is not None and index not in self.starved:
            self.starved[index] = max(ready_ns, track.ended_ns)
            self._live_feed.changed(index, self.starved[index], State.READY, "")

    # -- steps ----------------------------------------------------------------------------------

    def take_numbers(
        self, events: Iterator[tuple[int, ...]], handlers: Mapping[int, Callable[..., None]]
    ) -> int:
        """Handle events, those with a tag by ``handlers``; return in how many the script did something.

        Most are steps of tasks, so the code for those is written out here, for speed.
        """
        waits, item_waits, has_listener = self.waits, self.item_waits, self._live_feed.has_listener
        tracks, starved, add_wake = self.records, self.starved, self.wakes.add
        count = 0
        for index, ready_ns, start_ns, end_ns, wait, waker in events:
            count += 1
            if index < 0:
                count -= index in _NOTHING
                handlers[index](ready_ns, start_ns, end_ns, wait, waker)
                continue
            track = tracks.get(index)
            if track is None:
                self.window.count_late_step(index)
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
                    self._complete_cause(track.spans, waker)
                elif waker in _BY_EVENTS:
                    self._complete_cause(track.spans, waker)
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
            if cause in item_waits:
                track.waits_for_items = True
            if has_listener:
                reason = self.causes[cause].reason
                self._live_feed.stepped(index, ready_ns, start_ns, end_ns, _STATES[spent], reason)
        self.window.add_steps(count)
        return count

    def _complete_cause(self, spans: SpansBuilder, waker: int) -> None:
        """Complete the cause of a wait: who or what ended it may show what it was for."""
        wait = spans.waiting_for
        if wait < 0:
            return
        completed = self._completed.get((wait, waker))
        if completed is None:
            completed = self._completed[wait, waker] = self._completed_cause(wait, waker)
        if completed != wait:
            spans.recause(completed)

    def _completed_cause(self, wait: int, waker: int) -> int:
        cause = self.causes[wait]
        if wait in self.item_waits or cause.on is not None or cause.reason not in wire.WOKEN_BY_LANES:
            return wait
        if waker >= 0:
            return self.causes.index(replace(cause, on=waker))
        if cause.reason != "future":
            return wait
        return self.causes.index(replace(cause, reason="i/o" if waker == wire.BY_IO else "timer"))

    # -- other numbers --------------------------------------------------------------------------

    def on_thread_waits(self, index: int, at_ns: int, wait: int, *_: int) -> None:
        track = self.records[index]
        number, cause = self.waits[wait]
        spent = _STATES[number]
        track.spans.add(at_ns, spent, cause)
        if cause in self.item_waits:
            track.waits_for_items = True
        reason = self.causes[cause].reason
        if reason in LOOPS:
            track.hosts_loop = True
        self._live_feed.thread_waits(index, at_ns, spent, reason)

    def on_thread_runs(self, index: int, at_ns: int, *_: int) -> None:
        self.records[index].spans.add(at_ns, State.RUNNING)
        self._live_feed.changed(index, at_ns, State.RUNNING, "")

    def on_off_cpu(self, index: int, start_ns: int, end_ns: int, wait: int, *_: int) -> None:
        track = self.records[index]
        number, cause = self.waits[wait]
        seen = track.off_cpu
        if seen and seen[-1][1:] == (start_ns, cause):  # it continued
            seen[-1] = seen[-1][0], end_ns, cause
        else:
            seen.append((start_ns, end_ns, cause))
        growing = track.spans.state
        if growing is not None and growing[1] is State.RUNNING and growing[0] <= start_ns:
            self._live_feed.thread_waits(index, start_ns, _STATES[number], self.causes[cause].reason)
            self._live_feed.changed(index, end_ns, State.RUNNING, "")

    def on_ended(self, index: int, at_ns: int, cancelled: int, *_: int) -> None:
        self._end(index, at_ns, Outcome.CANCELLED if cancelled else Outcome.RETURNED)

    def on_gap(self, since_ns: int, until_ns: int, steps: int, *_: int) -> None:
        self._gaps[self.script.process.number, since_ns] = until_ns, steps

    def on_unseen(self, index: int, since_ns: int, *_: int) -> None:
        track = self.records.get(index)
        if track is not None:  # else it was done, and too long ago to be kept
            track.spans.add_unseen(since_ns)
            track.ended_ns = max(track.ended_ns, since_ns)
            self._live_feed.changed(index, since_ns, State.UNKNOWN, "")

    # -- messages -------------------------------------------------------------------------------

    def handle(self, message: wire.TrackMessage) -> None:
        """Take a message. The most frequent come first, and are unpacked as tuples, for speed."""
        match message:
            case wire.Task():
                track = self._add(TrackKind.TASK, message)
                track.own, track.thread = message.own, message.thread
                self._live_feed.task_made(message.track, track)
            case wire.End():
                index, at_ns, outcome, error, cpu_ns, name = message
                track = self.records[index]
                track.error, track.cpu_ns, track.name = error, cpu_ns, name or track.name
                self._end(index, at_ns, Outcome(outcome))
            case wire.Lane():
                lane, index, name, function, at_ns = message
                self.lanes[lane] = LaneRecord(name, function, index, at_ns)
                self._live_feed.call_opened(lane, index, name, at_ns)
            case wire.LaneEnd():
                lane, at_ns, outcome, result, error = message
                closed = self.lanes[lane]
                closed.end_ns, closed.outcome = at_ns, Outcome(outcome)
                closed.result, closed.error = result, error
                self._live_feed.call_closed(lane, closed.track, at_ns, closed.outcome)
            case wire.Wait():
                self._add_wait(message)
            case wire.Site(index, file, line, function):
                self._sites[index] = Site(file, line, function)
            case wire.Pause(index, start_ns, end_ns, calls):
                chain = tuple((serial, self.site(place)) for serial, place in calls)
                self.pauses.append(Pause(index, start_ns, end_ns, chain))
            case wire.Thread(track=index, function=function):
                track = self._add(TrackKind.THREAD, message)
                track.own = function in _OWN_THREADS
                self._live_feed.thread_made(index, track)
            case wire.Runs(index, at_ns):
                self.records[index].spans.add(at_ns, State.RUNNING)
            case wire.TasksCounted(function, outcome, error, count):
                if not self.named:  # else the calls are the lanes, and each of them was reported
                    self.window.count(function, Outcome(outcome), error, count)
            case wire.Destroyed(index, at_ns):
                destroyed = self.records.get(index)
                if destroyed is not None and destroyed.closed_ns is None:
                    destroyed.closed_ns = at_ns
                    self.pending.add(index)
            case wire.Pending(tracks):
                self.pending.update(tracks)
            case wire.Unawaited(function, at_ns, site, is_there):
                self.unawaited.append((Unawaited(function, at_ns, self.site(site)), is_there))
            case wire.Uncaught(error, text, in_group, own, raised_in, site):
                self.uncaught.append(Uncaught(error, text, in_group, own, raised_in, self.site(site)))
            case _:
                assert_never(message)

    def _add(self, kind: TrackKind, message: wire.Task | wire.Thread) -> TrackRecord:
        track = self.records[message.track] = TrackRecord(
            kind,
            message.at_ns,
            self.script.process,
            ended_ns=message.at_ns,
            name=message.name,
            function=message.function,
            site=message.site,
            created_at=message.created,
            parent=message.parent,
        )
        track.spans.add(message.at_ns, State.READY)
        self.window.add_track()
        return track

    def _add_wait(self, message: wire.Wait) -> None:
        place = self.site(message.site)
        if message.item is None:
            cause = self.causes.index(Wait(message.reason, message.resource, message.on, site=place))
        else:
            # One cause per item, even if they look the same: each is split where its own item starts.
            cause = self.causes.add(Wait(message.reason, site=place))
            self.item_waits[cause] = message.item
        self.waits[message.wait] = int(State(message.state)), cause

    def _end(self, index: int, at_ns: int, outcome: Outcome) -> None:
        track = self.records[index]
        track.closed_ns, track.outcome = at_ns, outcome
        self._live_feed.track_closed(index, at_ns, outcome)

    # -- the window, and what a run needs --------------------------------------------------------

    def _forget_before(self, at_ns: int) -> None:
        for index, track in list(self.records.items()):
            if track.closed_ns is None or track.closed_ns >= at_ns:
                track.spans.forget_before(at_ns)
                track.ended_ns = max(track.ended_ns, at_ns)  # nothing is added before that
                continue
            del self.records[index]
            self.pending.discard(index)
            self._live_feed.forget(index)
            if not track.own and not track.hosts_loop and not self.named:
                self.window.count(track.function, track.outcome, track.error, 1, track.steps)
        for number, lane in list(self.lanes.items()):
            if lane.end_ns is not None and lane.end_ns < at_ns:
                del self.lanes[number]
                self.window.count(lane.function, lane.outcome, lane.error, 1)
        self.pauses[:] = [pause for pause in self.pauses if pause.end_ns >= at_ns]
        self.wakes.forget_before(at_ns)

    def places(self) -> dict[int, int]:
        """Return track -> its index in the run, in order of creation."""
        made = sorted(self.records, key=lambda index: (self.records[index].start_ns, index))
        return {index: place for place, index in enumerate(made)}

    def ends(self) -> dict[int, int]:
        """Return process -> end time of what it has not closed, as far as recorded."""
        tracks = self.records.values()
        run_ns = max([self.script.now_ns, *(track.ended_ns for track in tracks)])
        processes = self.script.processes.items()
        ends = {number: process.now_ns if process.gone else run_ns for number, process in processes}
        for track in tracks:
            ends[track.process.number] = max(ends[track.process.number], track.ended_ns)
        return ends

    def gaps(self) -> tuple[Gap, ...]:
        gaps = (
            Gap(since_ns, until_ns, steps, process)
            for (process, since_ns), (until_ns, steps) in self._gaps.items()
            if steps  # else nothing is missing
        )
        return tuple(sorted(gaps, key=lambda gap: (gap.start_ns, gap.process)))
