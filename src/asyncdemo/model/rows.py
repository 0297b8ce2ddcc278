"""Who does something: tracks, the lanes on them, the requests that they answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from asyncdemo.model.kinds import Outcome, TrackKind
from asyncdemo.model.site import Site
from asyncdemo.model.spans import CoarseSpans, Spans

__all__ = ["Lane", "Request", "Track", "lineage"]


@dataclass(frozen=True, slots=True)
class Track:
    """Something that executes: an asyncio task or a thread.

    index: its place in ``Run.tracks``. kind: which of the two. name: of the task or thread.
    function: that it runs. start_ns, end_ns: when it was there. outcome: how it ended.
    spans: what it was doing. error: the name of the error that ended it.
    site: where the function it runs is defined. created_at: the line that made it.
    parent: index of the track that made it; ``lineage`` follows it. thread: index of the thread whose loop
    runs the task.
    steps: how often an event loop ran it (0 for threads).
    cpu_ns: CPU time of a thread between its open and close, where the system tells.
    own: made by the standard library for itself, so no lane.
    process: which of the run's processes it belongs to: 0 is the script's own, then its workers in the
    order in which they came. coarse: if there were too many spans to keep each.
    """

    index: int
    kind: TrackKind
    name: str
    function: str
    start_ns: int
    end_ns: int
    outcome: Outcome
    spans: Spans
    site: Site | None = None
    created_at: Site | None = None
    parent: int | None = None
    thread: int | None = None
    steps: int = 0
    cpu_ns: int | None = None
    error: str | None = None
    own: bool = False
    process: int = 0
    coarse: CoarseSpans | None = None


def lineage(tracks: Sequence[Track], index: int | None) -> Iterator[Track]:
    """The track, who made it, who made that one, and so on: each once, so it ends whatever they say."""
    seen: set[int] = set()
    while index is not None and index not in seen and 0 <= index < len(tracks):
        seen.add(index)
        yield tracks[index]
        index = tracks[index].parent


@dataclass(frozen=True, slots=True)
class Lane:
    """A row of the timeline: a track, or one call of a function the lesson names.

    ``spans`` are those of the track between open and close, except that a lane that only awaits
    its own child task shows the child's states (``Wait.via`` says so).
    name: with arguments that are short: ``upload(3)``. track: index into ``Run.tracks``: what executes it.
    start_ns, end_ns: when it was open. outcome: how it ended. function: the function, if it is a call.
    result: what the call returned, as a Python literal, if results were asked for and it is one.
    error: the name of the error that ended the call, CancelledError included.
    """

    name: str
    track: int
    start_ns: int
    end_ns: int
    outcome: Outcome
    spans: Spans
    function: str = ""
    result: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """One request to a server, from the moment its client meant to send it to the end of the response.

    ``spans``: waiting for the client to begin ("client"), queued to be accepted ("accept"), queued for
    a thread that takes it ("worker thread") or ready until the event loop begins it, then the states
    of the track that handled it, and waiting for the rest of the response ("response").
    name: method, path and number: ``POST /upload 3``. outcome: whether a whole response came.
    start_ns, end_ns: from when its client meant to send it to the end of the response, or of waiting for it.
    track: of the handler; None if none was reached.
    sent_ns: when the client began to connect or, on an open connection, to send.
    accepted_ns, handled_ns: when the server accepted it and began to handle it, as far as is known.
    status: of the response, None without one. error: why there is none ("timeout", "refused", ...).
    """

    name: str
    start_ns: int
    end_ns: int
    outcome: Outcome
    spans: Spans
    sent_ns: int
    track: int | None = None
    accepted_ns: int | None = None
    handled_ns: int | None = None
    status: int | None = None
    error: str | None = None
