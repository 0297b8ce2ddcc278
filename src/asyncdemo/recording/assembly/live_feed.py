"""Report lanes to a listener while they run, in the order and with the indices that it expects."""

from __future__ import annotations

from collections import defaultdict
from typing import Protocol

from asyncdemo.model import LOOPS, Outcome, Site, State
from asyncdemo.recording.assembly.records import TrackRecord

_SHOW_THREAD_AFTER_NS = 100_000_000
"""A thread that neither waits nor runs a loop becomes a lane once it has run this long."""


class Listener(Protocol):
    """Receives events as they happen. Times are since the start of the run's clock."""

    def lane_opened(self, lane: int, name: str, at_ns: int, state: State) -> None: ...
    def lane_changed(self, lane: int, at_ns: int, state: State, reason: str) -> None: ...
    def lane_closed(self, lane: int, at_ns: int, outcome: Outcome) -> None: ...
    def loop_blocked(
        self, since_ns: int, now_ns: int, site: Site | None, called_from: Site | None
    ) -> None: ...
    def clock(self, now_ns: int) -> None: ...
    def output(self, stream: str, text: str) -> None: ...


class LiveFeed:
    """Reports lanes: tracks or, if lanes are named, calls. The listener numbers them as they open."""

    has_listener = True

    def __init__(self, listener: Listener, named: bool, serves: bool = False) -> None:
        """``serves``: the load client's requests are the lanes instead of calls and tracks.

        Then the numbers of calls have no meaning here.
        """
        self._listener = listener
        self._named = named or serves
        self._serves = serves
        self._requests: dict[str, int] = {}
        """Trace id -> the listener's index."""
        self._handled_by: dict[str, int] = {}
        """Trace id -> track, for requests whose sending has not been reported yet."""
        self._shown: dict[int, int] = {}
        """Track, or -1 - lane or request, -> the listener's index."""
        self._opened = 0
        self._calls: defaultdict[int, list[int]] = defaultdict(list)
        """Track -> the listener's indices of the open named calls on it."""
        self._closed: list[tuple[int, int, Outcome]] = []
        self._threads: dict[int, TrackRecord] = {}
        """Threads that may still become lanes."""
        self.origin_ns = 0

    def task_made(self, index: int, track: TrackRecord) -> None:
        if not self._named and not track.own:
            self._open(index, track.label, track.start_ns, State.READY)

    def thread_made(self, index: int, track: TrackRecord) -> None:
        if not self._named and not track.own:
            self._threads[index] = track

    def call_opened(self, lane: int, track: int, name: str, at_ns: int) -> None:
        if self._named and not self._serves:
            self._open(-1 - lane, name, at_ns, State.RUNNING)
            self._calls[track].append(self._shown[-1 - lane])

    def call_closed(self, lane: int, track: int, at_ns: int, outcome: Outcome) -> None:
        shown = None if self._serves else self._shown.get(-1 - lane)
        if shown is not None:
            self._calls[track].remove(shown)
            self._closed.append((shown, at_ns, outcome))

    def request_sent(self, number: int, trace_id: str, name: str, at_ns: int) -> None:
        if not self._serves:
            return
        self._open(-1 - number, name, at_ns, State.QUEUED)
        self._requests[trace_id] = self._shown[-1 - number]
        if trace_id in self._handled_by:  # the server reported first
            self.handling(trace_id, self._handled_by.pop(trace_id), at_ns)

    def handling(self, trace_id: str, track: int, at_ns: int) -> None:
        if not self._serves:
            return
        shown = self._requests.get(trace_id)
        if shown is None:
            self._handled_by[trace_id] = track
            return
        self._calls[track].append(shown)
        self._listener.lane_changed(shown, at_ns - self.origin_ns, State.RUNNING, "")

    def handled(self, trace_id: str, track: int, at_ns: int) -> None:
        self._handled_by.pop(trace_id, None)
        shown = self._requests.get(trace_id)
        if shown is not None and shown in self._calls[track]:
            self._calls[track].remove(shown)
            self._listener.lane_changed(shown, at_ns - self.origin_ns, State.WAITING, "response")

    def request_answered(self, trace_id: str, at_ns: int, outcome: Outcome) -> None:
        shown = self._requests.get(trace_id)
        if shown is not None:
            self._closed.append((shown, at_ns, outcome))

    def track_closed(self, index: int, at_ns: int, outcome: Outcome) -> None:
        self._threads.pop(index, None)
        if index in self._shown:
            self._closed.append((self._shown[index], at_ns, outcome))

    def forget(self, index: int) -> None:
        """Report nothing more about this track."""
        self._shown.pop(index, None)

    def stepped(
        self, index: int, ready_ns: int, start_ns: int, end_ns: int, state: State, reason: str
    ) -> None:
        if ready_ns < start_ns:
            self.changed(index, ready_ns, State.READY, "")
        self.changed(index, start_ns, State.RUNNING, "")
        self.changed(index, end_ns, state, reason)

    def thread_waits(self, index: int, at_ns: int, state: State, reason: str) -> None:
        track = self._threads.pop(index, None)
        if track is not None and reason not in LOOPS:
            self._open(index, track.label, track.start_ns, State.RUNNING)
        self.changed(index, at_ns, state, reason)

    def changed(self, track: int, at_ns: int, state: State, reason: str) -> None:
        if self._named:
            for shown in self._calls[track]:
                self._listener.lane_changed(shown, at_ns - self.origin_ns, state, reason)
        elif track in self._shown:
            self._listener.lane_changed(self._shown[track], at_ns - self.origin_ns, state, reason)

    def blocked(self, since_ns: int, now_ns: int, site: Site | None, called_from: Site | None) -> None:
        self._listener.loop_blocked(since_ns - self.origin_ns, now_ns - self.origin_ns, site, called_from)

    def clock(self, now_ns: int) -> None:
        """Close what has ended, since all events up to ``now_ns`` have been reported."""
        over = [one for one in self._closed if one[1] <= now_ns]
        # A load client reports a response sooner than the server reports what it did for it.
        self._closed = [one for one in self._closed if one[1] > now_ns]
        for shown, at_ns, outcome in over:
            self._listener.lane_closed(shown, at_ns - self.origin_ns, outcome)
        for index, track in list(self._threads.items()):
            if now_ns - track.start_ns > _SHOW_THREAD_AFTER_NS:
                del self._threads[index]
                self._open(index, track.label, track.start_ns, State.RUNNING)
        self._listener.clock(now_ns - self.origin_ns)

    def _open(self, key: int, name: str, at_ns: int, state: State) -> None:
        shown = self._shown[key] = self._opened
        self._opened += 1
        self._listener.lane_opened(shown, name, at_ns - self.origin_ns, state)


class NoFeed(LiveFeed):
    has_listener = False

    def __init__(self) -> None:
        self.origin_ns = 0

    def _nothing(self, *_: object) -> None:
        pass

    task_made = thread_made = call_opened = call_closed = track_closed = stepped = _nothing  # type: ignore[assignment]
    thread_waits = changed = blocked = clock = forget = _nothing  # type: ignore[assignment]
    request_sent = handling = handled = request_answered = _nothing  # type: ignore[assignment]
