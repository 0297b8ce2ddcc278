"""When an event loop was blocked: the steps of tasks and other callbacks that held it for long.

Everything that reports how long, when, where or whether a loop was blocked uses ``blocking_steps``. For a
server, only those count that held it while a request was in progress: what it does before the first and
after the last one keeps nobody waiting.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from asyncdemo.analysis.metrics.requests import served_ns
from asyncdemo.analysis.metrics.states import durations
from asyncdemo.model import Run, Site, SlowStep, State, Track, TrackKind, lineage


@dataclass(frozen=True, slots=True)
class LongestStep:
    """The longest time that a task ran without giving the loop back.

    Attributes:
        duration_ns: How long it took.
        site: The line that it was at, if known.
    """

    duration_ns: int
    site: Site | None


def blocking_steps(run: Run, longer_than_ns: int | None = None) -> tuple[SlowStep, ...]:
    """Return the steps, of tasks and other callbacks, that held a loop longer than the run's threshold.

    Time that the operating system gave to other programs is not counted.

    Args:
        longer_than_ns: Another limit instead. Nothing was recorded below the threshold of the run.
    """
    limit_ns = run.threshold_ns if longer_than_ns is None else longer_than_ns
    from_ns, to_ns = served_ns(run)
    return tuple(
        step
        for step in run.slow_steps
        if step.held_ns > limit_ns and step.start_ns < to_ns and step.end_ns > from_ns
    )


def in_a_hub(run: Run, index: int | None) -> bool:
    """Return whether the track is a greenlet, or the thread of its hub. Then no asyncio loop runs it.

    A greenlet descends from its own thread. An asyncio task descends from no thread, or from another one
    that requested it.
    """
    if index is None:
        return False
    track = run.tracks[index]
    if track.kind is TrackKind.THREAD:
        return True
    threads = (one for one in lineage(run.tracks, index) if one.kind is TrackKind.THREAD)
    made_by = next(threads, None)
    return made_by is not None and made_by.index == track.thread


def longest_step(run: Run) -> LongestStep | None:
    """Return the longest running span of any of the program's tasks; None if none ran."""
    served_from_ns, served_to_ns = served_ns(run)
    found: tuple[int, int, Track] | None = None
    for track in run.tracks:
        if track.kind is not TrackKind.TASK or track.own:
            continue
        starts, states, waits, _ = track.spans.columns
        causes = track.spans.causes
        for start, state, wait, duration in zip(starts, states, waits, durations(track.spans), strict=True):
            longest = found[0] if found else 0
            if (
                duration > longest
                and state == State.RUNNING
                and causes[wait].via is None
                and start < served_to_ns
                and start + duration > served_from_ns
            ):
                found = duration, start, track
    if found is None:
        return None
    duration, start, track = found
    return LongestStep(duration, _site_of_step(run.slow_steps, track, start, start + duration))


def _site_of_step(steps: Iterable[SlowStep], track: Track, start_ns: int, end_ns: int) -> Site | None:
    """Return where the watchdog saw the step, or else where the task's function is defined."""
    seen = [
        (min(step.end_ns, end_ns) - max(step.start_ns, start_ns), step.site)
        for step in steps
        if step.track == track.index and step.site is not None
    ]
    overlap, site = max(seen, key=lambda pair: pair[0], default=(0, None))
    return site if overlap > 0 else track.site
