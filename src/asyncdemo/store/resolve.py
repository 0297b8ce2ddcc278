"""What a file holds as a run: lenient about what is missing.

A record that is not there (cut off, deleted) costs only what it held: references to it become None
or are dropped, and a note says that something is missing. Not for: reading lines (``decode``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from asyncdemo.errors import RunFileError
from asyncdemo.model import (
    Connection,
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
from asyncdemo.store.columns import CauseTable
from asyncdemo.store.encode import LISTS
from asyncdemo.store.gathered import Chunks, Gathered

Indices = Mapping[int, int]
"""Index in the file -> index in the run, of what the file holds."""


def resolve(gathered: Gathered, name: str) -> Run:
    """name: of the file, for messages. Raises RunFileError if it holds no run."""
    return _Resolver(gathered, name).run()


class _Resolver:
    def __init__(self, gathered: Gathered, name: str) -> None:
        self._held = gathered
        self._name = name
        self._tracks = {index: place for place, index in enumerate(sorted(gathered.tracks))}
        self._resources = {index: place for place, index in enumerate(sorted(gathered.resources))}
        self._table = CauseTable(self._causes())

    def run(self) -> Run:
        if self._held.header is None:
            raise RunFileError(f"{self._name} is empty: no run was recorded in it.")
        tracks = self._all_tracks()
        bare: Run = read(Run, self._held.header, tracks=(), lanes=())
        lists: dict[str, Any] = {name: self._list(kind) for kind, name in LISTS.items()}
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

    def _causes(self) -> dict[int, Wait]:
        return {
            index: replace(
                cause,
                resource=_found(cause.resource, self._resources),
                on=_found(cause.on, self._tracks),
                via=_found(cause.via, self._tracks),
            )
            for index, cause in self._held.causes.items()
        }

    def _all_tracks(self) -> list[Track]:
        tracks = [
            replace(
                track,
                index=self._tracks[track.index],
                spans=columns.spans(self._table),
                parent=_found(track.parent, self._tracks),
                thread=_found(track.thread, self._tracks),
            )
            for _, (_, track, columns) in sorted(self._held.tracks.items())
        ]
        self._check_parents(tracks)
        return tracks

    def _check_parents(self, tracks: list[Track]) -> None:
        """Whoever draws a tree of tracks follows the parents up, and must arrive."""
        rooted: set[int] = set()
        for track in tracks:
            path: set[int] = set()
            index: int | None = track.index
            while index is not None and index not in rooted:
                if index in path:
                    line, original, _ = sorted(self._held.tracks.items())[index][1]
                    what = f"track {original.index} is its own ancestor"
                    raise RunFileError(f"{self._name} is no recorded run: line {line}: {what}.")
                path.add(index)
                index = tracks[index].parent
            rooted |= path

    def _lanes(self, found: list[Track]) -> Iterator[Lane]:
        for _, (_, lane, columns) in sorted(self._held.lanes.items()):
            if lane.track in self._tracks:
                track = found[self._tracks[lane.track]]
                spans = (
                    columns.spans(self._table) if columns else track.spans.clip(lane.start_ns, lane.end_ns)
                )
                yield replace(lane, track=track.index, spans=spans)

    def _requests(self) -> Iterator[Request]:
        for _, (request, columns) in sorted(self._held.requests.items()):
            track = _found(request.track, self._tracks)
            yield replace(request, track=track, spans=columns.spans(self._table))

    def _all_resources(self) -> Iterator[Resource]:
        for index, resource in sorted(self._held.resources.items()):
            yield replace(
                resource,
                index=self._resources[index],
                slots=self._kept(self._held.slots[index]),
                queue=self._kept(self._held.queued[index]),
                refused=self._kept(self._held.refused[index]),
                made_by=_found(resource.made_by, self._tracks),
                connections=tuple(self._connections(index)),
            )

    def _connections(self, pool: int) -> Iterator[Connection]:
        for index, connection in sorted(self._held.connections[pool].items()):
            uses = self._kept(self._held.uses[pool, index])
            yield replace(connection, track=_found(connection.track, self._tracks), uses=uses)

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

    def _list(self, record_type: str) -> tuple[Any, ...]:
        items = self._held.lists[record_type]
        if record_type in ("unawaited", "uncaught"):
            return tuple(items)
        if record_type == "summed":
            return tuple(
                replace(
                    item,
                    parent=_found(item.parent, self._tracks),
                    thread=_found(item.thread, self._tracks),
                )
                for item in items
            )
        if record_type in ("await_sequence", "holding"):
            items = [item for item in items if item.track in self._tracks]
        if record_type in ("stuck", "holding"):
            items = [replace(item, resource=_found(item.resource, self._resources)) for item in items]
        if record_type == "stuck":
            on = [tuple(self._tracks[track] for track in item.on if track in self._tracks) for item in items]
            items = [replace(item, on=tracks) for item, tracks in zip(items, on, strict=True)]
        if record_type == "holding":
            items = [item for item in items if item.resource is not None]
        if record_type == "delay":
            return tuple(items)
        return tuple(replace(item, track=_found(item.track, self._tracks)) for item in items)


def _found(index: int | None, indices: Indices) -> int | None:
    return None if index is None else indices.get(index)
