"""The recording of one run, as data: what every track and lane did, and when.

Not for: measuring (``metrics``), judging (``diagnose``), files (``store``) or drawing (``render``).
No I/O, no clock, no asyncio. All times are integer nanoseconds on the clock of the run; only
differences mean anything.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import overload

__all__ = [
    "NO_WAIT",
    "AwaitSequence",
    "BlockingCall",
    "Clock",
    "Connection",
    "Lane",
    "MemorySample",
    "Outcome",
    "Request",
    "Resource",
    "ResourceKind",
    "Run",
    "RunOutcome",
    "Site",
    "Slot",
    "SlowStep",
    "Span",
    "Spans",
    "State",
    "Stuck",
    "Track",
    "TrackKind",
    "Unawaited",
    "Wait",
    "Wake",
    "Wakes",
]


_PACKAGES = ("site-packages", "dist-packages")


class State(IntEnum):
    """What a lane is doing. The values index columns, so they are part of the run format."""

    RUNNING = 0
    """Executing."""
    READY = 1
    """Could run; something else has the event loop."""
    WAITING = 2
    """For time, the outside world or another lane."""
    QUEUED = 3
    """For its turn at something limited."""


class TrackKind(StrEnum):
    TASK = "task"
    THREAD = "thread"


class Outcome(StrEnum):
    """How a track or lane ended."""

    RETURNED = "returned"
    RAISED = "raised"
    CANCELLED = "cancelled"
    OPEN = "open"
    """Not over when the recording ended."""


class RunOutcome(StrEnum):
    OK = "ok"
    FAILED = "failed"
    TIMEOUT = "timeout"
    INTERRUPTED = "interrupted"


class Clock(StrEnum):
    REAL = "real"
    VIRTUAL = "virtual"


class ResourceKind(StrEnum):
    """What is limited. A queue is limited in its length, the others in how many hold it."""

    SEMAPHORE = "semaphore"
    LOCK = "lock"
    QUEUE = "queue"
    EXECUTOR = "executor"
    POOL = "pool"


@dataclass(frozen=True, slots=True)
class Site:
    """A place in source code."""

    file: str
    line: int
    function: str = ""

    @property
    def installed(self) -> bool:
        """In a package that was installed, so not the user's own code."""
        return any(part in _PACKAGES for part in re.split(r"[/\\]", self.file))


@dataclass(frozen=True, slots=True)
class Wait:
    """Why a span is waiting or queued, shared by every span with the same cause.

    reason: a field term: "sleep", "net.read", "task", "empty queue", "semaphore", ...
    resource: index into ``Run.resources``, for queued spans.
    on: index of the track waited for (or that ended the wait), if there is one.
    via: index of the child track whose state this span shows, if the lane only awaits it.
    """

    reason: str = ""
    resource: int | None = None
    on: int | None = None
    via: int | None = None


NO_WAIT = Wait()


@dataclass(frozen=True, slots=True)
class Span:
    """One stretch of a lane in one state; ``start_ns <= t < end_ns``."""

    start_ns: int
    end_ns: int
    state: State
    wait: Wait = NO_WAIT

    @property
    def duration_ns(self) -> int:
        return self.end_ns - self.start_ns


class Spans(Sequence[Span]):
    """The states of a lane from open to close, without gap or overlap.

    Kept as columns (13 bytes a span): each span ends where the next one starts, so a gap or an
    overlap cannot be written down.
    """

    __slots__ = ("_causes", "_end_ns", "_starts", "_states", "_waits")

    def __init__(
        self,
        starts: array[int],
        states: array[int],
        waits: array[int],
        end_ns: int,
        causes: Sequence[Wait],
    ) -> None:
        if not len(starts) == len(states) == len(waits):
            raise ValueError("columns of spans differ in length")
        self._starts = starts
        self._states = states
        self._waits = waits
        self._end_ns = end_ns
        self._causes = causes

    @classmethod
    def of(cls, spans: Iterable[Span]) -> Spans:
        """Spans from single ones, which must follow each other without gap or overlap.

        Raises ValueError otherwise.
        """
        starts, states, waits = array("q"), array("B"), array("i")
        causes: dict[Wait, int] = {NO_WAIT: 0}
        end_ns: int | None = None
        for span in spans:
            if span.end_ns < span.start_ns or end_ns not in (None, span.start_ns):
                raise ValueError(f"span {span} does not start where the one before it ends")
            starts.append(span.start_ns)
            states.append(span.state)
            waits.append(causes.setdefault(span.wait, len(causes)))
            end_ns = span.end_ns
        return cls(starts, states, waits, end_ns or 0, tuple(causes))

    @property
    def causes(self) -> Sequence[Wait]:
        """The table that the wait column indexes; shared by all spans of a run."""
        return self._causes

    @property
    def columns(self) -> tuple[array[int], array[int], array[int], int]:
        """(start_ns, state, index into ``causes``) columns and the end of the last span.

        For code that walks millions of spans; do not change the arrays.
        """
        return self._starts, self._states, self._waits, self._end_ns

    def clip(self, start_ns: int, end_ns: int) -> Spans:
        """The part between two times; empty if they do not meet."""
        if self._starts:
            start_ns, end_ns = max(start_ns, self._starts[0]), min(end_ns, self._end_ns)
        if not self._starts or end_ns <= start_ns:
            return Spans(array("q"), array("B"), array("i"), end_ns, self._causes)
        first = bisect_right(self._starts, start_ns) - 1
        last = bisect_left(self._starts, end_ns)
        starts = self._starts[first:last]
        starts[0] = start_ns
        return Spans(starts, self._states[first:last], self._waits[first:last], end_ns, self._causes)

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, index: int) -> Span: ...
    @overload
    def __getitem__(self, index: slice) -> list[Span]: ...
    def __getitem__(self, index: int | slice) -> Span | list[Span]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(index)
        last = index + 1 == len(self)
        return Span(
            self._starts[index],
            self._end_ns if last else self._starts[index + 1],
            State(self._states[index]),
            self._causes[self._waits[index]],
        )

    def __iter__(self) -> Iterator[Span]:
        return (self[i] for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spans) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # mutable columns

    def __repr__(self) -> str:
        return f"Spans({list(self)!r})"


@dataclass(frozen=True, slots=True)
class Track:
    """Something that executes: an asyncio task or a thread.

    site: where the function it runs is defined. created_at: the line that made it.
    parent: index of the track that made it. thread: index of the thread whose loop runs the task.
    steps: how often an event loop ran it (0 for threads).
    cpu_ns: CPU time of a thread between its open and close, where the system tells.
    own: made by the standard library for itself, so no lane.
    process: which of the run's processes it belongs to: 0 is the script's own, then its workers in the
    order in which they came.
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


@dataclass(frozen=True, slots=True)
class Lane:
    """A row of the timeline: a track, or one call of a function the lesson names.

    ``spans`` are those of the track between open and close, except that a lane that only awaits
    its own child task shows the child's states (``Wait.via`` says so).
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
    name: method, path and number: ``POST /upload 3``. track: of the handler; None if none was reached.
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


@dataclass(frozen=True, slots=True)
class MemorySample:
    """What the processes of a run together had at one time; resident: in memory, virtual: reserved."""

    at_ns: int
    resident_bytes: int
    virtual_bytes: int
    threads: int


@dataclass(frozen=True, slots=True)
class Slot:
    """One track holding one unit of a resource."""

    track: int
    start_ns: int
    end_ns: int


@dataclass(frozen=True, slots=True)
class Connection:
    """One connection of a pool. ``uses``: who held it when, in order; between them it was idle.

    opened_ns: when opening it began; ready_ns: when it was open, None if it never was. A use begins with
    the opening if the connection was opened for it.
    closed_ns: None if it was still open when the recording ended. track: that opened it.
    kept: whoever held it last never gave it back. dropped: it was closed because nothing referred to it
    any more, not by the program.
    """

    opened_ns: int
    ready_ns: int | None = None
    closed_ns: int | None = None
    track: int | None = None
    uses: tuple[Slot, ...] = ()
    kept: bool = False
    dropped: bool = False


@dataclass(frozen=True, slots=True)
class Resource:
    """Something limited that lanes share.

    site: where it was made. limit: None if unlimited. slots: who held it when (empty for a queue).
    levels: for a queue, (time, length) after each change.
    queue: for an executor, who had an item waiting for a worker, and when.
    name: of a pool, what it is of: "redis", "s3", "asyncpg". connections: of a pool, in the order in
    which they were opened; ``slots`` says who held any of them.
    refused: of a pool, who asked for a connection in vain, from when until when.
    made_ns, made_by: of a pool, when it was made, and the track that did.
    process: which of the run's processes it belongs to.
    """

    index: int
    kind: ResourceKind
    limit: int | None
    site: Site | None = None
    slots: tuple[Slot, ...] = ()
    levels: tuple[tuple[int, int], ...] = ()
    queue: tuple[Slot, ...] = ()
    name: str = ""
    connections: tuple[Connection, ...] = ()
    process: int = 0
    refused: tuple[Slot, ...] = ()
    made_ns: int | None = None
    made_by: int | None = None


@dataclass(frozen=True, slots=True)
class SlowStep:
    """A step (or other callback) that held its event loop longer than ``Run.threshold_ns``.

    track: None for a callback that is no task's step. cpu_ns: thread CPU time in it, if known.
    stolen_ns: of its length, what the operating system gave to others: not the step's doing.
    site: the innermost line seen; called_from: the nearest line of the user's own code.
    reason: the blocking call it was in ("sleep", "net.read", ...), "" if it computed,
    "gil" if another thread kept the interpreter.
    """

    track: int | None
    start_ns: int
    end_ns: int
    cpu_ns: int | None
    stolen_ns: int
    site: Site | None
    called_from: Site | None
    reason: str = ""

    @property
    def held_ns(self) -> int:
        """How long the step itself held the loop."""
        return max(self.end_ns - self.start_ns - self.stolen_ns, 0)


@dataclass(frozen=True, slots=True)
class BlockingCall:
    """A sleep or I/O call made inside a step: running, but a wait that could have overlapped."""

    track: int | None
    start_ns: int
    end_ns: int
    reason: str
    site: Site | None = None
    called_from: Site | None = None


@dataclass(frozen=True, slots=True)
class AwaitSequence:
    """Waits of one coroutine call that came one after another.

    sites: the lines that awaited, in order of first use. longest_ns: the longest single wait.
    independent: no result reached a later call's arguments, as far as the source shows;
    None if the source could not be read.
    """

    track: int
    start_ns: int
    end_ns: int
    count: int
    waited_ns: int
    longest_ns: int
    sites: tuple[Site, ...]
    independent: bool | None


@dataclass(frozen=True, slots=True)
class Unawaited:
    """A coroutine that was made and dropped without being awaited; site: the line that did."""

    function: str
    at_ns: int
    site: Site | None


@dataclass(frozen=True, slots=True)
class Stuck:
    """A task or thread that had not ended when the run was stopped.

    name: of the task or thread. site: the line of the user's code that it was at, None if it had not
    begun. source: that line.
    """

    name: str
    function: str
    site: Site | None
    source: str = ""
    state: State = State.WAITING


@dataclass(frozen=True, slots=True)
class Wake:
    """Track ``waker`` made track ``woken`` ready."""

    at_ns: int
    waker: int
    woken: int


class Wakes(Sequence[Wake]):
    """Wakes as columns (16 bytes each), in order of time within each woken track."""

    __slots__ = ("_at", "_waker", "_woken")

    def __init__(self, wakes: Iterable[Wake] = ()) -> None:
        self._at, self._waker, self._woken = array("q"), array("i"), array("i")
        for wake in wakes:
            self.add(wake.at_ns, wake.waker, wake.woken)

    def add(self, at_ns: int, waker: int, woken: int) -> None:
        self._at.append(at_ns)
        self._waker.append(waker)
        self._woken.append(woken)

    def __len__(self) -> int:
        return len(self._at)

    @overload
    def __getitem__(self, index: int) -> Wake: ...
    @overload
    def __getitem__(self, index: slice) -> list[Wake]: ...
    def __getitem__(self, index: int | slice) -> Wake | list[Wake]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        return Wake(self._at[index], self._waker[index], self._woken[index])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Wakes) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # mutable columns


@dataclass(frozen=True, slots=True)
class Run:
    """The recording of one variant or script.

    lanes: the rows: the calls of the named functions if ``named``, else one per track.
    left_pending: tracks of tasks that were not done when their loop's main task was.
    stuck: who had not ended, and where, if the run met its time limit or a deadlock.
    result: what the function returned that was run, as a Python literal, if it is one.
    requests: to a server, in the order in which they were sent; they are drawn instead of the lanes.
    memory: in order of time. processes: how many were recorded, the script's own included.
    notes: what a reader must know, in sentences ("the recording is cut off after 2.10 s").
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
    left_pending: tuple[int, ...] = ()
    stuck: tuple[Stuck, ...] = ()
    result: str | None = None
    notes: tuple[str, ...] = ()
    requests: tuple[Request, ...] = ()
    memory: tuple[MemorySample, ...] = ()
    processes: int = 1

    @property
    def rows(self) -> tuple[Lane | Request, ...]:
        """What is drawn, a row each."""
        return self.requests or self.lanes
