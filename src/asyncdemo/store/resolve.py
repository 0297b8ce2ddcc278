"""Make a run from the records of a file. Lenient about missing ones.

A missing record (cut off, deleted) costs only what it held: references to it become None or are
dropped, and a note says that something is missing. Not here: reading lines (see ``decode``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any, TypeVar, cast

from asyncdemo.errors import RunFileError
from asyncdemo.model import (
    AwaitSequence,
    Connection,
    Holding,
    Lane,
    MemorySample,
    Request,
    Resource,
    Run,
    Slot,
    Track,
    Wait,
    Wakes,
)
from asyncdemo.model.fields import read
from asyncdemo.store.columns import CauseTable, SpanColumns
from asyncdemo.store.encode import LISTS

Record = Mapping[str, Any]

Chunks = dict[int, list[Slot]]
"""Parts of a column, by the position of their first item."""


@dataclass
class Gathered:
    """Records gathered so far. Keys are indices in the file; for connections and uses, the pool's is first.

    The first item of a row is its line number. ``wakes`` holds (at_ns, waker, woken).
    ``records`` is how many there were, ``expected`` how many there should be according to the last one,
    ``cut`` the number of the line that is not a record, if there is one.
    """

    header: Record | None = None
    causes: dict[int, Wait] = field(default_factory=dict)
    tracks: dict[int, tuple[int, Track, SpanColumns]] = field(default_factory=dict)
    lanes: dict[int, tuple[int, Lane, SpanColumns | None]] = field(default_factory=dict)
    requests: dict[int, tuple[int, Request, SpanColumns]] = field(default_factory=dict)
    resources: dict[int, Resource] = field(default_factory=dict)
    slots: defaultdict[int, Chunks] = field(default_factory=lambda: defaultdict(dict))
    queued: defaultdict[int, Chunks] = field(default_factory=lambda: defaultdict(dict))
    refused: defaultdict[int, Chunks] = field(default_factory=lambda: defaultdict(dict))
    connections: defaultdict[int, dict[int, Connection]] = field(default_factory=lambda: defaultdict(dict))
    uses: defaultdict[tuple[int, int], Chunks] = field(default_factory=lambda: defaultdict(dict))
    wakes: dict[int, list[tuple[int, int, int]]] = field(default_factory=dict)
    memory: dict[int, list[MemorySample]] = field(default_factory=dict)
    lists: dict[str, list[Any]] = field(default_factory=lambda: {kind: [] for kind in LISTS})
    records: int = 0
    expected: int | None = None
    cut: int | None = None


Indices = Mapping[int, int]
"""Index in the file -> index in the run."""

_REFERENCES = frozenset({"track", "parent", "thread", "made_by", "on", "via", "resource"})
"""Names of fields that refer to tracks or a resource by index."""
_NEEDED: dict[type, tuple[str, ...]] = {
    Lane: ("track",),
    AwaitSequence: ("track",),
    Holding: ("track", "resource"),
}
"""Those without which an item says nothing."""

_Item = TypeVar("_Item")


class Resolver:
    """Makes the run. ``name`` is the file's name in messages."""

    def __init__(self, gathered: Gathered, name: str) -> None:
        self._held = gathered
        self._name = name
        self._tracks = {index: place for place, index in enumerate(sorted(gathered.tracks))}
        self._resources = {index: place for place, index in enumerate(sorted(gathered.resources))}
        causes = {index: self._placed(cause) for index, cause in gathered.causes.items()}
        self._table = CauseTable(causes)

    def run(self) -> Run:
        """Return the run; raise RunFileError if there is none."""
        if self._held.header is None:
            raise RunFileError(f"{self._name} is empty: no run was recorded in it.")
        tracks = self._all_tracks()
        bare: Run = read(Run, self._held.header, tracks=(), lanes=())
        lists: dict[str, Any] = {
            name: tuple(map(self._placed, filter(self._is_whole, self._held.lists[kind])))
            for kind, name in LISTS.items()
        }
        return replace(
            bare,
            tracks=tuple(tracks),
            lanes=tuple(self._lanes(tracks)),
            requests=tuple(self._requests()),
            resources=tuple(self._all_resources()),
            wakes=self._wakes(),
            memory=tuple(self._memory()),
            left_pending=tuple(self._tracks[track] for track in bare.left_pending if track in self._tracks),
            notes=bare.notes + self._missing(),
            **lists,
        )

    def _missing(self) -> tuple[str, ...]:
        records = self._held.records
        if self._held.expected is None:
            return (f"The file ends early: this is what its first {records} records hold.",)
        missing = self._held.expected - records
        if missing or self._held.cut is not None:
            return (f"The file is damaged: {max(missing, 1)} of its records are missing.",)
        return ()

    def _indices(self, name: str) -> Indices:
        return self._resources if name == "resource" else self._tracks

    def _placed(self, item: _Item) -> _Item:
        """Return it with the indices of the run. A reference to something missing is dropped."""
        kind: Any = type(item)
        changes: dict[str, Any] = {}
        for name in _reference_fields(kind):
            indices, index = self._indices(name), getattr(item, name)
            if isinstance(index, tuple):
                changes[name] = tuple(indices[one] for one in index if one in indices)
            else:
                changes[name] = indices.get(index)
        placed: _Item = replace(cast("Any", item), **changes)
        return placed

    def _is_whole(self, item: object) -> bool:
        """Return whether nothing is missing without which it says nothing."""
        return all(getattr(item, name) in self._indices(name) for name in _NEEDED.get(type(item), ()))

    def _all_tracks(self) -> list[Track]:
        tracks = [
            replace(self._placed(track), index=place, spans=columns.spans(self._table))
            for place, (_, (_, track, columns)) in enumerate(sorted(self._held.tracks.items()))
        ]
        self._check_parents(tracks)
        return tracks

    def _check_parents(self, tracks: list[Track]) -> None:
        """Raise RunFileError for a cycle: code that draws a tree of tracks follows the parents to a root."""
        rooted: set[int] = set()
        for track in tracks:
            path: set[int] = set()
            index: int | None = track.index
            while index is not None and index not in rooted:
                if index in path:
                    line, original, _ = sorted(self._held.tracks.items())[index][1]
                    what = f"track {original.index} is its own ancestor"
                    raise RunFileError(f"{self._name} is not a recorded run: line {line}: {what}.")
                path.add(index)
                index = tracks[index].parent
            rooted |= path

    def _lanes(self, tracks: list[Track]) -> Iterator[Lane]:
        for _, (_, lane, columns) in sorted(self._held.lanes.items()):
            if self._is_whole(lane):
                placed = self._placed(lane)
                shown = tracks[placed.track].spans.clip(lane.start_ns, lane.end_ns)
                yield replace(placed, spans=columns.spans(self._table) if columns else shown)

    def _requests(self) -> Iterator[Request]:
        for _, (_, request, columns) in sorted(self._held.requests.items()):
            yield replace(self._placed(request), spans=columns.spans(self._table))

    def _all_resources(self) -> Iterator[Resource]:
        for index, resource in sorted(self._held.resources.items()):
            yield replace(
                self._placed(resource),
                index=self._resources[index],
                slots=self._kept(self._held.slots[index]),
                queue=self._kept(self._held.queued[index]),
                refused=self._kept(self._held.refused[index]),
                connections=tuple(self._connections(index)),
            )

    def _connections(self, pool: int) -> Iterator[Connection]:
        for index, connection in sorted(self._held.connections[pool].items()):
            yield replace(self._placed(connection), uses=self._kept(self._held.uses[pool, index]))

    def _kept(self, chunks: Chunks) -> tuple[Slot, ...]:
        return tuple(
            replace(slot, track=self._tracks[slot.track])
            for _, chunk in sorted(chunks.items())
            for slot in chunk
            if slot.track in self._tracks
        )

    def _wakes(self) -> Wakes:
        wakes = Wakes()
        for _, chunk in sorted(self._held.wakes.items()):
            for at_ns, waker, woken in chunk:
                if waker in self._tracks and woken in self._tracks:
                    wakes.add(at_ns, self._tracks[waker], self._tracks[woken])
        return wakes

    def _memory(self) -> Iterator[MemorySample]:
        for _, chunk in sorted(self._held.memory.items()):
            yield from chunk


@cache
def _reference_fields(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.name in _REFERENCES)
