"""Limited resources and their holders: semaphores, queues, pools with their connections."""

from __future__ import annotations

from dataclasses import dataclass

from asyncdemo.model.kinds import ResourceKind
from asyncdemo.model.site import Site


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
