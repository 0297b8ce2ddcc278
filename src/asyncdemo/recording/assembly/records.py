"""What is known so far about one process, track, resource, work item, lane, slot or request.

Indices are those of the traced process. Not here: the tables that hold these records (see ``ledger``).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from asyncdemo.model import Outcome, ResourceKind, Site, TrackKind
from asyncdemo.recording.assembly.off_cpu import Piece
from asyncdemo.recording.assembly.spans import SpansBuilder

_SERVER_ERRORS = 500
"""From this status on, the server failed."""


@dataclass(slots=True)
class ProcessRecord:
    """One process of the run. ``name`` is its own name for itself; "" for the script's, which needs none.

    It has sent everything up to ``now_ns``. It is ``finished`` if its interpreter finished by itself, and
    ``gone`` if it will send no more. ``forks`` counts its forks, which are not observed.
    """

    number: int
    name: str = ""
    now_ns: int = 0
    finished: bool = False
    forks: int = 0
    gone: bool = False

    def label(self, name: str) -> str:
        """Return the label of a row that is called ``name`` within this process."""
        return f"{name} ({self.name or f'process {self.number}'})" if self.number else name


@dataclass(slots=True, eq=False)
class TrackRecord:
    """What is known so far about one track."""

    kind: TrackKind
    start_ns: int
    process: ProcessRecord
    ended_ns: int
    """When its last step ended."""
    name: str = ""
    function: str = ""
    site: int | None = None
    created_at: int | None = None
    parent: int | None = None
    thread: int | None = None
    closed_ns: int | None = None
    outcome: Outcome = Outcome.OPEN
    error: str | None = None
    cpu_ns: int | None = None
    steps: int = 0
    spans: SpansBuilder = field(default_factory=SpansBuilder)
    handed: list[Held] = field(default_factory=list)
    """Slots taken in the current step, after queueing for them."""
    hosts_loop: bool = False
    own: bool = False
    """Created by the standard library for its own use: not a row of the timeline."""
    waits_for_items: bool = False
    referred: bool = False
    """Something else that is kept refers to it."""
    off_cpu: list[Piece] = field(default_factory=list)
    """For a thread: its waits that it did not report itself."""

    @property
    def label(self) -> str:
        """The label of its row."""
        name = f"{self.name} {self.function}".strip() if self.kind is TrackKind.TASK else self.name
        return self.process.label(name)


@dataclass(slots=True)
class ResourceRecord:
    """What is known so far about one resource; all after ``process`` only about a pool."""

    kind: ResourceKind
    limit: int | None
    site: Site | None
    process: ProcessRecord
    name: str = ""
    made_by: int | None = None
    made_ns: int | None = None
    closed_ns: int | None = None
    connections: list[int] = field(default_factory=list)
    refused: list[Held] = field(default_factory=list)
    """Requests for a connection that failed."""


@dataclass(slots=True)
class Item:
    """A work item of an executor. ``worker`` is the track of the thread that has taken it."""

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
    """One slot of a resource, taken and perhaps given back; for a pool, also which connection.

    ``site`` is the line that took it.
    """

    track: int
    start_ns: int
    end_ns: int | None = None
    connection: int | None = None
    site: int | None = None


@dataclass(slots=True)
class RequestRecord:
    """What the load client has reported about one request. ``port`` is the client's; 0 while unknown."""

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
    """A server's handling of one request, on one track. ``end_ns`` is None while it continues."""

    track: int
    start_ns: int
    end_ns: int | None = None
