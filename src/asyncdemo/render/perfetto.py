"""Runs as Chrome trace events, for Perfetto and chrome://tracing.

Format: "Trace Event Format", Google, 2016. Each process of a run is a process in the trace, each track one of
its threads (in the order of the recording), and each span a slice. Wakes are flows. Queue lengths, holders of
resources and memory are counters. Rows by function, requests (as asynchronous slices) and the connections of
pools are separate processes.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from asyncdemo.model import Lane, Resource, Run, Spans, Track, Wait
from asyncdemo.render.facts.runs import reason_words
from asyncdemo.render.facts.servers import ending_words
from asyncdemo.render.timeline.curves import resource_levels
from asyncdemo.render.timeline.grid import STATE_OF
from asyncdemo.render.timeline.layout import Bar, Blocked, Piece, blocked_of, open_ns, pieces
from asyncdemo.render.timeline.legend import SHADE_WORDS
from asyncdemo.render.timeline.pools import PoolSection, pool_sections
from asyncdemo.render.words import place, title
from asyncdemo.safe_text import clean

Event = dict[str, Any]


def render_perfetto(runs: Sequence[Run]) -> bytes:
    """Return ASCII JSON, with times in microseconds and all runs aligned at their first lane's open.

    No time is negative: tracks that existed before the first lane begin after zero as well.
    """
    events: list[Event] = []
    numbers, ids = itertools.count(1), itertools.count()
    lead = max((open_ns(run) - _first_ns(run) for run in runs), default=0)
    for run in runs:
        zero = open_ns(run) - lead
        processes = {
            process: next(numbers) for process in sorted({0, *(track.process for track in run.tracks)})
        }
        events += _tracks(run, processes, zero)
        events += _wakes(run, processes, zero, ids)
        events += _resource_counters(run, processes[0], zero)
        events += _memory_counters(run, processes[0], zero)
        if run.named:
            events += _named_lanes(run, next(numbers), zero)
        if run.requests:
            events += _requests(run, next(numbers), zero, ids)
        for pool in pool_sections(run):
            events += _connections(pool, title(run), next(numbers), lead)
    # Stable: metadata, without a time, stays first; of slices with the same start, the outer comes first.
    events.sort(key=lambda event: (event.get("ts", -1.0), -event.get("dur", 0)))
    trace = {
        "displayTimeUnit": "ms",
        "otherData": {"tool": "asyncdemo", "runs": ", ".join(title(run) for run in runs)},
        "traceEvents": events,
    }
    return json.dumps(trace, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def _first_ns(run: Run) -> int:
    """Return the earliest time in the run."""
    times = [
        *(track.start_ns for track in run.tracks),
        *(slot.start_ns for resource in run.resources for slot in resource.slots),
        *(at for resource in run.resources for at, _ in resource.levels),
        *(sample.at_ns for sample in run.memory),
    ]
    return min(times, default=open_ns(run))


def _tracks(run: Run, processes: Mapping[int, int], zero: int) -> Iterator[Event]:
    blocked = blocked_of(run)
    for number, process in processes.items():
        worker = f": worker process {number}" if number else ""
        yield from _process(process, title(run) + worker)
    for track in run.tracks:
        process, thread = processes[track.process], track.index + 1
        yield _named("thread_name", process, thread, name=clean(track.name) or clean(track.function))
        yield _named("thread_sort_index", process, thread, sort_index=track.index)
        yield from _slices(run, _as_lane(track), blocked, process, thread, zero)


def _named_lanes(run: Run, process: int, zero: int) -> Iterator[Event]:
    blocked = blocked_of(run)
    yield from _process(process, f"{title(run)}: lanes")
    for index, lane in enumerate(run.lanes):
        yield _named("thread_name", process, index + 1, name=clean(lane.name))
        yield _named("thread_sort_index", process, index + 1, sort_index=index)
        yield from _slices(run, lane, blocked, process, index + 1, zero)


def _requests(run: Run, process: int, zero: int, ids: Iterator[int]) -> Iterator[Event]:
    """Yield each as a slice that may overlap the others, with its waits inside."""
    blocked = blocked_of(run)
    yield from _process(process, f"{title(run)}: requests")
    for request in run.requests:
        common = {"cat": "request", "id": next(ids), "pid": process, "tid": 0}
        outer = clean(request.name)
        ended = {"args": {"ended": ending_words(request)}}
        yield _edge("b", outer, request.start_ns - zero) | ended | common
        for piece in pieces(request, blocked):
            name = _slice_name(piece)
            yield _edge("b", name, piece.start_ns - zero) | {"args": _args(run, piece.wait)} | common
            yield _edge("e", name, piece.end_ns - zero) | common
        yield _edge("e", outer, request.end_ns - zero) | common


def _edge(phase: str, name: str, at_ns: int) -> Event:
    return {"ph": phase, "name": name, "ts": at_ns / 1e3}


def _connections(pool: PoolSection, of: str, process: int, lead: int) -> Iterator[Event]:
    yield from _process(process, f"{of}: {clean(pool.title)}")
    for index, row in enumerate(pool.rows, start=1):
        yield _named("thread_name", process, index, name=clean(row.label))
        yield _named("thread_sort_index", process, index, sort_index=index)
        for stretch in row.bars:
            word = SHADE_WORDS[stretch.shade]
            name = f"{word}: {clean(stretch.why)}" if stretch.why else word
            yield _slice(name, word, process, index, stretch, -lead)


def _slices(run: Run, lane: Lane, blocked: Blocked, process: int, thread: int, zero: int) -> Iterator[Event]:
    for piece in pieces(lane, blocked):
        args = _args(run, piece.wait)
        if piece.step is not None:
            args |= {"in": reason_words(piece.step.reason)}
            where = place(piece.step.site, piece.step.called_from, full=True)
            args |= {"line": where} if where else {}
        category = SHADE_WORDS[STATE_OF.get(piece.shade, piece.shade)]
        yield _slice(_slice_name(piece), category, process, thread, piece, zero) | {"args": args}


def _slice(name: str, category: str, process: int, thread: int, of: Piece | Bar, zero: int) -> Event:
    times = {"ts": (of.start_ns - zero) / 1e3, "dur": (of.end_ns - of.start_ns) / 1e3}
    return {"ph": "X", "name": name, "cat": category, "pid": process, "tid": thread, **times}


def _slice_name(piece: Piece) -> str:
    """ "waiting: redis"."""
    state = SHADE_WORDS[STATE_OF.get(piece.shade, piece.shade)]
    return f"{state}: {clean(piece.wait.reason)}" if piece.wait.reason and piece.step is None else state


def _args(run: Run, wait: Wait) -> dict[str, str]:
    args = {}
    if wait.reason:
        args["reason"] = clean(wait.reason)
    if wait.site is not None:
        args["at"] = place(wait.site)
    if wait.resource is not None and wait.resource < len(run.resources):
        args["resource"] = _resource_name(run.resources[wait.resource])
    for key, track in (("on", wait.on), ("via", wait.via)):
        if track is not None and 0 <= track < len(run.tracks):
            args[key] = clean(run.tracks[track].name)
    return args


def _wakes(run: Run, processes: Mapping[int, int], zero: int, ids: Iterator[int]) -> Iterator[Event]:
    """Yield arrows between the slice that woke and the one that was woken: two events with one id.

    A wake from or to a track that was not recorded has no arrow.
    """
    for wake in run.wakes:
        ends = (wake.waker, wake.woken)
        if any(not 0 <= track < len(run.tracks) for track in ends) or wake.waker == wake.woken:
            continue
        if any(not _covers(run.tracks[track].spans, wake.at_ns) for track in ends):
            continue
        common = {"name": "wake", "cat": "wake", "id": next(ids), "ts": (wake.at_ns - zero) / 1e3}
        waker, woken = (processes[run.tracks[track].process] for track in ends)
        yield {"ph": "s", "tid": wake.waker + 1, "pid": waker, **common}
        yield {"ph": "f", "bp": "e", "tid": wake.woken + 1, "pid": woken, **common}


def _covers(spans: Spans, at_ns: int) -> bool:
    starts, _, _, end_ns = spans.columns
    return bool(starts) and starts[0] <= at_ns <= end_ns


def _named(what: str, process: int, thread: int, **args: str | int) -> Event:
    return {"ph": "M", "name": what, "pid": process, "tid": thread, "args": args}


def _process(process: int, name: str) -> Iterator[Event]:
    yield _named("process_name", process, 0, name=name)
    yield _named("process_sort_index", process, 0, sort_index=process)


def _as_lane(track: Track) -> Lane:
    return Lane(
        track.name, track.index, track.start_ns, track.end_ns, track.outcome, track.spans, track.function
    )


def _resource_name(resource: Resource) -> str:
    where = place(resource.site)
    return f"{resource.kind} {resource.index}" + (f" ({where})" if where else "")


def _resource_counters(run: Run, process: int, zero: int) -> Iterator[Event]:
    for resource, series in resource_levels(run):
        name = _resource_name(resource)
        for what, changes in series.items():
            for at, level in changes:
                yield _counter(f"{name}: {what}", process, at - zero, {what: level})


def _memory_counters(run: Run, process: int, zero: int) -> Iterator[Event]:
    for sample in run.memory:
        for name, value in (
            ("resident memory (MB)", sample.resident_bytes / 1e6),
            ("virtual memory (MB)", sample.virtual_bytes / 1e6),
            ("threads", sample.threads),
        ):
            yield _counter(name, process, sample.at_ns - zero, {name: value})


def _counter(name: str, process: int, at_ns: int, args: Mapping[str, float]) -> Event:
    return {"ph": "C", "name": name, "pid": process, "ts": at_ns / 1e3, "args": args}
