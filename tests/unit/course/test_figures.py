"""The figures that a manifest can name."""

from __future__ import annotations

import math

import pytest
from hypothesis import given

from asyncdemo.analysis.metrics import Metrics, measure
from asyncdemo.course.content.figures import FIGURES, FUNCTION_FIGURES, figure, mistake
from asyncdemo.model import Outcome, Run
from tests.support.runs import Story, at_line
from tests.support.server_runs import pooled
from tests.support.strategies import runs


def a_service() -> Metrics:
    """Three heartbeats, the last one late since a step blocked; two jobs, and one fails."""
    story = Story()
    story.queue(limit=4, levels=((0, 1), (5, 3), (10, 0)))
    gate = story.semaphore(limit=1)
    beats = story.task("beats")
    beats.enters("beat(1)").sleeps(1).leaves().sleeps(9)
    beats.enters("beat(2)").sleeps(2).leaves().sleeps(88)
    beats.enters("beat(3)").sleeps(1).leaves(Outcome.CANCELLED).returns()
    jobs = story.task("jobs").takes(gate)
    jobs.enters("job(1)").blocks(80).leaves().enters("job(2)").sleeps(5).leaves(Outcome.RAISED)
    jobs.gives_back(gate).raises("ValueError")
    story.task("late").enters("job(3)").sleeps(1).leaves(Outcome.OPEN).is_left_pending()
    story.never_awaited("save")
    return measure(story.run())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("returned", 3),
        ("raised", 1),
        ("cancelled", 1),
        ("still_open", 1),
        ("unawaited", 1),
        ("left_pending", 1),
        ("depth", 3),
        ("blocks", 1),
        ("calls(beat)", 3),
        ("calls(job)", 3),
        ("calls(nobody)", 0),
        ("peak(beat)", 1),
        ("open(job)", 2),
        ("gap_ms(beat)", 90),
        ("gap_ms(nobody)", 0),
        ("longest_ms(job)", 80),
        ("shortest_ms(beat)", 1),
        ("returned(beat)", 2),
        ("cancelled(beat)", 1),
        ("raised(job)", 1),
    ],
)
def test_a_figure_has_the_value_that_the_run_shows(name: str, value: float) -> None:
    assert figure(a_service(), name) == value


def a_server() -> Run:
    """Two paths, an error, a pool with one connection that is closed early, and memory."""
    story = Story()
    story.has_memory(-20, 40, 300, threads=1)
    pool = story.pool(2, made=at_line(9), name="redis")
    for number, (path, ms) in enumerate([("/upload", 10), ("/upload", 30), ("/calc", 200)]):
        task = story.task(f"t{number}", at=1).enters("upload").waits(ms - 2, "redis").leaves()
        asker = story.request(f"POST {path} {number + 1}").queues_for("accept", 1)
        asker.is_handled_by(task).waits_for_response(1).answered(503 if path == "/calc" else 200)
        task.returns()
    story.request("POST /calc 4").queues_for("accept", 300).fails("timeout")
    story.has_memory(200, 140, 1300, threads=9)
    assert pool is not None
    return story.run(processes=3)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("requests", 4),
        ("requests(/calc)", 2),
        ("requests(/nothing)", 0),
        ("answered", 3),
        ("answered(/calc)", 1),
        ("failed", 2),
        ("slowest_ms(/upload)", 30),
        ("p50_ms(/upload)", 10),
        ("p99_ms(/calc)", 200),
        ("requests_wall_s(/calc)", 0.3),
        ("pools", 1),
        ("resident_mb", 100),
        ("virtual_mb", 1000),
        ("processes", 3),
    ],
)
def test_figures_of_a_server(name: str, value: float) -> None:
    assert figure(measure(a_server()), name) == pytest.approx(value, abs=1.5 if name.endswith(")") else 0.1)


def test_connections_are_those_of_all_pools() -> None:
    metrics = measure(pooled(requests=20, connections=4))
    assert (figure(metrics, "connections"), figure(metrics, "connections_open")) == (4, 4)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("p99_ms(/calc)", ""),
        ("p99_ms", ""),
        ("p99_ms(/buy)", "is of '/buy', and not of /calc"),
        ("peak(/calc)", "must be one of requests, answered, "),
        ("p99_ms(brew)", "must be one of calls, peak, "),
        ("peak", ""),
        ("peak(brew)", ""),
        ("speed", "must be one of wall_s, "),
        ("calls", "must be one of wall_s, "),
        ("wall_s(brew)", "must be one of calls, peak, "),
        ("peak(pour)", "is of 'pour', and not of brew"),
        ("peak(brew", "not 'peak(brew'"),
        ("peak(brew).x", "not 'peak(brew).x'"),
    ],
)
def test_a_mistaken_name_is_explained(name: str, words: str) -> None:
    said = mistake(name, ["brew"], ["/calc"])
    assert (said == "") is (words == "")
    assert words in said


@given(runs())
def test_every_figure_can_be_had_of_any_run(run: Run) -> None:
    metrics = measure(run)
    functions = {lane.function for lane in run.lanes} | {"never_called"}
    unknown = {"ideal_s"} if metrics.ideal_ns is None else set()
    assert all(figure(metrics, name) >= 0 for name in FIGURES if name not in unknown)
    assert all(math.isnan(figure(metrics, name)) for name in unknown)  # so no claim about it holds
    assert all(figure(metrics, f"{name}(never_called)") == 0 for name in FUNCTION_FIGURES)
    of_a_name = [function for function in functions if function.isidentifier()]
    assert all(
        figure(metrics, f"{name}({function})") >= 0 for name in FUNCTION_FIGURES for function in of_a_name
    )
