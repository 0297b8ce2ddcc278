"""The JSON contract: names, types and units, field by field."""

from __future__ import annotations

from dataclasses import replace

from asyncdemo.model import Holding, Outcome, Run, RunOutcome, State, Stuck
from asyncdemo.render.text.json_result import lesson_result, variant_result
from tests.support.runs import APP, Story, at_line


def a_run() -> Run:
    story = Story()
    gate = story.semaphore(1, made=at_line(3))
    story.lock()
    first = story.task("Task-1", at=1000, defined=at_line(7, "upload"))
    second = story.task("Task-2", at=1000, defined=at_line(7, "upload"))
    first.enters("upload(1)").takes(gate).blocks(
        60, at=at_line(9, "upload"), called_from=at_line(9, "upload")
    )
    first.sleeps(40).gives_back(gate).leaves().returns()
    second.enters("upload(2)").is_ready(60).runs(1).queues(gate, 39).takes(gate).sleeps(100)
    second.gives_back(gate).leaves(Outcome.CANCELLED)
    return story.run(name="awaited")


def test_a_variant_field_by_field() -> None:
    result = variant_result(a_run())
    (finding,) = result.pop("findings")
    of_servers: dict[str, object] = {
        "requests": None,
        "paths": {},
        "request_list": [],
        "pools": [],
        "connections_open": 0,
        "memory": None,
        "processes": 1,
        "gaps": [],
        "complete_from_s": None,
        "counted": [],
        "notes": [],
        "stuck": [],
    }
    assert result == of_servers | {
        "name": "awaited",
        "outcome": "ok",
        "exit_code": 0,
        "clock": "real",
        "wall_s": 0.2,
        "ideal_s": 0.2,
        "lanes": 2,
        "peak": 1,
        "open": 2,
        "steps": 2,
        "running_s": 0.061,
        "ready_s": 0.06,
        "waiting_s": 0.14,
        "queued_s": 0.039,
        "unknown_s": 0.0,
        "blocked_s": 0.06,
        "blocks": 1,
        "longest_step": {"ms": 60.0, "file": APP, "line": 9, "function": "upload"},
        "throughput_per_s": 5.0,
        "outcomes": {"returned": 1, "raised": 0, "cancelled": 1, "open": 0},
        "unawaited": 0,
        "left_pending": 0,
        "depth": 0,
        "resources": [
            {
                "kind": "semaphore",
                "file": APP,
                "line": 3,
                "limit": 1,
                "peak_held": 1,
                "peak_queued": 1,
                "queued_s": 0.039,
            },
            {
                "kind": "lock",
                "file": None,
                "line": None,
                "limit": 1,
                "peak_held": 0,
                "peak_queued": 0,
                "queued_s": 0.0,
            },
        ],
        "functions": [
            {
                "name": "upload",
                "calls": 2,
                "peak": 1,
                "open": 2,
                "gap_ms": 0.0,
                "longest_ms": 200.0,
                "shortest_ms": 100.0,
                "outcomes": {"returned": 1, "raised": 0, "cancelled": 1, "open": 0},
            }
        ],
        "lane_list": [
            {
                "name": "upload(1)",
                "track": "Task-1",
                "start_s": 0.0,
                "end_s": 0.1,
                "outcome": "returned",
                "running_s": 0.06,
                "ready_s": 0.0,
                "waiting_s": 0.04,
                "queued_s": 0.0,
                "unknown_s": 0.0,
                "reasons": {"sleep": 0.04},
            },
            {
                "name": "upload(2)",
                "track": "Task-2",
                "start_s": 0.0,
                "end_s": 0.2,
                "outcome": "cancelled",
                "running_s": 0.001,
                "ready_s": 0.06,
                "waiting_s": 0.1,
                "queued_s": 0.039,
                "unknown_s": 0.0,
                "reasons": {"semaphore": 0.039, "sleep": 0.1},
            },
        ],
    }
    assert finding == {
        "kind": "blocks-the-loop",
        "message": "time.sleep held the event loop for 60 ms at app.py:9 in upload().",
        "file": APP,
        "line": 9,
        "called_from": f"{APP}:9",
    }


def a_server() -> Run:
    story = Story()
    pool = story.pool(2, made=at_line(5), name="redis")
    handler = story.task("Task-1", at=1010).enters("film(1)").waits(40, "redis").leaves().returns()
    waiter = story.task("Task-2", at=1010).enters("film(2)").queues(pool, 30).leaves().returns()
    story.connection(pool, 1010, 1012, uses=[(handler, 1010, 1050)], by=handler)
    story.refuses(pool, waiter, 1010, 1040)
    first = story.request("GET /films/1/ 1", at=1000).queues_for("accept", 10).is_handled_by(handler)
    first.waits_for_response(10).answered(200)
    story.request("GET /films/1/ 2", at=1000).queues_for("accept", 10).is_handled_by(waiter).answered(503)
    story.request("GET /films/1/ 3", at=1000).queues_for("accept", 100).fails("timeout")
    story.has_memory(900, 40, 300, threads=1)
    story.has_memory(1020, 40.5, 308, threads=2)
    return story.run(name="pooled", processes=2)


def test_a_server_under_load_has_its_requests_pools_and_memory() -> None:
    result = variant_result(a_server())
    assert result["requests"] == {
        "count": 3,
        "answered": 2,
        "failed": 2,
        "statuses": {"200": 1, "503": 1},
        "errors": {"timeout": 1},
        "p50_ms": 40.0,
        "p90_ms": 60.0,
        "p99_ms": 60.0,
        "slowest_ms": 60.0,
        "wall_s": 0.1,
        "per_s": 20.0,
    }
    assert result["paths"] == {"/films/1/": result["requests"]}
    assert result["request_list"][0] == {
        "name": "GET /films/1/ 1",
        "status": 200,
        "error": None,
        "start_s": 0.0,
        "end_s": 0.06,
        "running_s": 0.0,
        "ready_s": 0.0,
        "waiting_s": 0.05,
        "queued_s": 0.01,
        "unknown_s": 0.0,
        "reasons": {"accept": 0.01, "redis": 0.04, "response": 0.01},
    }
    assert [(one["status"], one["error"]) for one in result["request_list"]] == [
        (200, None),
        (503, None),
        (None, "timeout"),
    ]
    assert result["pools"] == [
        {
            "name": "redis",
            "file": APP,
            "line": 5,
            "process": 0,
            "limit": 2,
            "connections": 1,
            "most_open": 1,
            "most_held": 1,
            "most_waiting": 1,
            "queued_s": 0.03,
            "refused": 1,
            "closed": 0,
            "leaked": 0,
        }
    ]
    assert result["memory"] == {
        "resident_mb": 40.5,
        "resident_growth_mb": 0.5,
        "virtual_mb": 308.0,
        "virtual_growth_mb": 8.0,
        "threads": 2,
        "threads_growth": 1,
    }
    assert result["processes"] == 2
    assert [lane["start_s"] for lane in result["lane_list"]] == [0.01, 0.01]


def test_a_run_without_lanes_has_zeros_and_nulls() -> None:
    result = variant_result(Story().run(exit_code=None))
    assert (result["wall_s"], result["peak"], result["throughput_per_s"]) == (0.0, 0, 0.0)
    assert result["longest_step"] is None and result["exit_code"] is None
    assert result["lane_list"] == result["resources"] == result["findings"] == []


def test_a_lesson_has_its_variants_in_order() -> None:
    runs = [Story().run(name=name) for name in ("blocking", "awaited")]
    result = lesson_result("two-sleeps", {"BREWS": 10, "BREW_S": 0.3}, runs)
    assert list(result) == ["format", "lesson", "knobs", "variants", "predictions"]
    assert result["format"] == "asyncdemo.result/1"
    assert (result["lesson"], result["knobs"]) == ("two-sleeps", {"BREWS": 10, "BREW_S": 0.3})
    assert [variant["name"] for variant in result["variants"]] == ["blocking", "awaited"]


def test_who_was_stuck_in_a_run_that_was_stopped() -> None:
    story = Story()
    lock = story.lock(made=at_line(3))
    main = story.task("main").takes(lock).sleeps(10)
    story.task("waits").queues(lock, 10)
    run = story.run(outcome=RunOutcome.TIMEOUT, exit_code=None)
    stuck = Stuck("waits", "save", at_line(9), "async with lock:", State.QUEUED, 1, "lock", 0, (main.index,))
    result = variant_result(replace(run, stuck=(stuck,), holdings=(Holding(1, 0, at_line(8)),)))
    assert result["ideal_s"] is None
    assert result["stuck"] == [
        {
            "name": "waits",
            "function": "save",
            "state": "queued",
            "file": APP,
            "line": 9,
            "reason": "lock",
            "resource": 0,
            "waits_for": ["main"],
            "at_most_s": None,
            "holds": [{"resource": 0, "file": APP, "line": 8}],
        }
    ]
