"""Counters of a Perfetto trace: what is held and queued for, how long queues are, how much memory there is.

Not for: slices, flows, the trace as a whole (``perfetto``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from asyncdemo.model import Resource, Run, State
from asyncdemo.render.words import place

__all__ = ["counters", "resource_name"]

Event = dict[str, Any]


def counters(run: Run, process: int, zero: int) -> Iterator[Event]:
    """process: which one of the trace they stand with. zero: the time that is zero there."""
    yield from _resources(run, process, zero)
    yield from _memory(run, process, zero)


def resource_name(resource: Resource) -> str:
    where = place(resource.site)
    return f"{resource.kind} {resource.index}" + (f" ({where})" if where else "")


def _resources(run: Run, process: int, zero: int) -> Iterator[Event]:
    queued = _queued(run)
    for resource in run.resources:
        name = resource_name(resource)
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


def _memory(run: Run, process: int, zero: int) -> Iterator[Event]:
    for sample in run.memory:
        for name, value in (
            ("resident memory (MB)", sample.resident_bytes / 1e6),
            ("virtual memory (MB)", sample.virtual_bytes / 1e6),
            ("threads", sample.threads),
        ):
            yield {
                "ph": "C",
                "name": name,
                "pid": process,
                "ts": (sample.at_ns - zero) / 1e3,
                "args": {name: value},
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
