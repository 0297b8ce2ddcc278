"""The lines of a file as a run: strict about what it reads, lenient about what is missing.

A record that is no valid record is an error with its line number. A record that is not there
(cut off, deleted) costs only what it held: references to it become None or are dropped, and a
note says that something is missing.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from asyncdemo.errors import RunFileError
from asyncdemo.model import (
    AwaitSequence,
    BlockingCall,
    Lane,
    Resource,
    ResourceKind,
    Run,
    Slot,
    SlowStep,
    Spans,
    Stuck,
    Track,
    Unawaited,
    Wait,
    Wakes,
)
from asyncdemo.store.columns import CauseTable, SpanColumns, check_equally_long, in_range, integers, times
from asyncdemo.store.encode import FORMAT, LISTS
from asyncdemo.store.fields import FieldError, read, time

__all__ = ["loads"]

_LIST_ITEMS: dict[str, type[Any]] = {
    "slow_step": SlowStep,
    "blocking_call": BlockingCall,
    "await_sequence": AwaitSequence,
    "unawaited": Unawaited,
    "stuck": Stuck,
}
_NO_SPANS = Spans.of(())
Record = Mapping[str, Any]
_Slots = defaultdict[int, dict[int, list[Slot]]]
"""By the index of the resource and the place of the first one of the record."""
Indices = Mapping[int, int]
"""Index in the file -> index in the run, of what the file holds."""


def loads(lines: Iterable[str | bytes], name: str = "the file") -> Run:
    """A run from the lines of its file; ``name`` is for messages.

    Raises RunFileError if they are no recorded run that this version can read.
    """
    reader = _Reader(name)
    for line in lines:
        reader.read_line(line)
    return reader.run()


class _Reader:
    """Gathers records in whatever order they come; ``run`` puts them together."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._line = 0
        self._header: Record | None = None
        self._causes: dict[int, Wait] = {}
        self._tracks: dict[int, tuple[int, Track, SpanColumns]] = {}
        self._lanes: dict[int, tuple[int, Lane, SpanColumns | None]] = {}
        self._resources: dict[int, Resource] = {}
        self._slots: dict[str, _Slots] = {"slots": defaultdict(dict), "queued": defaultdict(dict)}
        self._wakes: dict[int, list[tuple[int, int, int]]] = {}
        self._lists: dict[str, list[Any]] = {record_type: [] for record_type in LISTS}
        self._records = 0
        self._expected: int | None = None
        self._cut: int | None = None
        self._read: dict[str, Callable[[Record], None]] = {
            "cause": self._read_cause,
            "track": self._read_track,
            "lane": self._read_lane,
            "resource": self._read_resource,
            "slots": self._read_slots,
            "queued": self._read_slots,
            "wakes": self._read_wakes,
            "end": self._read_end,
        }

    # -- line by line ---------------------------------------------------------------------------

    def read_line(self, line: str | bytes) -> None:
        self._line += 1
        if self._cut is not None:
            self._fail("is no record", self._cut)
        if not line.strip():
            return
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            record = None
        if not isinstance(record, dict):
            if self._header is None:
                self._fail("is not the header of a recorded run")
            self._cut = self._line  # fine if nothing follows
            return
        try:
            self._read_record(record)
        except FieldError as error:
            self._fail(str(error))

    def _read_record(self, record: Record) -> None:
        if self._header is None:
            self._read_header(record)
        else:
            kind = record.get("type")
            if not isinstance(kind, str):
                raise FieldError('"type" is missing')
            if kind in _LIST_ITEMS:
                self._lists[kind].append(read(_LIST_ITEMS[kind], record))
            elif kind in self._read:
                self._read[kind](record)
            if kind == "end":
                return
        self._records += 1

    def _read_header(self, record: Record) -> None:
        version = re.fullmatch(r"asyncdemo\.run/(\d{1,9})", str(record.get("format")))
        if version is None:
            raise FieldError("is not the header of a recorded run")
        if record["format"] != FORMAT:
            raise RunFileError(
                f"{self._name} has the format {record['format']}, and this asyncdemo reads {FORMAT}. "
                "Update asyncdemo, or record the run again with this one."
            )
        read(Run, record, tracks=(), lanes=())  # to fail now, at this line
        self._header = record

    def _read_cause(self, record: Record) -> None:
        self._once(self._causes, record, read(Wait, record))

    def _read_resource(self, record: Record) -> None:
        resource = read(Resource, record, slots=(), queue=())
        if resource.kind is not ResourceKind.QUEUE and resource.levels:
            raise FieldError('only a queue has "levels"')
        self._once(self._resources, record, resource)

    def _read_track(self, record: Record) -> None:
        track = read(Track, record, spans=_NO_SPANS)
        _check_times(track.start_ns, track.end_ns)
        self._once(self._tracks, record, (self._line, track, SpanColumns(record)))

    def _read_lane(self, record: Record) -> None:
        lane = read(Lane, record, spans=_NO_SPANS)
        _check_times(lane.start_ns, lane.end_ns)
        self._once(
            self._lanes, record, (self._line, lane, SpanColumns(record) if "starts" in record else None)
        )

    def _read_slots(self, record: Record) -> None:
        starts = times("starts", record)
        tracks, lengths = integers("tracks", record), integers("lengths", record)
        check_equally_long(starts, tracks, lengths)
        if min(lengths, default=0) < 0:
            raise FieldError('"lengths" should not be negative')
        ends = in_range("lengths", [start + length for start, length in zip(starts, lengths, strict=True)])
        chunk = [Slot(*slot) for slot in zip(tracks, starts, ends, strict=True)]
        self._once(
            self._slots[record["type"]][time("resource", record.get("resource"))], record, chunk, "first"
        )

    def _read_wakes(self, record: Record) -> None:
        at_ns = times("times", record)
        wakers, woken = integers("wakers", record), integers("woken", record)
        check_equally_long(at_ns, wakers, woken)
        self._once(self._wakes, record, list(zip(at_ns, wakers, woken, strict=True)), "first")

    def _read_end(self, record: Record) -> None:
        if self._expected is not None:
            raise FieldError("is a second end")
        self._expected = time("records", record.get("records"))

    def _once(self, table: dict[int, Any], record: Record, item: Any, key: str = "index") -> None:
        index = time(key, record.get(key))
        if index in table:
            raise FieldError(f"repeats {record['type']} {index}")
        table[index] = item

    def _fail(self, what: str, line: int | None = None) -> None:
        raise RunFileError(f"{self._name} is no recorded run: line {line or self._line}: {what}.")

    # -- all together ---------------------------------------------------------------------------

    def run(self) -> Run:
        if self._header is None:
            raise RunFileError(f"{self._name} is empty: no run was recorded in it.")
        tracks = {index: place for place, index in enumerate(sorted(self._tracks))}
        resources = {index: place for place, index in enumerate(sorted(self._resources))}
        causes = self._cause_table(tracks, resources)
        all_tracks = self._all_tracks(tracks, causes)
        bare: Run = read(Run, self._header, tracks=(), lanes=())
        lists: dict[str, Any] = {name: self._list(kind, tracks) for kind, name in LISTS.items()}
        return replace(
            bare,
            tracks=tuple(all_tracks),
            lanes=tuple(self._all_lanes(tracks, all_tracks, causes)),
            resources=tuple(self._all_resources(tracks, resources)),
            wakes=self._all_wakes(tracks),
            left_pending=tuple(tracks[track] for track in bare.left_pending if track in tracks),
            notes=bare.notes + self._missing(),
            **lists,
        )

    def _missing(self) -> tuple[str, ...]:
        if self._expected is None:
            return (f"The file ends early: this is what its first {self._records} records hold.",)
        missing = self._expected - self._records
        if missing or self._cut is not None:
            return (f"The file is damaged: {max(missing, 1)} of its records are missing.",)
        return ()

    def _cause_table(self, tracks: Indices, resources: Indices) -> dict[int, Wait]:
        return {
            index: replace(
                cause,
                resource=_found(cause.resource, resources),
                on=_found(cause.on, tracks),
                via=_found(cause.via, tracks),
            )
            for index, cause in self._causes.items()
        }

    def _all_tracks(self, tracks: Indices, causes: Mapping[int, Wait]) -> list[Track]:
        table = CauseTable(causes)
        all_tracks = [
            replace(
                track,
                index=tracks[track.index],
                spans=columns.spans(table),
                parent=_found(track.parent, tracks),
                thread=_found(track.thread, tracks),
            )
            for _, (_, track, columns) in sorted(self._tracks.items())
        ]
        self._check_parents(all_tracks)
        return all_tracks

    def _check_parents(self, tracks: list[Track]) -> None:
        """Whoever draws a tree of tracks follows the parents up, and must arrive."""
        rooted: set[int] = set()
        for track in tracks:
            path: set[int] = set()
            index: int | None = track.index
            while index is not None and index not in rooted:
                if index in path:
                    line, original, _ = sorted(self._tracks.items())[index][1]
                    self._fail(f"track {original.index} is its own ancestor", line)
                path.add(index)
                index = tracks[index].parent
            rooted |= path

    def _all_lanes(self, tracks: Indices, found: list[Track], causes: Mapping[int, Wait]) -> list[Lane]:
        table = CauseTable(causes)
        lanes = []
        for _, (_, lane, columns) in sorted(self._lanes.items()):
            if lane.track in tracks:
                track = found[tracks[lane.track]]
                spans = columns.spans(table) if columns else track.spans.clip(lane.start_ns, lane.end_ns)
                lanes.append(replace(lane, track=track.index, spans=spans))
        return lanes

    def _all_resources(self, tracks: Indices, resources: Indices) -> list[Resource]:
        return [
            replace(
                resource,
                index=resources[index],
                slots=tuple(_kept(self._slots["slots"][index], tracks)),
                queue=tuple(_kept(self._slots["queued"][index], tracks)),
            )
            for index, resource in sorted(self._resources.items())
        ]

    def _all_wakes(self, tracks: Indices) -> Wakes:
        wakes = Wakes()
        for _, chunk in sorted(self._wakes.items()):
            for at_ns, waker, woken in chunk:
                if waker in tracks and woken in tracks:
                    wakes.add(at_ns, tracks[waker], tracks[woken])
        return wakes

    def _list(self, record_type: str, tracks: Indices) -> tuple[Any, ...]:
        items = self._lists[record_type]
        if record_type in ("unawaited", "stuck"):
            return tuple(items)
        if record_type == "await_sequence":
            items = [item for item in items if item.track in tracks]
        return tuple(replace(item, track=_found(item.track, tracks)) for item in items)


def _kept(chunks: Mapping[int, Sequence[Slot]], tracks: Indices) -> Iterator[Slot]:
    for _, chunk in sorted(chunks.items()):
        for slot in chunk:
            if slot.track in tracks:
                yield replace(slot, track=tracks[slot.track])


def _check_times(start_ns: int, end_ns: int) -> None:
    if end_ns < start_ns:
        raise FieldError('"end_ns" should not be before "start_ns"')


def _found(index: int | None, indices: Indices) -> int | None:
    return None if index is None else indices.get(index)
