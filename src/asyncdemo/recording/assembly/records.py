"""What is known so far of one process, track, resource, work item, lane, slot or request.

Not for: the tables that hold them (``ledger``). Indices are those of the traced process.
"""

from __future__ import annotations

from dataclasses import dataclass

from asyncdemo.model import Outcome, ResourceKind, Site, TrackKind
from asyncdemo.recording.assembly.off_cpu import Piece
from asyncdemo.recording.assembly.spans import SpansBuilder

_SERVER_ERRORS = 500
"""From this status on it was the server that failed."""


@dataclass(slots=True)
class ProcessRecord:
    """One process of the run. name: its own name for itself; "" for the script's process, which needs none.

    now_ns: up to when it has told everything. finished: its interpreter came to its own end. gone: it
    will tell no more. forks: how many it made that nothing is heard of.
    """

    number: int
    name: str = ""
    now_ns: int = 0
    finished: bool = False
    forks: int = 0
    gone: bool = False

    def label(self, name: str) -> str:
        """What a row of this process is called that is ``name`` within it."""
        return f"{name} ({self.name or f'process {self.number}'})" if self.number else name


class TrackRecord:
    """What is known so far of one track."""

    __slots__ = (
        "closed_ns",
        "cpu_ns",
        "created_at",
        "ended_ns",
        "error",
        "function",
        "handed",
        "hosts_loop",
        "kind",
        "name",
        "off_cpu",
        "outcome",
        "own",
        "parent",
        "process",
        "referred",
        "site",
        "spans",
        "start_ns",
        "steps",
        "thread",
        "waits_for_items",
    )

    def __init__(self, kind: TrackKind, start_ns: int, process: ProcessRecord) -> None:
        self.kind = kind
        self.process = process
        self.start_ns = start_ns
        self.ended_ns = start_ns
        self.closed_ns: int | None = None
        self.spans = SpansBuilder()
        self.name = self.function = ""
        self.outcome = Outcome.OPEN
        self.error: str | None = None
        self.parent: int | None = None
        self.thread: int | None = None
        self.site: int | None = None
        self.created_at: int | None = None
        self.cpu_ns: int | None = None
        self.steps = 0
        self.handed: list[Held] = []
        """Slots taken in the step that is going on, after queueing for them."""
        self.hosts_loop = False
        self.own = False
        """Made by the standard library for itself: no row of the timeline."""
        self.waits_for_items = False
        self.referred = False
        """Something else that is kept says what it did."""
        self.off_cpu: list[Piece] = []
        """Of a thread: when it waited without telling."""

    @property
    def label(self) -> str:
        """What its row is called."""
        name = f"{self.name} {self.function}".strip() if self.kind is TrackKind.TASK else self.name
        return self.process.label(name)


@dataclass(slots=True)
class ResourceRecord:
    kind: ResourceKind
    limit: int | None
    site: Site | None
    process: ProcessRecord


@dataclass(slots=True)
class Item:
    """A work item of an executor. worker: the track of the thread that has taken it."""

    resource: int | None
    submitter: int
    queued_ns: int
    worker: int | None = None
    started_ns: int | None = None
    done_ns: int | None = None


@dataclass(slots=True)
class LaneRecord:
    name: str
    function: str
    track: int
    start_ns: int
    end_ns: int | None = None
    outcome: Outcome = Outcome.OPEN
    result: str | None = None
    error: str | None = None


@dataclass(slots=True)
class Held:
    """One slot of a resource, taken and perhaps given back; of a pool: which connection.

    site: the line that took it.
    """

    track: int
    start_ns: int
    end_ns: int | None = None
    connection: int | None = None
    site: int | None = None


@dataclass(slots=True)
class RequestRecord:
    """What the load client told of one request, so far. port: the client's; 0 while it is not known."""

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
    """A server's handling of one request, on one track. end_ns: None while it goes on."""

    track: int
    start_ns: int
    end_ns: int | None = None
