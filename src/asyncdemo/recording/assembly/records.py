"""What is known so far about one process, track, named call or slot, by the traced processes' indices."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from dataclasses import dataclass, field, replace

from asyncdemo.model import NO_WAIT, Outcome, TrackKind, Wait, Wakes
from asyncdemo.recording.assembly.spans import SeenWait, SpansBuilder


@dataclass(slots=True)
class ProcessRecord:
    """One process of the run. ``name`` is its own name for itself; "" for the script's, which needs none.

    It has sent everything up to ``now_ns``, and all numbers up to ``numbers_ns``: messages arrive before the
    numbers that are sent with them. It is ``finished`` if its interpreter finished by itself, and
    ``gone`` if it will send no more. ``forks`` counts its forks, which are not observed.
    """

    number: int
    name: str = ""
    now_ns: int = 0
    numbers_ns: int = 0
    finished: bool = False
    forks: int = 0
    gone: bool = False

    @property
    def title(self) -> str:
        return (self.name or f"process {self.number}") if self.number else "The script"

    def label(self, name: str) -> str:
        return f"{name} ({self.title})" if self.number else name


@dataclass(slots=True, eq=False)
class TrackRecord:
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
    off_cpu: list[SeenWait] = field(default_factory=list)
    """For a thread: its waits that it did not report itself."""

    @property
    def label(self) -> str:
        name = f"{self.name} {self.function}".strip() if self.kind is TrackKind.TASK else self.name
        return self.process.label(name)


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


@dataclass(frozen=True, slots=True)
class Outline:
    """What the parts of one snapshot have in common.

    Attributes:
        tracks: Track -> its index in the run.
        resources: Resource -> its index in the run.
        ends: Process -> end time of what it has not closed.
    """

    tracks: dict[int, int]
    resources: dict[int, int]
    ends: dict[int, int]

    @property
    def end_ns(self) -> int:
        return max(self.ends.values())

    def track(self, index: int | None) -> int | None:
        return None if index is None else self.tracks.get(index)

    def resource(self, index: int | None) -> int | None:
        return None if index is None else self.resources.get(index)


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

    def renumber(self, outline: Outline) -> Causes:
        """Return the same rows with the indices that tracks and resources have in the run."""
        renumbered = Causes()
        renumbered.table = [
            cause
            if cause.on is None and cause.resource is None
            else replace(cause, on=outline.track(cause.on), resource=outline.resource(cause.resource))
            for cause in self.table
        ]
        for index, cause in enumerate(renumbered.table):
            renumbered._index.setdefault(cause, index)
        return renumbered


class RawWakes(Wakes):
    """Wakes by the indices of the traced processes, which do not fit into 32 bits."""

    __slots__ = ()

    def __init__(self) -> None:
        self._at, self._waker, self._woken = array("q"), array("q"), array("q")

    def forget_before(self, at_ns: int) -> None:
        """Delete the wakes before a time. They are nearly in order."""
        count = bisect_left(self._at, at_ns)
        del self._at[:count], self._waker[:count], self._woken[:count]
