"""Turn a run into the lines of its file."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from asyncdemo.model import (
    NO_WAIT,
    Lane,
    MemorySample,
    Request,
    Resource,
    Run,
    Slot,
    Spans,
    Track,
    Wait,
    Wakes,
)
from asyncdemo.model.fields import write
from asyncdemo.store.columns import differences

FORMAT = "asyncdemo.run/1"

LISTS = {
    "slow_step": "slow_steps",
    "blocking_call": "blocking_calls",
    "await_sequence": "await_sequences",
    "unawaited": "unawaited",
    "uncaught": "uncaught",
    "stuck": "stuck",
    "summed": "summed",
    "holding": "holdings",
    "delay": "delays",
}
"""Record type -> the run's list of which each record holds one item."""

_APART = frozenset({"tracks", "lanes", "resources", "wakes", "requests", "memory", *LISTS.values()})

_SHARED = frozenset({"slots", "queue", "refused", "connections"})
"""Fields of a resource that have records of their own."""

_CHUNK = 10_000
"""Maximum items of a column on one line, so that little is lost if the file is cut off."""

Record = dict[str, Any]


def dumps(run: Run) -> Iterator[str]:
    """Yield the lines of a run's file, without line ends, in ASCII."""
    count = 0
    for record in chain([{"format": FORMAT, **write(run, _APART)}], _records(run)):
        yield json.dumps(record, separators=(",", ":"))
        count += 1
    yield json.dumps({"type": "end", "records": count}, separators=(",", ":"))


def _records(run: Run) -> Iterator[Record]:
    """Records that others refer to come first, so that a file that was cut off still makes sense."""
    causes = _Causes(run)
    for index, cause in enumerate(causes.table):
        yield {"type": "cause", "index": index, **write(cause)}
    for resource in run.resources:
        yield {"type": "resource", **write(resource, _SHARED)}
    lanes: dict[int, list[tuple[int, Lane]]] = {}
    for index, lane in enumerate(run.lanes):
        lanes.setdefault(lane.track, []).append((index, lane))
    requests: dict[int | None, list[tuple[int, Request]]] = {}
    for index, request in enumerate(run.requests):
        requests.setdefault(request.track, []).append((index, request))
    for track in run.tracks:
        yield {"type": "track", **write(track, frozenset({"spans"})), **_spans(track.spans, causes)}
        for index, lane in lanes.get(track.index, ()):
            yield _lane(index, lane, track, causes)
        yield from _requests(requests.pop(track.index, ()), causes)
    for never_handled in requests.values():
        yield from _requests(never_handled, causes)
    for resource in run.resources:
        yield from _slots("slots", resource.slots, resource=resource.index)
        yield from _slots("queued", resource.queue, resource=resource.index)
        yield from _slots("refused", resource.refused, resource=resource.index)
        yield from _connections(resource)
    yield from _memory(run.memory)
    for record_type, name in LISTS.items():
        for item in getattr(run, name):
            yield {"type": record_type, **write(item)}
    yield from _wakes(run.wakes)


def _lane(index: int, lane: Lane, track: Track, causes: _Causes) -> Record:
    record = {"type": "lane", "index": index, **write(lane, frozenset({"spans"}))}
    if not _same(lane.spans, track.spans.clip(lane.start_ns, lane.end_ns)):
        record |= _spans(lane.spans, causes)
    return record


def _same(some: Spans, others: Spans) -> bool:
    """Whether they are equal. Compares columns where possible, which creates no ``Span`` objects."""
    if some.causes is others.causes:
        return some.columns == others.columns
    return some == others


def _spans(spans: Spans, causes: _Causes) -> Record:
    starts, states, waits, end_ns = spans.columns
    return {
        "starts": differences(starts),
        "states": "".join(map(str, states)),
        "causes": causes.translate(waits, spans.causes),
        "closed": end_ns,
    }


def _requests(requests: Iterable[tuple[int, Request]], causes: _Causes) -> Iterator[Record]:
    for index, request in requests:
        fields = write(request, frozenset({"spans"}))
        yield {"type": "request", "index": index, **fields, **_spans(request.spans, causes)}


def _connections(pool: Resource) -> Iterator[Record]:
    for index, connection in enumerate(pool.connections):
        fields = write(connection, frozenset({"uses"}))
        yield {"type": "connection", "resource": pool.index, "index": index, **fields}
        yield from _slots("uses", connection.uses, resource=pool.index, connection=index)


def _slots(record_type: str, all_slots: Sequence[Slot], **of: int) -> Iterator[Record]:
    """``of`` has the indices of what they are slots of."""
    for first in range(0, len(all_slots), _CHUNK):
        slots = all_slots[first : first + _CHUNK]
        yield {
            "type": record_type,
            **of,
            "first": first,
            "tracks": [slot.track for slot in slots],
            "starts": differences([slot.start_ns for slot in slots]),
            "lengths": [slot.end_ns - slot.start_ns for slot in slots],
        }


def _memory(samples: Sequence[MemorySample]) -> Iterator[Record]:
    for first in range(0, len(samples), _CHUNK):
        some = samples[first : first + _CHUNK]
        yield {
            "type": "memory",
            "first": first,
            "times": differences([sample.at_ns for sample in some]),
            "resident": [sample.resident_bytes for sample in some],
            "virtual": [sample.virtual_bytes for sample in some],
            "threads": [sample.threads for sample in some],
        }


def _wakes(wakes: Wakes) -> Iterator[Record]:
    for first in range(0, len(wakes), _CHUNK):
        some = wakes[first : first + _CHUNK]
        yield {
            "type": "wakes",
            "first": first,
            "times": differences([wake.at_ns for wake in some]),
            "wakers": [wake.waker for wake in some],
            "woken": [wake.woken for wake in some],
        }


class _Causes:
    """One table of causes for the whole run, whichever tables its spans share."""

    def __init__(self, run: Run) -> None:
        self._index: dict[Wait, int] = {NO_WAIT: 0}
        self._translations: dict[int, list[int]] = {}
        for whose in (run.tracks, run.lanes, run.requests):
            for one in whose:
                self._translation(one.spans.causes)

    @property
    def table(self) -> list[Wait]:
        return list(self._index)

    def translate(self, waits: array[int], causes: Sequence[Wait]) -> list[int]:
        return list(map(self._translation(causes).__getitem__, waits))

    def _translation(self, causes: Sequence[Wait]) -> list[int]:
        known = self._translations.get(id(causes))
        if known is None:
            known = [self._index.setdefault(cause, len(self._index)) for cause in causes]
            self._translations[id(causes)] = known
        return known
