"""What a run shows besides its states: limits and their holders, blocking, sequential waits, stuck tasks."""

from __future__ import annotations

from dataclasses import dataclass

from asyncdemo.model.kinds import ResourceKind, Site, State


@dataclass(frozen=True, slots=True)
class Slot:
    """One track holding or requesting one unit of a resource.

    Attributes:
        track: Index into ``Run.tracks``.
        start_ns: When it began to hold or request it.
        end_ns: When that ended.
    """

    track: int
    start_ns: int
    end_ns: int


@dataclass(frozen=True, slots=True)
class Connection:
    """One connection of a pool. Between its uses it was idle.

    A use begins with the opening if the connection was opened for it.

    Attributes:
        opened_ns: When it began to open.
        ready_ns: When it was open; None if it never was.
        closed_ns: When it was closed; None if it was still open when the recording ended.
        track: Index into ``Run.tracks`` of the track that opened it.
        uses: Who held it and when, in order.
        kept: Whether its last holder never gave it back.
        dropped: Whether it was closed because nothing referred to it any more, not by the program.
    """

    opened_ns: int
    ready_ns: int | None = None
    closed_ns: int | None = None
    track: int | None = None
    uses: tuple[Slot, ...] = ()
    kept: bool = False
    dropped: bool = False


@dataclass(frozen=True, slots=True)
class PoolWords:
    """How to speak of a pool; the library that it is of has its own names for everything.

    Attributes:
        is_http: Whether its connections speak HTTP: the user makes a client, and servers may close what is
            idle.
        size: The parameter that limits how many connections it may have.
        giving_back: How to make sure that each is given back.
        if_refused: What to do if a caller is refused immediately, if there is more to it than the size.
        if_reopened: What to do if it opens connections again and again, if that may be its settings.
    """

    is_http: bool = False
    size: str = "its limit"
    giving_back: str = "in a `finally`, or with `with`"
    if_refused: str = ""
    if_reopened: str = ""


@dataclass(frozen=True, slots=True)
class Resource:
    """Something limited that lanes share.

    Attributes:
        index: Its place in ``Run.resources``.
        kind: What is limited.
        site: The line that created it.
        limit: How many may hold it, or how long a queue may get; None if unlimited.
        slots: Who held it and when; empty for a queue.
        levels: For a queue, (time in ns, length) after each change.
        queue: For an executor, who had an item waiting for a worker, and when.
        name: For a pool, what it is a pool of: "redis", "s3", "asyncpg".
        words: For a pool, how to speak of it.
        connections: For a pool, its connections in the order in which they were opened; ``slots`` says who
            held any of them.
        refused: For a pool, who asked for a connection and got none, and when.
        made_ns: For a pool, when it was created.
        made_by: For a pool, index into ``Run.tracks`` of the track that created it.
        closed_ns: For a pool, when the program closed it or the client that it belongs to; None if that was
            left to the end of the program.
        process: Which of the run's processes it belongs to.
        label: Its name in the line that created it (``left = Lock()``: "left"); "" if there is none.
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
    closed_ns: int | None = None
    label: str = ""
    words: PoolWords = PoolWords()


@dataclass(frozen=True, slots=True)
class SlowStep:
    """A step (or other callback) that held its event loop longer than ``Run.threshold_ns``.

    Attributes:
        track: Index into ``Run.tracks``; None for a callback that is not a task's step.
        start_ns: When it began to hold the loop.
        end_ns: When it gave the loop back.
        cpu_ns: The thread's CPU time during it, if known.
        stolen_ns: How long other programs had the processor meanwhile, which is not the step's fault.
        site: The innermost line seen.
        called_from: The nearest line of the user's own code that led there.
        reason: The blocking call it was in ("sleep", "net.read", ...); "" if it computed, "import" if it
            imported a module, "gil" if another
            thread held the GIL.
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
    """A sleep or I/O call made inside a step: counted as running, but a wait that could have overlapped.

    Attributes:
        track: Index into ``Run.tracks``; None in a callback that is not a task's step.
        start_ns: When the call began.
        end_ns: When it returned.
        reason: The kind of call: "sleep", "net.read", ...
        site: The innermost line seen.
        called_from: The nearest line of the user's own code that led there.
    """

    track: int | None
    start_ns: int
    end_ns: int
    reason: str
    site: Site | None = None
    called_from: Site | None = None


@dataclass(frozen=True, slots=True)
class AwaitSequence:
    """Consecutive waits of one coroutine call.

    Attributes:
        track: Index into ``Run.tracks``.
        start_ns: When the first wait began.
        end_ns: When the last one ended.
        count: How many waits there were.
        waited_ns: Their total length.
        longest_ns: The length of the longest.
        sites: The lines that awaited, in order of first use.
        independent: Whether no result reached the arguments of a later call, as far as the source shows; None
            if the source could not be read.
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
    """A coroutine that was created and dropped without being awaited.

    Attributes:
        function: The function that it would have run.
        at_ns: When it was dropped.
        site: The line that created it, or that passed its function to what did, if known.
    """

    function: str
    at_ns: int
    site: Site | None


@dataclass(frozen=True, slots=True)
class Uncaught:
    """The uncaught error that ended the script.

    Attributes:
        error: The name of its type.
        text: Its message; "" if that is not text.
        in_group: Whether it is the first error of an ``ExceptionGroup``.
        own: Whether its type is defined in the script.
        raised_in: The qualified name of the innermost function that it passed through.
        site: The innermost line outside the standard library that it passed through.
    """

    error: str
    text: str
    in_group: bool
    own: bool
    raised_in: str
    site: Site | None


MOST_STUCK = 200
"""How many tasks and threads that had not ended are reported for one process."""


@dataclass(frozen=True, slots=True)
class Stuck:
    """A task or thread that had not ended when the run was stopped.

    Attributes:
        name: The name of the task or thread.
        function: The function that it runs.
        site: The line of the user's code that it was at; None if it had not started.
        source: The text of that line.
        state: What it was doing.
        track: Its index in ``Run.tracks``, if it has one.
        reason: What it waited for, as in a ``Wait``. If it was running, it waited inside a blocking call.
        resource: Index into ``Run.resources`` of what it waited for, if that was a resource.
        on: Indices of the tracks that it waited for.
        unfinished: In ``queue.join``, how many items had no ``task_done``.
        at_most_s: The timeout that ends its wait: for a task that waited, what was left of it; in a blocking
            call of a thread or task, the whole of it. None if it has none.
        refers_to: Indices of the tasks that its variables refer to, and which it could cancel; all tasks if
            there was too much to look at.
    """

    name: str
    function: str
    site: Site | None
    source: str = ""
    state: State = State.WAITING
    track: int | None = None
    reason: str = ""
    resource: int | None = None
    on: tuple[int, ...] = ()
    unfinished: int | None = None
    at_most_s: float | None = None
    refers_to: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Holding:
    """One slot of a resource that had not been released when the run was stopped.

    Attributes:
        track: Index into ``Run.tracks`` of its holder.
        resource: Index into ``Run.resources``.
        site: The line of the user's code that took it, if known.
        in_block: Whether that line begins a ``with`` block, whose end releases it.
    """

    track: int
    resource: int
    site: Site | None = None
    in_block: bool = False


@dataclass(frozen=True, slots=True)
class Delay:
    """Time that passed before an event loop's callback, because the run's schedule says so.

    Attributes:
        callback: The number of the callback, from 0.
        length_ns: How long the delay was.
        at_ns: When it began.
    """

    callback: int
    length_ns: int
    at_ns: int
