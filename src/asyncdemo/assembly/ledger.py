"""What is known so far of a run: the growing columns and tables, before they become a ``Run``.

``intake`` writes it, ``snapshot`` reads it. Indices are those of the traced process.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import Any

from asyncdemo.assembly.sequences import Pause
from asyncdemo.assembly.spans import SpansBuilder
from asyncdemo.model import (
    NO_WAIT,
    BlockingCall,
    Clock,
    MemorySample,
    Outcome,
    ResourceKind,
    Site,
    SlowStep,
    Stuck,
    TrackKind,
    Unawaited,
    Wait,
    Wakes,
)

_SERVER_ERRORS = 500
"""From this status on it was the server that failed."""


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
        "outcome",
        "own",
        "parent",
        "site",
        "spans",
        "start_ns",
        "steps",
        "thread",
        "waits_for_items",
    )

    def __init__(self, kind: TrackKind, start_ns: int) -> None:
        self.kind = kind
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


@dataclass(slots=True)
class Item:
    """A work item of an executor."""

    resource: int | None
    submitter: int
    queued_ns: int
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
    """One slot of a resource, taken and perhaps given back."""

    track: int
    start_ns: int
    end_ns: int | None = None


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


class Causes:
    """The table that the wait columns index, each cause once."""

    def __init__(self) -> None:
        self.table: list[Wait] = [NO_WAIT]
        self._index: dict[Wait, int] = {NO_WAIT: 0}

    def __getitem__(self, index: int) -> Wait:
        return self.table[index]

    def index(self, wait: Wait) -> int:
        index = self._index.get(wait)
        if index is None:
            index = self._index[wait] = len(self.table)
            self.table.append(wait)
        return index

    def add(self, wait: Wait) -> int:
        """A row of its own, also if there is an equal one."""
        self.table.append(wait)
        return len(self.table) - 1

    def renumbered(self, order: dict[int, int]) -> Causes:
        """The same rows, naming tracks by their place in the run."""
        renumbered = Causes()
        renumbered.table = [
            cause if cause.on is None else replace(cause, on=order.get(cause.on)) for cause in self.table
        ]
        for index, cause in enumerate(renumbered.table):
            renumbered._index.setdefault(cause, index)
        return renumbered


@dataclass(slots=True)
class Ledger:
    python: str = ""
    clock: Clock = Clock.REAL
    knobs: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    finished: bool = False
    """The interpreter came to its own end."""
    now_ns: int = 0
    tracks: dict[int, TrackRecord] = field(default_factory=dict)
    lanes: dict[int, LaneRecord] = field(default_factory=dict)
    sites: dict[int, Site] = field(default_factory=dict)
    causes: Causes = field(default_factory=Causes)
    item_waits: dict[int, int] = field(default_factory=dict)
    """Index of a cause -> the work item that is waited for."""
    resources: dict[int, tuple[ResourceKind, int | None, Site | None]] = field(default_factory=dict)
    slots: defaultdict[int, list[Held]] = field(default_factory=lambda: defaultdict(list))
    levels: defaultdict[int, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    items: dict[int, Item] = field(default_factory=dict)
    blocking_calls: list[BlockingCall] = field(default_factory=list)
    slow_steps: list[SlowStep] = field(default_factory=list)
    begun: dict[int, SlowStep] = field(default_factory=dict)
    """The steps that block a loop now, by their start."""
    starved: dict[int, int] = field(default_factory=dict)
    """Tasks that could run but for that -> since when."""
    pauses: list[Pause] = field(default_factory=list)
    unawaited: list[Unawaited] = field(default_factory=list)
    pending: set[int] = field(default_factory=set)
    stuck: list[Stuck] | None = None
    result: str | None = None
    wakes: Wakes = field(default_factory=Wakes)
    requests: dict[int, RequestRecord] = field(default_factory=dict)
    """By the number that the load client gave them."""
    handlings: defaultdict[str, list[Handling]] = field(default_factory=lambda: defaultdict(list))
    """By the request's trace id: the outer before those within it."""
    accepted: defaultdict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    """The client's port -> when connections from it were accepted; ports come back."""
    memory: list[MemorySample] = field(default_factory=list)

    def site(self, index: int | None) -> Site | None:
        return None if index is None else self.sites.get(index)

    def in_order(self) -> dict[int, int]:
        """Track -> its place in the run, by the time it was made."""
        made = sorted(self.tracks, key=lambda index: (self.tracks[index].start_ns, index))
        return {index: place for place, index in enumerate(made)}

    def left_pending(self) -> set[int]:
        """The script's tasks that were not done when their loop's main task was."""
        left = set(self.pending)
        if self.finished:
            left.update(i for i, t in self.tracks.items() if t.kind is TrackKind.TASK and t.closed_ns is None)
        return {index for index in left if index in self.tracks and not self.tracks[index].own}
