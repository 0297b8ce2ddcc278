"""Match the two sides of a server's requests, and compose each request's spans from both.

The load client's reports and the events of the server arrive on different connections, in any order, and are
matched by the trace id.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import assert_never

from asyncdemo.capture import wire
from asyncdemo.model import Outcome, Request, Spans, State, TrackKind, Wait
from asyncdemo.recording.assembly.live_feed import LiveFeed
from asyncdemo.recording.assembly.records import Causes, Outline
from asyncdemo.recording.assembly.script import Script
from asyncdemo.recording.assembly.spans import SpansBuilder
from asyncdemo.recording.assembly.track_snapshot import TrackSnapshot

_SERVER_ERRORS = 500
"""From this status on, the server failed."""


@dataclass(slots=True)
class RequestRecord:
    """What the load client has reported about one request. ``port`` is the client's; 0 while unknown."""

    name: str
    trace_id: str
    intended_ns: int
    sent_ns: int
    port: int
    answered_ns: int | None = None
    status: int | None = None
    error: str | None = None

    @property
    def outcome(self) -> Outcome:
        if self.answered_ns is None:
            return Outcome.OPEN
        served = self.error is None and self.status is not None and self.status < _SERVER_ERRORS
        return Outcome.RETURNED if served else Outcome.RAISED


@dataclass(slots=True)
class Handling:
    """A server's handling of one request, on one track. ``end_ns`` is None while it continues."""

    track: int
    start_ns: int
    end_ns: int | None = None


class RequestMatcher:
    """Stores both sides."""

    def __init__(self, script: Script, live_feed: LiveFeed) -> None:
        self._script = script
        self._feed = live_feed
        self._in_progress: dict[int, tuple[str, Handling]] = {}
        self._sent: dict[int, RequestRecord] = {}
        """By the load client's numbers."""
        self._handlings: defaultdict[str, list[Handling]] = defaultdict(list)
        """By the request's trace id: outer ones before those nested in them."""
        self._accepted: defaultdict[int, list[int]] = defaultdict(list)
        """The client's port -> when connections from it were accepted; ports are reused."""
        self.accepting: set[int] = set()
        """The processes that have accepted a connection."""

    # -- the client -----------------------------------------------------------------------------

    def request_sent(
        self, number: int, trace_id: str, name: str, intended_ns: int, sent_ns: int, port: int
    ) -> None:
        """``port`` is the client's own; 0 if it is not known yet."""
        self._sent[number] = RequestRecord(name, trace_id, intended_ns, sent_ns, port)
        self._feed.request_sent(number, trace_id, name, intended_ns)

    def request_connected(self, number: int, port: int) -> None:
        self._sent[number].port = port

    def request_answered(self, number: int, at_ns: int, status: int | None, error: str | None) -> None:
        """``error`` says why there is no complete response."""
        request = self._sent[number]
        request.answered_ns, request.status, request.error = at_ns, status, error
        self._feed.request_answered(request.trace_id, at_ns, request.outcome)
        self._script.note_answer(at_ns)

    # -- the server -----------------------------------------------------------------------------

    def handle(self, message: wire.RequestMessage) -> None:
        """Take a message. Raise KeyError for the end of a handling that never began."""
        match message:
            case wire.Accepted(port, at_ns):
                self._accepted[port].append(at_ns)
                self.accepting.add(self._script.process.number)
            case wire.Handling(number, trace_id, track, at_ns):
                begun = Handling(track, at_ns)
                self._in_progress[number] = trace_id, begun
                self._handlings[trace_id].append(begun)
                self._feed.handling(trace_id, track, at_ns)
            case wire.Handled(number, at_ns):
                trace_id, over = self._in_progress.pop(number)
                over.end_ns = at_ns
                self._feed.handled(trace_id, over.track, at_ns)
            case _:
                assert_never(message)

    # -- what a run has of it -------------------------------------------------------------------

    def snapshot(self, outline: Outline, tracks: TrackSnapshot) -> tuple[Request, ...]:
        """Return the requests, in the order in which they were meant to be sent."""
        return tuple(
            compose(
                request,
                list(self._handlers(request.trace_id, outline, tracks)),
                sorted(self._accepted.get(request.port, ())),
                outline.end_ns,
                tracks.causes,
            )
            for request in sorted(self._sent.values(), key=lambda request: request.intended_ns)
        )

    def _handlers(self, trace_id: str, outline: Outline, tracks: TrackSnapshot) -> Iterator[Handler]:
        handlings = self._handlings.get(trace_id, ())
        for handling in sorted(handlings, key=lambda handling: handling.start_ns):
            place = outline.track(handling.track)
            if place is not None:
                end_ns = outline.end_ns if handling.end_ns is None else handling.end_ns
                end_ns = max(end_ns, handling.start_ns)
                shown = tracks.shown(place)
                yield Handler(place, tracks.tracks[place].kind, handling.start_ns, end_ns, shown)


@dataclass(frozen=True, slots=True)
class Handler:
    """One track at work on a request. ``spans`` are the track's, ``track`` is its index in the run."""

    track: int
    kind: TrackKind
    start_ns: int
    end_ns: int
    spans: Spans


def compose(
    request: RequestRecord,
    handlers: Sequence[Handler],
    accepted: Sequence[int],
    now_ns: int,
    causes: Causes,
) -> Request:
    """Compose a request. Outer ``handlers`` come before those nested in them.

    ``accepted`` is when connections from its port were accepted, in order; ``now_ns`` is the end of the
    recording, for a request without a response.
    """
    end_ns = max(request.answered_ns if request.answered_ns is not None else now_ns, request.sent_ns)
    place = bisect_left(accepted, request.sent_ns)
    accepted_ns = accepted[place] if place < len(accepted) and accepted[place] <= end_ns else None
    handlers = [handler for handler in handlers if handler.start_ns < end_ns]
    spans = SpansBuilder()
    if request.intended_ns < request.sent_ns:
        spans.add(request.intended_ns, State.WAITING, causes.index(Wait("client")))
    spans.add(request.sent_ns, State.QUEUED, causes.index(Wait("accept")))
    if accepted_ns is not None:
        if handlers and handlers[0].kind is TrackKind.THREAD:
            spans.add(accepted_ns, State.QUEUED, causes.index(Wait("worker thread")))
        else:
            spans.add(accepted_ns, State.READY)
    for start_ns, stop_ns, handler in _innermost(handlers, end_ns):
        starts, states, waits, _ = handler.spans.clip(start_ns, stop_ns).columns
        for start, state, wait in zip(starts, states, waits, strict=True):
            spans.add(max(start, request.sent_ns), state, wait)
    if handlers and handlers[0].end_ns < end_ns:
        spans.add(handlers[0].end_ns, State.WAITING, causes.index(Wait("response")))
    return Request(
        name=request.name,
        start_ns=request.intended_ns,
        end_ns=end_ns,
        outcome=request.outcome,
        spans=spans.build(end_ns, causes.table),
        sent_ns=request.sent_ns,
        track=handlers[-1].track if handlers else None,
        accepted_ns=accepted_ns,
        handled_ns=handlers[0].start_ns if handlers else None,
        status=request.status,
        error=request.error,
    )


def _innermost(handlers: Sequence[Handler], end_ns: int) -> list[tuple[int, int, Handler]]:
    """Return who was at work on it and when; if two overlap, the one that began later."""
    edges = sorted({edge for handler in handlers for edge in (handler.start_ns, min(handler.end_ns, end_ns))})
    parts = []
    for start_ns, stop_ns in pairwise(edges):
        within = [h for h in handlers if h.start_ns <= start_ns and stop_ns <= h.end_ns]
        if within:
            parts.append((start_ns, stop_ns, within[-1]))
    return parts
