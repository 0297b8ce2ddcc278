"""Counters of a Perfetto trace: what is held and queued for, how long queues are, how much memory there is.

Not for: slices, flows, the trace as a whole (``perfetto``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from asyncdemo.model import Resource, Run
from asyncdemo.render.timeline.curves import resource_levels
from asyncdemo.render.words import place

Event = dict[str, Any]


def counters(run: Run, process: int, zero: int) -> Iterator[Event]:
    """process: which one of the trace they stand with. zero: the time that is zero there."""
    yield from _resources(run, process, zero)
    yield from _memory(run, process, zero)


def resource_name(resource: Resource) -> str:
    where = place(resource.site)
    return f"{resource.kind} {resource.index}" + (f" ({where})" if where else "")


def _resources(run: Run, process: int, zero: int) -> Iterator[Event]:
    for resource, series in resource_levels(run):
        name = resource_name(resource)
        for what, changes in series.items():
            for at, level in changes:
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
