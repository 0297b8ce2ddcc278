"""Runs as Chrome trace events, for Perfetto and chrome://tracing.

Format: "Trace Event Format", Google, 2016. Each run is a process, each track a thread of it in the
order of the recording, each span a slice; who woke whom is a flow; how long queues are and how many
hold a resource are counters. Rows by function are a process of their own. Not for: compressing or
writing (``export``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from asyncdemo.model import Lane, Resource, Run, Spans, State, Track, Wait
from asyncdemo.render.facts import reason_words
from asyncdemo.render.layout import Blocked, blocked_of, open_ns, pieces
from asyncdemo.render.words import SHADE_WORDS, clean, place, title

__all__ = ["render_perfetto"]

Event = dict[str, Any]


def render_perfetto(runs: Sequence[Run]) -> bytes:
    """JSON in ASCII; times in microseconds, those of all runs aligned at their first lane's open.

    None is negative: tracks of a run that were there before its first lane begin after zero too.
    """
    events: list[Event] = []
    flows = 0
    lead = max((open_ns(run) - _first_ns(run) for run in runs), default=0)
    for index, run in enumerate(runs):
        process, zero = 2 * index + 1, open_ns(run) - lead
        events += _tracks(run, process, zero)
        arrows = list(_wakes(run, process, zero, flows))
        flows += len(arrows)
        events += arrows
        events += _counters(run, process, zero)
        if run.named:
            events += _named_lanes(run, process + 1, zero)
    # Stable: metadata, which has no time, stays first; slices that start together, outer first.
    events.sort(key=lambda event: (event.get("ts", -1.0), -event.get("dur", 0)))
    trace = {
        "displayTimeUnit": "ms",
        "otherData": {"tool": "asyncdemo", "runs": ", ".join(title(run) for run in runs)},
        "traceEvents": events,
    }
    return json.dumps(trace, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def _first_ns(run: Run) -> int:
    """The first time that anything of the run has."""
    times = [
        *(track.start_ns for track in run.tracks),
        *(slot.start_ns for resource in run.resources for slot in resource.slots),
        *(at for resource in run.resources for at, _ in resource.levels),
    ]
    return min(times, default=open_ns(run))


def _tracks(run: Run, process: int, zero: int) -> Iterator[Event]:
    blocked = blocked_of(run)
    yield _named("process_name", process, 0, name=title(run))
    yield _named("process_sort_index", process, 0, sort_index=process)
    for track in run.tracks:
        thread = track.index + 1
        yield _named("thread_name", process, thread, name=clean(track.name) or clean(track.function))
        yield _named("thread_sort_index", process, thread, sort_index=track.index)
        yield from _slices(run, _as_lane(track), blocked, process, thread, zero)


def _named_lanes(run: Run, process: int, zero: int) -> Iterator[Event]:
    blocked = blocked_of(run)
    yield _named("process_name", process, 0, name=f"{title(run)}: lanes")
    yield _named("process_sort_index", process, 0, sort_index=process)
    for index, lane in enumerate(run.lanes):
        yield _named("thread_name", process, index + 1, name=clean(lane.name))
        yield _named("thread_sort_index", process, index + 1, sort_index=index)
        yield from _slices(run, lane, blocked, process, index + 1, zero)


def _slices(run: Run, lane: Lane, blocked: Blocked, process: int, thread: int, zero: int) -> Iterator[Event]:
    for piece in pieces(lane, blocked):
        name = SHADE_WORDS[piece.shade]
        args = _args(run, piece.wait)
        if piece.step is not None:
            args |= {"in": reason_words(piece.step.reason)}
            where = place(piece.step.site, piece.step.called_from, full=True)
            args |= {"line": where} if where else {}
        elif piece.wait.reason:
            name += f": {clean(piece.wait.reason)}"
        yield {
            "ph": "X",
            "name": name,
            "cat": SHADE_WORDS[piece.shade],
            "pid": process,
            "tid": thread,
            "ts": (piece.start_ns - zero) / 1e3,
            "dur": (piece.end_ns - piece.start_ns) / 1e3,
            "args": args,
        }


def _args(run: Run, wait: Wait) -> dict[str, str]:
    args = {}
    if wait.reason:
        args["reason"] = clean(wait.reason)
    if wait.resource is not None and wait.resource < len(run.resources):
        args["resource"] = _resource_name(run.resources[wait.resource])
    for key, track in (("on", wait.on), ("via", wait.via)):
        if track is not None and 0 <= track < len(run.tracks):
            args[key] = clean(run.tracks[track].name)
    return args


def _wakes(run: Run, process: int, zero: int, flows: int) -> Iterator[Event]:
    """An arrow out of the slice that woke into the one that was woken: two events with one id.

    A wake from or to a track that the recording does not hold has no arrow.
    """
    for number, wake in enumerate(run.wakes):
        ends = (wake.waker, wake.woken)
        if any(not 0 <= track < len(run.tracks) for track in ends) or wake.waker == wake.woken:
            continue
        if any(not _covers(run.tracks[track].spans, wake.at_ns) for track in ends):
            continue
        common = {"name": "wake", "cat": "wake", "id": flows + number, "pid": process}
        at = (wake.at_ns - zero) / 1e3
        yield {"ph": "s", "tid": wake.waker + 1, "ts": at, **common}
        yield {"ph": "f", "bp": "e", "tid": wake.woken + 1, "ts": at, **common}


def _counters(run: Run, process: int, zero: int) -> Iterator[Event]:
    queued = _queued(run)
    for resource in run.resources:
        name = _resource_name(resource)
        series = {
            "held": _levels((slot.start_ns, slot.end_ns) for slot in resource.slots),
            "queued": _levels(queued.get(resource.index, ())),
            "length": list(resource.levels),
        }
        for what, levels in series.items():
            for at, level in levels:
                yield {
                    "ph": "C",
                    "name": f"{name}: {what}",
                    "pid": process,
                    "ts": (at - zero) / 1e3,
                    "args": {what: level},
                }


def _queued(run: Run) -> dict[int, list[tuple[int, int]]]:
    """When tracks queued for each resource."""
    found: dict[int, list[tuple[int, int]]] = {}
    for track in run.tracks:
        for span in track.spans:
            if span.state is State.QUEUED and span.wait.resource is not None and span.wait.via is None:
                found.setdefault(span.wait.resource, []).append((span.start_ns, span.end_ns))
    return found


def _levels(intervals: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """(time, how many) after each change."""
    changes: dict[int, int] = {}
    for start, end in intervals:
        changes[start] = changes.get(start, 0) + 1
        changes[end] = changes.get(end, 0) - 1
    level, levels = 0, []
    for at in sorted(changes):
        level += changes[at]
        levels.append((at, level))
    return levels


def _covers(spans: Spans, at_ns: int) -> bool:
    starts, _, _, end_ns = spans.columns
    return bool(starts) and starts[0] <= at_ns <= end_ns


def _resource_name(resource: Resource) -> str:
    where = place(resource.site)
    return f"{resource.kind} {resource.index}" + (f" ({where})" if where else "")


def _named(what: str, process: int, thread: int, **args: str | int) -> Event:
    return {"ph": "M", "name": what, "pid": process, "tid": thread, "args": args}


def _as_lane(track: Track) -> Lane:
    return Lane(
        track.name, track.index, track.start_ns, track.end_ns, track.outcome, track.spans, track.function
    )
