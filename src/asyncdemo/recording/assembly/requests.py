"""The spans of a request: from its intended send, through the server's track, to its response.

Pure functions. Not here: what the load client and the server report (see ``request_matcher``).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from asyncdemo.model import Request, Spans, State, TrackKind, Wait
from asyncdemo.recording.assembly.ledger import Causes
from asyncdemo.recording.assembly.records import RequestRecord
from asyncdemo.recording.assembly.spans import SpansBuilder


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
    accepted_ns = _first_since(accepted, request.sent_ns, end_ns)
    handlers = [handler for handler in handlers if handler.start_ns < end_ns]
    spans = SpansBuilder()
    if request.intended_ns < request.sent_ns:
        spans.add(request.intended_ns, State.WAITING, causes.index(Wait("client")))
    spans.add(request.sent_ns, State.QUEUED, causes.index(Wait("accept")))
    if accepted_ns is not None:
        in_thread = bool(handlers) and handlers[0].kind is TrackKind.THREAD
        if in_thread:
            spans.add(accepted_ns, State.QUEUED, causes.index(Wait("worker thread")))
        else:
            spans.add(accepted_ns, State.READY)
    for start_ns, stop_ns, handler in _innermost(handlers, end_ns):
        for start, state, wait in _columns(handler.spans.clip(start_ns, stop_ns)):
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


def _first_since(times: Sequence[int], since_ns: int, until_ns: int) -> int | None:
    place = bisect_left(times, since_ns)
    return times[place] if place < len(times) and times[place] <= until_ns else None


def _innermost(handlers: Sequence[Handler], end_ns: int) -> list[tuple[int, int, Handler]]:
    """Return who was at work on it and when; if two overlap, the one that began later."""
    edges = sorted({edge for handler in handlers for edge in (handler.start_ns, min(handler.end_ns, end_ns))})
    parts = []
    for start_ns, stop_ns in pairwise(edges):
        within = [h for h in handlers if h.start_ns <= start_ns and stop_ns <= h.end_ns]
        if within:
            parts.append((start_ns, stop_ns, within[-1]))
    return parts


def _columns(spans: Spans) -> list[tuple[int, State, int]]:
    starts, states, waits, _ = spans.columns
    return [(start, State(state), wait) for start, state, wait in zip(starts, states, waits, strict=True)]
