"""Runs as the JSON objects that ``--json`` prints: ``asyncdemo.result/1``.

The names and types are a contract, described in ``docs/reference/json.md``; a change of meaning
makes it version 2. Seconds are rounded to the microsecond.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from asyncdemo.analysis.diagnose import Finding, diagnose
from asyncdemo.analysis.metrics import (
    PLAIN_FIGURES,
    FunctionUse,
    LongestStep,
    MemoryUse,
    Metrics,
    RequestUse,
    ResourceUse,
    measure,
)
from asyncdemo.analysis.metrics.pools import PoolUse, pool_use
from asyncdemo.analysis.metrics.states import totals_of
from asyncdemo.model import Gap, Lane, Outcome, Request, Run, Site, Stuck
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
        **{figure.name: _rounded(figure.value(metrics)) for figure in PLAIN_FIGURES},
        "longest_step": _longest_step(metrics.longest_step),
        "outcomes": _outcomes(metrics),
        "resources": [_resource(use) for use in metrics.resources],
        "functions": [_function(name, use) for name, use in metrics.functions.items()],
        "lane_list": [_lane(run, lane, zero_ns) for lane in run.lanes],
        "findings": [_finding(finding) for finding in diagnose(run)],
        "stuck": [_stuck(run, one) for one in run.stuck],
        "requests": _requests(metrics.requests),
        "paths": {path: _requests(use) for path, use in metrics.paths.items()},
        "request_list": [_request(request, zero_ns) for request in run.requests],
        "pools": [_pool(use) for use in pool_use(run)],
        "memory": _memory(metrics.memory),
        "gaps": [{**_times(gap, zero_ns), **_fields(gap, "steps", "process")} for gap in run.gaps],
        "complete_from_s": None if run.complete_from_ns is None else _seconds(run.complete_from_ns - zero_ns),
        "counted": [
            {**_fields(lanes, "function", "error", "count"), "outcome": str(lanes.outcome)}
            for lanes in run.counted
        ],
        "notes": list(run.notes),
    }


def _fields(source: object, *names: str) -> dict[str, Any]:
    """Return attributes as fields: "wall_s" from ``wall_ns``, "threads" as it is; fractions are rounded."""
    return {name: _field(source, name) for name in names}


def _field(source: object, name: str) -> Any:
    for unit, per in (("_s", 1e9), ("_ms", 1e6)):
        nanoseconds = name.removesuffix(unit) + "_ns"
        if name.endswith(unit) and hasattr(source, nanoseconds):
            value = getattr(source, nanoseconds)
            return None if value is None else round(value / per, 6)
    return _rounded(getattr(source, name))


def _rounded(value: Any) -> Any:
    return round(value, 6) if isinstance(value, float) else value


def _outcomes(of: Metrics | FunctionUse) -> dict[str, int]:
    return {str(outcome): of.outcomes.get(outcome, 0) for outcome in Outcome}


def _requests(use: RequestUse) -> dict[str, Any] | None:
    if not use.count:
        return None
    return {
        **_fields(use, "count", "answered", "failed"),
        "statuses": {str(status): number for status, number in sorted(use.statuses.items())},
        "errors": dict(sorted(use.errors.items())),
        **_fields(use, "p50_ms", "p90_ms", "p99_ms", "slowest_ms", "wall_s", "per_s"),
    }


def _request(request: Request, zero_ns: int) -> dict[str, Any]:
    return {**_fields(request, "name", "status", "error"), **_times(request, zero_ns), **_states(request)}


def _lane(run: Run, lane: Lane, zero_ns: int) -> dict[str, Any]:
    return {
        "name": lane.name,
        "track": run.tracks[lane.track].name,
        **_times(lane, zero_ns),
        "outcome": str(lane.outcome),
        **_states(lane),
    }


def _times(row: Lane | Request | Gap, zero_ns: int) -> dict[str, Any]:
    return {"start_s": _seconds(row.start_ns - zero_ns), "end_s": _seconds(row.end_ns - zero_ns)}


def _states(row: Lane | Request) -> dict[str, Any]:
    totals = totals_of(row)
    return {
        **_fields(totals, "running_s", "ready_s", "waiting_s", "queued_s", "unknown_s"),
        "reasons": {reason: _seconds(spent) for reason, spent in totals.reasons.items()},
    }


def _pool(use: PoolUse) -> dict[str, Any]:
    return {
        "name": use.resource.name,
        **_place(use.resource.site),
        **_fields(use.resource, "process", "limit"),
        **_fields(use, "connections", "most_open", "most_held", "most_waiting", "queued_s"),
        **_fields(use, "refused", "closed", "leaked"),
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
        "ms": round(step.duration_ns / 1e6, 6),
        **_place(step.site),
        "function": step.site.function if step.site else None,
    }


def _resource(use: ResourceUse) -> dict[str, Any]:
    return {
        "kind": str(use.resource.kind),
        **_place(use.resource.site),
        "limit": use.resource.limit,
        **_fields(use, "peak_held", "peak_queued", "queued_s"),
    }


def _function(name: str, use: FunctionUse) -> dict[str, Any]:
    return {
        "name": name,
        **_fields(use, "calls", "peak", "open", "gap_ms", "longest_ms", "shortest_ms"),
        "outcomes": _outcomes(use),
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
        "at_most_s": one.at_most_s,
        "holds": [{"resource": holding.resource, **_place(holding.site)} for holding in held],
    }


def _place(site: Site | None) -> dict[str, Any]:
    return {"file": site.file if site else None, "line": site.line if site else None}


def _megabytes(size: int) -> float:
    return round(size / 1e6, 6)


def _seconds(ns: int) -> float:
    return round(ns / 1e9, 6)
