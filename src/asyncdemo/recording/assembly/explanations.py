"""Explain what a step that held its loop was doing: known calls, computing, or waiting for another thread."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from asyncdemo.model import BlockingCall, Site, SlowStep, State, Track, TrackKind

_MOSTLY = 0.5
_HARDLY_STOLEN = 0.75
"""Linux now and then counts nearly all of a sleep as time in which the thread waited for a processor."""


def explain(
    steps: Sequence[SlowStep], calls: Sequence[BlockingCall], tracks: Sequence[Track]
) -> tuple[SlowStep, ...]:
    """Return the steps with a ``reason``, and with the place of the calls if calls explain them."""
    ordered = sorted(calls, key=lambda call: call.start_ns)
    starts = [call.start_ns for call in ordered]
    threads = [track for track in tracks if track.kind is TrackKind.THREAD]
    return tuple(_explain_step(step, ordered, starts, threads) for step in steps)


def _explain_step(
    step: SlowStep, calls: Sequence[BlockingCall], starts: Sequence[int], threads: Sequence[Track]
) -> SlowStep:
    length = step.end_ns - step.start_ns
    inside: defaultdict[tuple[str, Site | None, Site | None], int] = defaultdict(int)
    for call in calls[bisect_left(starts, step.start_ns) : bisect_right(starts, step.end_ns)]:
        if call.end_ns <= step.end_ns:
            inside[call.reason, call.site, call.called_from] += call.end_ns - call.start_ns
    in_calls = sum(inside.values())
    if in_calls >= _MOSTLY * length > 0:
        reason, site, called_from = max(inside, key=inside.__getitem__)
        stolen_ns = step.stolen_ns
        if stolen_ns > _HARDLY_STOLEN * length:
            stolen_ns = min(stolen_ns, max(length - in_calls, 0))
        return replace(step, reason=reason, site=site, called_from=called_from, stolen_ns=stolen_ns)
    if step.cpu_ns is None or step.cpu_ns >= _MOSTLY * step.held_ns:
        return step  # it computed for most of the time that it had the processor
    computing = any(_running_ns(thread, step) >= _MOSTLY * length for thread in threads)
    return replace(step, reason="gil" if computing else "outside Python")


def _running_ns(thread: Track, step: SlowStep) -> int:
    """Return how long a thread ran during the step; the loop's own counts as waiting for the loop."""
    return sum(
        span.duration_ns
        for span in thread.spans.clip(step.start_ns, step.end_ns)
        if span.state is State.RUNNING
    )
