"""The part of a run that counts: of a server the time in which requests were under way.

What it does before the first request and after the last response, when it opens and closes what it needs,
keeps nobody waiting. What is no server counts from beginning to end.
"""

from __future__ import annotations

from dataclasses import replace

from asyncdemo.model import Run


def served_ns(run: Run) -> tuple[float, float]:
    """From the first send to the last response; of what is no server from ever to ever."""
    if not run.requests:
        return float("-inf"), float("inf")
    return min(r.sent_ns for r in run.requests), max(r.end_ns for r in run.requests)


def at_service(run: Run) -> Run:
    """The run with those of its lanes that were open in that time."""
    if not run.requests:
        return run
    start_ns, end_ns = served_ns(run)
    return replace(
        run, lanes=tuple(lane for lane in run.lanes if lane.start_ns < end_ns and lane.end_ns > start_ns)
    )
