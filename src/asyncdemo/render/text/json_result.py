"""Runs as the JSON objects that ``--json`` prints: ``asyncdemo.result/1``.

The names and types are a contract, described in ``docs/reference/json.md``; a change of meaning
makes it version 2. Seconds are rounded to the microsecond.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from asyncdemo.analysis.diagnose import Finding, diagnose
from asyncdemo.analysis.metrics import (
    FunctionUse,
    LongestStep,
    MemoryUse,
    RequestUse,
    ResourceUse,
    measure,
)
from asyncdemo.analysis.metrics.pools import PoolUse, pool_use
from asyncdemo.analysis.metrics.states import totals_of
from asyncdemo.model import Lane, Outcome, Request, Run, Site, Stuck
from asyncdemo.render.timeline.layout import open_ns

FORMAT = "asyncdemo.result/1"


def lesson_result(
    lesson_id: str,
    knobs: Mapping[str, Any],
    runs: Sequence[Run],
    predictions: Sequence[Mapping[str, str]] = (),
) -> dict[str, Any]:
    """Return the result. ``predictions``: each question that the runs answer, with what happened and why."""
    return {
        "format": FORMAT,
        "lesson": lesson_id,
        "knobs": dict(knobs),
        "variants": [variant_result(run) for run in runs],
        "predictions": list(predictions),
    }


def script_result(script: str, run: Run) -> dict[str, Any]:
    return {"format": FORMAT, "script": script, "run": variant_result(run)}


def variant_result(run: Run) -> dict[str, Any]:
    metrics = measure(run)
    zero_ns = open_ns(run)
    return {
        "name": run.name,
        "outcome": str(run.outcome),
        "exit_code": run.exit_code,
        "clock": str(run.clock),
        "wall_s": _seconds(metrics.wall_ns),
        "ideal_s": None if metrics.ideal_ns is None else _seconds(metrics.ideal_ns),
        "lanes": metrics.lanes,
        "peak": metrics.peak,
        "open": metrics.open,
        "steps": metrics.steps,
        "running_s": _seconds(metrics.running_ns),
        "ready_s": _seconds(metrics.ready_ns),
        "waiting_s": _seconds(metrics.waiting_ns),
        "queued_s": _seconds(metrics.queued_ns),
        "blocked_s": _seconds(metrics.blocked_ns),
        "blocks": metrics.blocks,
        "longest_step": _longest_step(metrics.longest_step),
        "throughput_per_s": round(metrics.throughput_per_s, 6),
        "outcomes": {str(outcome): metrics.outcomes.get(outcome, 0) for outcome in Outcome},
        "unawaited": metrics.unawaited,
        "left_pending": metrics.left_pending,
        "depth": metrics.depth,
        "resources": [_resource(use) for use in metrics.resources],
        "functions": [_function(name, use) for name, use in metrics.functions.items()],
        "lane_list": [_lane(run, lane, zero_ns) for lane in run.lanes],
        "findings": [_finding(finding) for finding in diagnose(run)],
        "stuck": [_stuck(run, one) for one in run.stuck],
        "requests": _requests(metrics.requests),
        "paths": {path: _requests(use) for path, use in metrics.paths.items()},
        "request_list": [_request(request, zero_ns) for request in run.requests],
        "pools": [_pool(use) for use in pool_use(run)],
        "connections_open": metrics.connections_open,
        "memory": _memory(metrics.memory),
        "processes": metrics.processes,
        "notes": list(run.notes),
    }


def _requests(use: RequestUse) -> dict[str, Any] | None:
    if not use.count:
        return None
    return {
        "count": use.count,
        "answered": use.answered,
        "failed": use.failed,
        "statuses": {str(status): number for status, number in sorted(use.statuses.items())},
        "errors": dict(sorted(use.errors.items())),
        "p50_ms": _milliseconds(use.p50_ns),
        "p90_ms": _milliseconds(use.p90_ns),
        "p99_ms": _milliseconds(use.p99_ns),
        "slowest_ms": _milliseconds(use.slowest_ns),
        "wall_s": _seconds(use.wall_ns),
        "per_s": round(use.per_s, 6),
    }


def _request(request: Request, zero_ns: int) -> dict[str, Any]:
    return {
        "name": request.name,
        "status": request.status,
        "error": request.error,
        "start_s": _seconds(request.start_ns - zero_ns),
        "end_s": _seconds(request.end_ns - zero_ns),
        **_states(request),
    }


def _states(row: Lane | Request) -> dict[str, Any]:
    totals = totals_of(row)
    return {
        "running_s": _seconds(totals.running_ns),
        "ready_s": _seconds(totals.ready_ns),
        "waiting_s": _seconds(totals.waiting_ns),
        "queued_s": _seconds(totals.queued_ns),
        "reasons": {reason: _seconds(spent) for reason, spent in totals.reasons.items()},
    }


def _pool(use: PoolUse) -> dict[str, Any]:
    return {
        "name": use.resource.name,
        **_place(use.resource.site),
        "process": use.resource.process,
        "limit": use.resource.limit,
        "connections": use.connections,
        "most_open": use.most_open,
        "most_held": use.most_held,
        "most_waiting": use.most_waiting,
        "queued_s": _seconds(use.queued_ns),
        "refused": use.refused,
        "closed": use.closed,
        "leaked": use.leaked,
    }


def _memory(use: MemoryUse) -> dict[str, Any] | None:
    if not use.samples:
        return None
    return {
        "resident_mb": _megabytes(use.most_resident_bytes),
        "resident_growth_mb": _megabytes(use.resident_growth_bytes),
        "virtual_mb": _megabytes(use.most_virtual_bytes),
        "virtual_growth_mb": _megabytes(use.virtual_growth_bytes),
        "threads": use.most_threads,
        "threads_growth": use.threads_growth,
    }


def _longest_step(step: LongestStep | None) -> dict[str, Any] | None:
    if step is None:
        return None
    return {
        "ms": _milliseconds(step.duration_ns),
        **_place(step.site),
        "function": step.site.function if step.site else None,
    }


def _resource(use: ResourceUse) -> dict[str, Any]:
    return {
        "kind": str(use.resource.kind),
        **_place(use.resource.site),
        "limit": use.resource.limit,
        "peak_held": use.peak_held,
        "peak_queued": use.peak_queued,
        "queued_s": _seconds(use.queued_ns),
    }


def _function(name: str, use: FunctionUse) -> dict[str, Any]:
    return {
        "name": name,
        "calls": use.calls,
        "peak": use.peak,
        "open": use.open,
        "gap_ms": _milliseconds(use.gap_ns),
        "longest_ms": _milliseconds(use.longest_ns),
        "shortest_ms": _milliseconds(use.shortest_ns),
        "outcomes": {str(outcome): use.outcomes.get(outcome, 0) for outcome in Outcome},
    }


def _lane(run: Run, lane: Lane, zero_ns: int) -> dict[str, Any]:
    return {
        "name": lane.name,
        "track": run.tracks[lane.track].name,
        "start_s": _seconds(lane.start_ns - zero_ns),
        "end_s": _seconds(lane.end_ns - zero_ns),
        "outcome": str(lane.outcome),
        **_states(lane),
    }


def _finding(finding: Finding) -> dict[str, Any]:
    caller = finding.called_from
    return {
        "kind": str(finding.kind),
        "message": finding.message,
        **_place(finding.site),
        "called_from": f"{caller.file}:{caller.line}" if caller else None,
    }


def _stuck(run: Run, one: Stuck) -> dict[str, Any]:
    held = (holding for holding in run.holdings if one.track is not None and holding.track == one.track)
    return {
        "name": one.name,
        "function": one.function,
        "state": one.state.name.lower(),
        **_place(one.site),
        "reason": one.reason or None,
        "resource": one.resource,
        "waits_for": [run.tracks[track].name for track in one.on],
        "holds": [{"resource": holding.resource, **_place(holding.site)} for holding in held],
    }


def _place(site: Site | None) -> dict[str, Any]:
    return {"file": site.file if site else None, "line": site.line if site else None}


def _milliseconds(ns: int) -> float:
    return round(ns / 1e6, 6)


def _megabytes(size: int) -> float:
    return round(size / 1e6, 6)


def _seconds(ns: int) -> float:
    return round(ns / 1e9, 6)
