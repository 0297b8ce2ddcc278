"""Turn a run into the lines of its file."""

from __future__ import annotations

import json
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from operator import sub
from typing import Any

from asyncdemo.model import (
    NO_WAIT,
    AwaitSequence,
    BlockingCall,
    CountedLanes,
    Delay,
    Gap,
    Holding,
    Lane,
    MemorySample,
    Request,
    Run,
    Slot,
    SlowStep,
    Spans,
    Stuck,
    Track,
    Unawaited,
    Uncaught,
    Wait,
    Wake,
)
from asyncdemo.model.fields import write

FORMAT = "asyncdemo.run/1"

LISTS: dict[str, tuple[str, type[Any]]] = {
    "slow_step": ("slow_steps", SlowStep),
    "blocking_call": ("blocking_calls", BlockingCall),
    "await_sequence": ("await_sequences", AwaitSequence),
    "unawaited": ("unawaited", Unawaited),
    "uncaught": ("uncaught", Uncaught),
    "stuck": ("stuck", Stuck),
    "gap": ("gaps", Gap),
    "counted": ("counted", CountedLanes),
    "holding": ("holdings", Holding),
    "delay": ("delays", Delay),
}
"""Record type -> the run's list that has one item for each record, and the type of the items."""

_APART = frozenset({"tracks", "lanes", "resources", "wakes", "requests", "memory"})
"""Fields of a run that have records of their own."""

_SHARED = frozenset({"slots", "queue", "refused", "connections"})
"""Fields of a resource that have records of their own."""

_CHUNK = 10_000
"""Maximum items of a column on one line, so that little is lost if the file is cut off."""

Record = dict[str, Any]
Translations = dict[int, list[int]]
"""Id of a table of causes -> the number in the file of each of its causes."""


def dumps(run: Run) -> Iterator[str]:
    """Yield the lines of a run's file, without line ends, in ASCII."""
    count = 0
    header = {"format": FORMAT, **write(run, _APART.union(name for name, _ in LISTS.values()))}
    for record in chain([header], _records(run)):
        yield json.dumps(record, separators=(",", ":"))
        count += 1
    yield json.dumps({"type": "end", "records": count}, separators=(",", ":"))


def _records(run: Run) -> Iterator[Record]:
    """Records that others refer to come first, so that a file that was cut off still makes sense."""
    table, causes = _causes(run)
    for index, cause in enumerate(table):
        yield {"type": "cause", "index": index, **write(cause)}
    for resource in run.resources:
        yield {"type": "resource", **write(resource, _SHARED)}
    lanes: defaultdict[int, list[tuple[int, Lane]]] = defaultdict(list)
    for index, lane in enumerate(run.lanes):
        lanes[lane.track].append((index, lane))
    requests: defaultdict[int | None, list[tuple[int, Request]]] = defaultdict(list)
    for index, request in enumerate(run.requests):
        requests[request.track].append((index, request))
    for track in run.tracks:
        yield _row("track", track, causes)
        for index, lane in lanes[track.index]:
            shown = track.spans.clip(lane.start_ns, lane.end_ns)
            yield _row("lane", lane, None if _same(lane.spans, shown) else causes, index=index)
        for index, request in requests.pop(track.index, ()):
            yield _row("request", request, causes, index=index)
    for index, request in chain.from_iterable(requests.values()):  # never handled
        yield _row("request", request, causes, index=index)
    for resource in run.resources:
        yield from _chunks("slots", resource.slots, _slots, resource=resource.index)
        yield from _chunks("queued", resource.queue, _slots, resource=resource.index)
        yield from _chunks("refused", resource.refused, _slots, resource=resource.index)
        for index, connection in enumerate(resource.connections):
            of = {"resource": resource.index, "index": index}
            yield {"type": "connection", **of, **write(connection, frozenset({"uses"}))}
            yield from _chunks("uses", connection.uses, _slots, resource=resource.index, connection=index)
    yield from _chunks("memory", run.memory, _memory)
    for record_type, (name, _) in LISTS.items():
        for item in getattr(run, name):
            yield {"type": record_type, **write(item)}
    yield from _chunks("wakes", run.wakes, _wakes)


def _row(record_type: str, row: Track | Lane | Request, causes: Translations | None, **of: int) -> Record:
    """Without ``causes``, the columns of the spans are left out."""
    record = {"type": record_type, **of, **write(row, frozenset({"spans"}))}
    if causes is not None:
        starts, states, waits, end_ns = row.spans.columns
        record["starts"] = differences(starts)
        record["states"] = "".join(map(str, states))
        record["causes"] = list(map(causes[id(row.spans.causes)].__getitem__, waits))
        record["closed"] = end_ns
    return record


def _same(some: Spans, others: Spans) -> bool:
    """Whether they are equal. Compares columns where possible, which creates no ``Span`` objects."""
    if some.causes is others.causes:
        return some.columns == others.columns
    return some == others


def _chunks(
    record_type: str, items: Sequence[Any], columns: Callable[[Sequence[Any]], Record], **of: int
) -> Iterator[Record]:
    for first in range(0, len(items), _CHUNK):
        yield {"type": record_type, **of, "first": first, **columns(items[first : first + _CHUNK])}


def _slots(slots: Sequence[Slot]) -> Record:
    return {
        "tracks": [slot.track for slot in slots],
        "starts": differences([slot.start_ns for slot in slots]),
        "lengths": [slot.end_ns - slot.start_ns for slot in slots],
    }


def _memory(samples: Sequence[MemorySample]) -> Record:
    return {
        "times": differences([sample.at_ns for sample in samples]),
        "resident": [sample.resident_bytes for sample in samples],
        "virtual": [sample.virtual_bytes for sample in samples],
        "threads": [sample.threads for sample in samples],
    }


def _wakes(wakes: Sequence[Wake]) -> Record:
    return {
        "times": differences([wake.at_ns for wake in wakes]),
        "wakers": [wake.waker for wake in wakes],
        "woken": [wake.woken for wake in wakes],
    }


def differences(times: Sequence[int] | array[int]) -> list[int]:
    """Return the first time, and how much each later one differs from the one before it."""
    return [*times[:1], *map(sub, islice(times, 1, None), times)]


def _causes(run: Run) -> tuple[list[Wait], Translations]:
    """Return one table of causes for the whole run, whichever tables its spans share."""
    numbers: dict[Wait, int] = {NO_WAIT: 0}
    translations: Translations = {}
    rows: Iterable[Track | Lane | Request] = chain(run.tracks, run.lanes, run.requests)
    for causes in (row.spans.causes for row in rows):
        if id(causes) not in translations:
            translations[id(causes)] = [numbers.setdefault(cause, len(numbers)) for cause in causes]
    return list(numbers), translations
