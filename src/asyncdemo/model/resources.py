"""What is limited, and who held it: semaphores, queues, pools with their connections."""

from __future__ import annotations

from dataclasses import dataclass

from asyncdemo.model.kinds import ResourceKind
from asyncdemo.model.site import Site


@dataclass(frozen=True, slots=True)
class Slot:
    """One track holding one unit of a resource, or asking for one.

    Attributes:
        track: Index into ``Run.tracks``.
        start_ns: When it began to hold or ask for it.
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
        opened_ns: When opening it began.
        ready_ns: When it was open; None if it never was.
        closed_ns: When it was closed; None if it was still open when the recording ended.
        track: Index into ``Run.tracks`` of the one that opened it.
        uses: Who held it when, in order.
        kept: Whether the last to hold it never gave it back.
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
class Resource:
    """Something limited that lanes share.

    Attributes:
        index: Its place in ``Run.resources``.
        kind: What is limited.
        site: The line that made it.
        limit: How many may hold it, or how long a queue may get; None if unlimited.
        slots: Who held it when; empty for a queue.
        levels: For a queue, (time in ns, length) after each change.
        queue: For an executor, who had an item waiting for a worker, and when.
        name: Of a pool, what it is a pool of: "redis", "s3", "asyncpg".
        connections: Of a pool, its connections in the order in which they were opened; ``slots`` says who
            held any of them.
        refused: Of a pool, who asked for a connection and got none, from when until when.
        made_ns: Of a pool, when it was made.
        made_by: Of a pool, index into ``Run.tracks`` of the one that made it.
        closed_ns: Of a pool, when the program closed it or the client that it belongs to; None if that was
            left to the end of the program.
        process: Which of the run's processes it belongs to.
        label: What the line that made it calls it (``left = Lock()``: "left"), "" if that line does not say.
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
