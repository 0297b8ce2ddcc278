"""The recording of one variant or script: its tracks, the lanes on them, its requests, and the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from asyncdemo.model.kinds import Clock, Outcome, RunOutcome, Site, TrackKind
from asyncdemo.model.observations import (
    AwaitSequence,
    BlockingCall,
    Delay,
    Holding,
    Resource,
    SlowStep,
    Stuck,
    Unawaited,
    Uncaught,
)
from asyncdemo.model.spans import Spans, Wakes


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
class Gap:
    """A stretch of time in which a process made more steps than could be recorded.

    Attributes:
        start_ns: When it began.
        end_ns: When it ended, or the recording did.
        steps: How many steps of tasks were not recorded.
        process: Which process it was, as in ``Track.process``.
    """

    start_ns: int
    end_ns: int
    steps: int
    process: int = 0


@dataclass(frozen=True, slots=True)
class CountedLanes:
    """Lanes of one function that ended in one way, and are only counted: there were too many to keep.

    Attributes:
        function: The function.
        outcome: How they ended.
        error: The name of the exception that ended them, if one did.
        count: How many there were.
        steps: How often an event loop ran them, without the steps in ``Run.gaps``.
    """

    function: str
    outcome: Outcome
    error: str | None
    count: int
    steps: int = 0


@dataclass(frozen=True, slots=True)
class MemorySample:
    """The memory and threads of all processes of a run at one moment.

    Attributes:
        at_ns: When the sample was taken.
        resident_bytes: How much they had in memory.
        virtual_bytes: How much they had reserved.
        threads: How many threads they had.
    """

    at_ns: int
    resident_bytes: int
    virtual_bytes: int
    threads: int


@dataclass(frozen=True, slots=True)
class Run:
    """The recording of one variant or script.

    Attributes:
        name: The variant, or the script.
        script: The file, or the module.
        argv: The arguments of the script.
        python: The version of Python that ran it.
        clock: Whether time was real or virtual.
        outcome: How it ended.
        exit_code: The program's own; None if it was stopped before it had one.
        threshold_ns: A step that held a loop longer than this is blocking.
        tracks: Every task and thread that was kept.
        lanes: The rows: the calls of the named functions if ``named``, else one for each track.
        named: Whether functions were named.
        knobs: Each constant and the value that it ran with.
        resources: Semaphores, locks, queues, executors and pools.
        wakes: Which track made which ready, and when.
        slow_steps: The steps that held a loop longer than the threshold.
        blocking_calls: The blocking calls made inside steps.
        await_sequences: Consecutive awaits.
        unawaited: Coroutines that were dropped.
        uncaught: The error that ended the script, if one did.
        left_pending: Indices into ``tracks`` of the tasks still pending when the main task of their loop
            finished.
        stuck: The tasks and threads that had not ended, and where they were, if the run met its time limit or
            a deadlock, or was interrupted.
        holdings: Who held what at that time.
        idle: Whether the event loops had no timer set and watched no file at that time, and the program had
            no signal handler of its own.
        alarms: Whether a timer was set at that time that may do anything: a callback of the program's own
            (``call_later``) or a signal (``signal.alarm``).
        result: What the function that was run returned, as a Python literal, if it has one.
        requests: Requests to a server, in the order in which they were sent. They are drawn instead of the
            lanes.
        memory: The memory samples, in order of time.
        processes: How many processes were recorded, the script's own included.
        delays: The delays before callbacks that the run's schedule asked for, in order.
        gaps: When steps were not recorded, in order.
        complete_from_ns: Since when every span is kept, if the oldest had to go; None if all are.
        counted: Lanes that are not kept: those that ended before then, or began and ended in a gap.
        incomplete: Why events are missing that should have been recorded, in a sentence that is one of the
            notes; "" if none are. See ``is_whole`` for what had to be left out.
        notes: What a reader must know, in sentences ("the recording is cut off after 2.10 s").
    """

    name: str
    script: str
    argv: tuple[str, ...]
    python: str
    clock: Clock
    outcome: RunOutcome
    exit_code: int | None
    threshold_ns: int
    tracks: tuple[Track, ...]
    lanes: tuple[Lane, ...]
    named: bool = False
    knobs: dict[str, int | float | str | bool] = field(default_factory=dict)
    resources: tuple[Resource, ...] = ()
    wakes: Wakes = field(default_factory=Wakes)
    slow_steps: tuple[SlowStep, ...] = ()
    blocking_calls: tuple[BlockingCall, ...] = ()
    await_sequences: tuple[AwaitSequence, ...] = ()
    unawaited: tuple[Unawaited, ...] = ()
    uncaught: tuple[Uncaught, ...] = ()
    left_pending: tuple[int, ...] = ()
    stuck: tuple[Stuck, ...] = ()
    holdings: tuple[Holding, ...] = ()
    idle: bool = False
    alarms: bool = False
    result: str | None = None
    notes: tuple[str, ...] = ()
    requests: tuple[Request, ...] = ()
    memory: tuple[MemorySample, ...] = ()
    processes: int = 1
    gaps: tuple[Gap, ...] = ()
    complete_from_ns: int | None = None
    counted: tuple[CountedLanes, ...] = ()
    incomplete: str = ""
    delays: tuple[Delay, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether all of its lanes are kept, with every step."""
        return not self.gaps and self.complete_from_ns is None

    @property
    def rows(self) -> tuple[Lane | Request, ...]:
        """The rows that are drawn: the requests if there are any, else the lanes."""
        return self.requests or self.lanes


@dataclass(frozen=True, slots=True)
class Evidence:
    """The stretch of a run that shows a fault; ``render.terminal.evidence`` draws it.

    Attributes:
        run: The whole recording.
        lanes: Indices into ``run.lanes`` of the lanes that matter.
        start_ns: When the stretch begins.
        end_ns: When it ends.
        requests: Indices into ``run.requests``, if requests are what matters.
    """

    run: Run
    lanes: tuple[int, ...]
    start_ns: int
    end_ns: int
    requests: tuple[int, ...] = ()
