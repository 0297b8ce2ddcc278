"""Make a run from the records of a file. Lenient about missing ones.

A missing record (cut off, deleted) costs only what it held: references to it become None or are
dropped, and a note says that something is missing.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import cache
from itertools import chain
from typing import Any, Final, TypeVar, cast

from asyncdemo.model import (
    NO_WAIT,
    AwaitSequence,
    Connection,
    Holding,
    Lane,
    Resource,
    Run,
    Slot,
    Spans,
    Track,
    Wakes,
)
from asyncdemo.model.fields import FieldError
from asyncdemo.store.encode import LISTS
from asyncdemo.store.limits import MOST_SHOWN

Tables = defaultdict[tuple[Any, ...], dict[int, Any]]
"""(type of the records, indices of what they belong to) -> place of each among them -> what it holds.

Of slots, wakes and samples, a record holds a list, and its place is that of the first.
"""

AS_ITS_TRACK: Final = Spans.of(())
"""The spans of a lane that shows what its track does."""

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


def resolve_run(bare: Run, tables: Tables, records: int, *, was_cut: bool) -> Run:
    """Return the run; ``bare`` is what the header says of it, ``records`` how many there are.

    Raises FieldError if tracks descend from themselves, or lanes show too many spans.
    """
    return _Resolver(tables).run(bare, _missing(tables, records, was_cut))


def _missing(tables: Tables, records: int, was_cut: bool) -> tuple[str, ...]:
    if not tables["end",]:
        return (f"The file ends early: only its first {records} records could be read.",)
    missing = tables["end",][0] - records
    if missing or was_cut:
        return (f"The file is damaged: {max(missing, 1)} of its records are missing.",)
    return ()


class _Resolver:
    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._tracks = _places(tables["track",])
        self._resources = _places(tables["resource",])
        self._cause_places = _places(tables["cause",], 1)
        self._causes = (NO_WAIT, *map(self._placed, self._in_order("cause")))

    def run(self, bare: Run, notes: tuple[str, ...]) -> Run:
        tracks = [
            replace(self._placed(track), index=place, spans=self._spans(track.spans))
            for place, track in enumerate(self._in_order("track"))
        ]
        _check_parents(tracks)
        wakes = Wakes()
        for wake in chain.from_iterable(self._in_order("wakes")):
            if wake.waker in self._tracks and wake.woken in self._tracks:
                wakes.add(wake.at_ns, self._tracks[wake.waker], self._tracks[wake.woken])
        lists: dict[str, Any] = {
            name: tuple(map(self._placed, filter(self._is_whole, self._in_order(kind))))
            for kind, (name, _) in LISTS.items()
        }
        return replace(
            bare,
            tracks=tuple(tracks),
            lanes=tuple(self._lanes(tracks)),
            requests=tuple(
                replace(self._placed(request), spans=self._spans(request.spans))
                for request in self._in_order("request")
            ),
            resources=tuple(self._all_resources()),
            wakes=wakes,
            memory=tuple(chain.from_iterable(self._in_order("memory"))),
            left_pending=tuple(self._tracks[track] for track in bare.left_pending if track in self._tracks),
            notes=bare.notes + notes,
            **lists,
        )

    def _in_order(self, kind: str, *of: int) -> Iterator[Any]:
        return (item for _, item in sorted(self._tables[kind, *of].items(), key=lambda entry: entry[0]))

    def _indices(self, name: str) -> Indices:
        return self._resources if name == "resource" else self._tracks

    def _placed(self, item: _Item) -> _Item:
        """Return it with the indices of the run. A reference to something missing is dropped."""
        changes: dict[str, Any] = {}
        kind: Any = type(item)
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

    def _spans(self, read: Spans) -> Spans:
        """Return the spans with the run's causes. One that is missing from the file becomes ``NO_WAIT``."""
        starts, states, causes, end_ns = read.columns
        waits = array("i", [self._cause_places.get(cause, 0) for cause in causes])
        return Spans(starts, states, waits, end_ns, self._causes)

    def _lanes(self, tracks: Sequence[Track]) -> Iterator[Lane]:
        count = 0
        for lane in filter(self._is_whole, self._in_order("lane")):
            placed = self._placed(lane)
            if lane.spans is not AS_ITS_TRACK:
                yield replace(placed, spans=self._spans(lane.spans))
                continue
            shown = tracks[placed.track].spans.clip(lane.start_ns, lane.end_ns)
            count += len(shown)
            if count > MOST_SHOWN:
                raise FieldError(f"its lanes show more than {MOST_SHOWN // 1_000_000} million spans")
            yield replace(placed, spans=shown)

    def _all_resources(self) -> Iterator[Resource]:
        for index in sorted(self._resources):
            yield replace(
                self._placed(self._tables["resource",][index]),
                index=self._resources[index],
                slots=self._slots("slots", index),
                queue=self._slots("queued", index),
                refused=self._slots("refused", index),
                connections=tuple(self._connections(index)),
            )

    def _connections(self, pool: int) -> Iterator[Connection]:
        for index, connection in sorted(self._tables["connection", pool].items()):
            yield replace(self._placed(connection), uses=self._slots("uses", pool, index))

    def _slots(self, kind: str, *of: int) -> tuple[Slot, ...]:
        return tuple(
            slot if self._tracks[slot.track] == slot.track else replace(slot, track=self._tracks[slot.track])
            for slot in chain.from_iterable(self._in_order(kind, *of))
            if slot.track in self._tracks
        )


def _places(table: Mapping[int, object], first: int = 0) -> Indices:
    return {index: place for place, index in enumerate(sorted(table), first)}


def _check_parents(tracks: Sequence[Track]) -> None:
    """Raise FieldError for a cycle: code that draws a tree of tracks follows the parents to a root."""
    rooted: set[int] = set()
    for track in tracks:
        path: set[int] = set()
        index: int | None = track.index
        while index is not None and index not in rooted:
            if index in path:
                raise FieldError(f"{tracks[index].name} is its own ancestor")
            path.add(index)
            index = tracks[index].parent
        rooted |= path


@cache
def _reference_fields(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.name in _REFERENCES)
