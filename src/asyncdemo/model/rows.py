"""Tracks, the lanes on them, the requests that they answer, and tasks of which only sums are kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from asyncdemo.model.kinds import Outcome, TrackKind
from asyncdemo.model.site import Site
from asyncdemo.model.spans import CoarseSpans, Spans


@dataclass(frozen=True, slots=True)
class Track:
    """Something that executes: an asyncio task or a thread.

    Attributes:
        index: Its place in ``Run.tracks``.
        kind: Task or thread.
        name: The name of the task or thread.
        function: The function that it runs.
        start_ns: When it began.
        end_ns: When it ended, or the recording did.
        outcome: How it ended.
        spans: What it was doing.
        error: The name of the exception that ended it, if one did.
        site: Where the function that it runs is defined.
        created_at: The line that created it.
        parent: Index of the track that created it; ``lineage`` follows it.
        thread: Index of the thread whose loop runs the task.
        steps: How often an event loop ran it; 0 for threads.
        cpu_ns: CPU time of a thread between its start and end, where the system reports it.
        own: Whether the standard library created it for its own use, so that it has no lane.
        process: Which of the run's processes it belongs to: 0 is the script's own, then its workers in the
            order in which they appeared.
        coarse: How the first of its spans were summed, if there were too many to keep each.
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
    """Yield the track, the one that created it, the one that created that, and so on.

    Each comes once, so this ends even if their parents form a cycle.

    Args:
        tracks: ``Run.tracks``.
        index: Where to begin; None yields nothing.
    """
    seen: set[int] = set()
    while index is not None and index not in seen and 0 <= index < len(tracks):
        seen.add(index)
        yield tracks[index]
        index = tracks[index].parent


@dataclass(frozen=True, slots=True)
class Lane:
    """A row of the timeline: a track, or one call of a function that the lesson names.

    ``spans`` are those of the track between open and close, except that a lane that only awaits
    its own child task shows the child's states (see ``Wait.via``).

    Attributes:
        name: The function with abbreviated arguments: ``upload(3)``.
        track: Index into ``Run.tracks`` of the track that executes it.
        start_ns: When it was opened.
        end_ns: When it was closed, or the recording ended.
        outcome: How it ended.
        spans: What it was doing.
        function: The function, if the lane is a call.
        result: The call's return value as a Python literal, if results were requested and it has one.
        error: The name of the exception that ended the call, CancelledError included.
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
    a thread ("worker thread") or ready until the event loop starts it, then the states of the track that
    handled it, and waiting for the rest of the response ("response").

    Attributes:
        name: Method, path and number: ``POST /upload 3``.
        start_ns: When its client meant to send it.
        end_ns: When the response ended, or the wait for it.
        outcome: Whether a complete response came.
        spans: What it was waiting for, or its handler was doing.
        sent_ns: When the client began to connect or, on an open connection, to send.
        track: Index into ``Run.tracks`` of the handler; None if none was reached.
        accepted_ns: When the server accepted it, if known.
        handled_ns: When the server began to handle it, if known.
        status: The status code of the response; None without one.
        error: Why there is no response: "timeout", "refused", ...
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


class Answer(NamedTuple):
    """A server's response to one request.

    Attributes:
        method: The method of the request.
        path: Its path, with the query.
        status: The status code, or None without a complete response.
        content_type: The Content-Type of the response.
        body: As much of the body as was kept.
    """

    method: str
    path: str
    status: int | None
    content_type: str
    body: bytes


@dataclass(frozen=True, slots=True)
class SummedTasks:
    """Tasks that have no tracks and no lanes in the run: those of one function that ended in one way.

    Attributes:
        function: The function that they ran.
        outcome: How they ended.
        starts_ns: When each of them began.
        ends_ns: When each of them ended.
        steps: How often an event loop ran them, in total.
        running_ns: How long they ran, in total.
        ready_ns: How long they were ready, in total.
        waiting_ns: How long they waited, in total. None of them queued for anything.
        longest_step_ns: The longest step of any of them.
        longest_work_ns: The longest time that one of them ran and waited, without its waits for other lanes.
        parent: Index into ``Run.tracks`` of the track that created them.
        thread: Index into ``Run.tracks`` of the thread whose loop ran them.
        site: Where the function is defined.
    """

    function: str
    outcome: Outcome
    starts_ns: tuple[int, ...]
    ends_ns: tuple[int, ...]
    steps: int
    running_ns: int
    ready_ns: int
    waiting_ns: int
    longest_step_ns: int
    longest_work_ns: int
    parent: int | None = None
    thread: int | None = None
    site: Site | None = None
