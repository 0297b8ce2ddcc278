"""What is limited, and who held it: semaphores, queues, pools with their connections."""

from __future__ import annotations

from dataclasses import dataclass

from asyncdemo.model.kinds import ResourceKind
from asyncdemo.model.site import Site

__all__ = ["Connection", "Resource", "Slot"]


@dataclass(frozen=True, slots=True)
class Slot:
    """One track holding one unit of a resource, or asking for one.

    track: index into ``Run.tracks``. start_ns, end_ns: from when on, and until when.
    """

    track: int
    start_ns: int
    end_ns: int


@dataclass(frozen=True, slots=True)
class Connection:
    """One connection of a pool. ``uses``: who held it when, in order; between them it was idle.

    A use begins with the opening if the connection was opened for it.

    opened_ns: when opening it began. ready_ns: when it was open, None if it never was.
    closed_ns: None if it was still open when the recording ended. track: that opened it.
    uses: who held it, and when.
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

    index: its place in ``Run.resources``. kind: what is limited.
    site: where it was made. limit: None if unlimited. slots: who held it when (empty for a queue).
    levels: for a queue, (time, length) after each change.
    queue: for an executor, who had an item waiting for a worker, and when.
    name: of a pool, what it is of: "redis", "s3", "asyncpg". connections: of a pool, in the order in
    which they were opened; ``slots`` says who held any of them.
    refused: of a pool, who asked for a connection in vain, from when until when.
    made_ns, made_by: of a pool, when it was made, and the track that did. closed_ns: when the program closed
    it, or the client that it is of; None if that was left to the end of the program.
    process: which of the run's processes it belongs to.
    label: what the line that made it calls it (``left = Lock()``: "left"), "" if that line does not say.
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
