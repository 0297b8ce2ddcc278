"""What is known so far about a run: growing columns and tables, before they become a ``Run``.

``handlers`` write it, ``snapshot`` reads it. Indices are those of the traced process.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import Any

from asyncdemo.model import (
    NO_WAIT,
    BlockingCall,
    Clock,
    Connection,
    Delay,
    Holding,
    MemorySample,
    Site,
    SlowStep,
    Stuck,
    TrackKind,
    Unawaited,
    Uncaught,
    Wait,
    Wakes,
)
from asyncdemo.recording.assembly.records import (
    Handling,
    Held,
    Item,
    LaneRecord,
    ProcessRecord,
    RequestRecord,
    ResourceRecord,
    TrackRecord,
)
from asyncdemo.recording.assembly.sequences import Pause


class Causes:
    """The table that the wait columns index, with each cause once."""

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
        """Add a row of its own, even if there is an equal one; return its index."""
        self.table.append(wait)
        return len(self.table) - 1

    def renumbered(self, tracks: dict[int, int], resources: dict[int, int]) -> Causes:
        """Return the same rows with the indices that tracks and resources have in the run."""
        renumbered = Causes()
        renumbered.table = [
            cause
            if cause.on is None and cause.resource is None
            else replace(cause, on=_at(tracks, cause.on), resource=_at(resources, cause.resource))
            for cause in self.table
        ]
        for index, cause in enumerate(renumbered.table):
            renumbered._index.setdefault(cause, index)
        return renumbered


def _at(places: dict[int, int], index: int | None) -> int | None:
    return None if index is None else places.get(index)


class RawWakes(Wakes):
    """Wakes by the indices of the traced processes, which do not fit into 32 bits."""

    __slots__ = ()

    def __init__(self) -> None:
        self._at, self._waker, self._woken = array("q"), array("q"), array("q")

    def forget_first(self, count: int) -> int:
        """Delete the first ``count`` wakes; return the time of the first that is left."""
        del self._at[:count], self._waker[:count], self._woken[:count]
        return self._at[0]


@dataclass(slots=True)
class Ledger:
    python: str = ""
    clock: Clock = Clock.REAL
    knobs: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    now_ns: int = 0
    processes: dict[int, ProcessRecord] = field(default_factory=lambda: {0: ProcessRecord(0)})
    tracks: dict[int, TrackRecord] = field(default_factory=dict)
    lanes: dict[int, LaneRecord] = field(default_factory=dict)
    sites: dict[int, Site] = field(default_factory=dict)
    causes: Causes = field(default_factory=Causes)
    item_waits: dict[int, int] = field(default_factory=dict)
    """Index of a cause -> the work item waited for."""
    resources: dict[int, ResourceRecord] = field(default_factory=dict)
    connections: dict[int, Connection] = field(default_factory=dict)
    """Of pools; without their uses."""
    slots: defaultdict[int, list[Held]] = field(default_factory=lambda: defaultdict(list))
    levels: defaultdict[int, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    items: dict[int, Item] = field(default_factory=dict)
    blocking_calls: defaultdict[int, list[BlockingCall]] = field(default_factory=lambda: defaultdict(list))
    """By process."""
    slow_steps: defaultdict[int, list[SlowStep]] = field(default_factory=lambda: defaultdict(list))
    """By process."""
    begun: dict[int, SlowStep] = field(default_factory=dict)
    """The steps that currently block a loop, by their start."""
    starved: dict[int, int] = field(default_factory=dict)
    """Tasks that could otherwise run -> since when."""
    delays: list[Delay] = field(default_factory=list)
    pauses: list[Pause] = field(default_factory=list)
    unawaited: list[Unawaited] = field(default_factory=list)
    uncaught: list[Uncaught] = field(default_factory=list)
    pending: set[int] = field(default_factory=set)
    stuck: dict[int, list[Stuck]] = field(default_factory=dict)
    """By process, for those that have answered. With the indices of the process."""
    idle: dict[int, bool] = field(default_factory=dict)
    """Likewise: whether nothing was outstanding in its event loops."""
    holdings: dict[int, list[Holding]] = field(default_factory=dict)
    """Likewise: who held what when it answered."""
    result: str | None = None
    wakes: RawWakes = field(default_factory=RawWakes)
    requests: dict[int, RequestRecord] = field(default_factory=dict)
    """By the load client's numbers."""
    handlings: defaultdict[str, list[Handling]] = field(default_factory=lambda: defaultdict(list))
    """By the request's trace id: outer ones before those nested in them."""
    accepted: defaultdict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    """The client's port -> when connections from it were accepted; ports are reused."""
    accepting: set[int] = field(default_factory=set)
    """The processes that accepted connections."""
    memory: list[MemorySample] = field(default_factory=list)

    def come_to(self, process: ProcessRecord, at_ns: int) -> None:
        """Note that the process has sent everything up to then."""
        process.now_ns = max(process.now_ns, at_ns)
        self.now_ns = max(self.now_ns, at_ns)

    def refer(self, track: int | None) -> None:
        """Note that something else refers to the track, so that it is kept whole."""
        known = self.tracks.get(-1 if track is None else track)
        if known is not None:
            known.referred = True

    def site(self, index: int | None) -> Site | None:
        return None if index is None else self.sites.get(index)

    def in_order(self) -> dict[int, int]:
        """Return track -> its index in the run, in order of creation."""
        made = sorted(self.tracks, key=lambda index: (self.tracks[index].start_ns, index))
        return {index: place for place, index in enumerate(made)}

    def ends(self) -> dict[int, int]:
        """Return process -> end time of what it has not closed, as far as recorded."""
        run_ns = max([self.now_ns, *(track.ended_ns for track in self.tracks.values())])
        ends = {number: one.now_ns if one.gone else run_ns for number, one in self.processes.items()}
        for track in self.tracks.values():
            ends[track.process.number] = max(ends[track.process.number], track.ended_ns)
        return ends

    def memory_while_it_ran(self) -> tuple[MemorySample, ...]:
        """Return the samples without those of an interpreter that is shutting down."""
        script = self.processes[0]
        return tuple(one for one in self.memory if not script.finished or one.at_ns <= script.now_ns)

    def left_pending(self) -> set[int]:
        """Return the script's tasks that were not done when their loop's main task was."""
        left = set(self.pending)
        left.update(
            index
            for index, track in self.tracks.items()
            if track.process.finished and track.kind is TrackKind.TASK and track.closed_ns is None
        )
        return {index for index in left if index in self.tracks and not self.tracks[index].own}
