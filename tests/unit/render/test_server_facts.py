"""What is told of a server under load, word by word."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from asyncdemo.model import Run
from asyncdemo.render.facts.runs import account_for
from asyncdemo.render.text.plain import render_plain
from asyncdemo.render.words import size
from tests.support.runs import Story, at_line
from tests.support.server_runs import one_at_a_time, pooled, threaded

GOLDEN = Path(__file__).with_name("golden_server.txt")


def film() -> Run:
    story = Story()
    pool = story.pool(2, made=at_line(9), name="redis")
    first = story.task("Task-1", at=10).enters("film(1)").waits(50, "redis").leaves().returns()
    second = story.task("Task-2", at=20).enters("film(2)").waits(30, "redis").leaves().returns()
    story.connection(pool, 10, 15, uses=[(first, 15, 60)], by=first)
    story.refuses(pool, second, 20, 20)
    asker = story.request("GET /film 1").queues_for("accept", 10).is_handled_by(first)
    asker.waits_for_response(1).answered(200)
    asker = story.request("GET /film 2").queues_for("accept", 10).is_ready(10).is_handled_by(second)
    asker.waits_for_response(1).answered(503)
    story.request("GET /film 3").is_late(5).queues_for("accept", 95).fails("timeout")
    story.has_memory(-20, 40, 300, threads=1)
    story.has_memory(30, 45.5, 310, threads=3)
    return story.run(name="pooled", processes=2)


def told(run: Run, label: str) -> list[str]:
    return [fact.value for fact in account_for([run])[0].facts if fact.label == label]


def warned(run: Run) -> set[str]:
    return {fact.label for fact in account_for([run])[0].facts if fact.warns}


def without_findings(text: str) -> str:
    before, _, rest = text.partition("  findings:\n")
    return before + rest[rest.index("  requests:\n") :] if rest else text


def test_a_server_in_words() -> None:
    assert (
        without_findings(render_plain([film()], details=True)).splitlines()
        == GOLDEN.read_text("utf-8").splitlines()
    )


def test_what_failed_is_told_first() -> None:
    assert warned(film()) == {"requests", "pool"}
    assert warned(one_at_a_time(5)) == set()


def test_handlers_are_not_called_lanes() -> None:
    assert told(threaded(50, limit=5), "handlers") == ["5 at work at the same time, 50 open, of 50 calls"]
    assert told(threaded(50, limit=5), "peak") == told(threaded(50, limit=5), "throughput") == []


def test_all_fine_is_said_in_few_words() -> None:
    assert told(one_at_a_time(20), "requests") == ["20 of 20 answered, all with 200"]


def test_a_server_that_never_came_to_handle_one_says_so_and_has_no_figures_of_handlers() -> None:
    story = Story()
    story.task("server").sleeps(10).returns()
    for number in range(3):
        story.request(f"GET / {number + 1}").queues_for("accept", 1).fails("refused")
    run = replace(story.run(named=True), lanes=())
    assert told(run, "requests") == ["0 of 3 answered; 3 refused"]
    assert told(run, "latency") == told(run, "wall") == []


def test_pools_of_one_line_are_told_together() -> None:
    story = Story()
    for number in range(50):
        task = story.task(f"t{number}").sleeps(10).returns()
        pool = story.pool(10, made=at_line(12), name="s3")
        story.connection(pool, 0, 1, uses=[(task, 1, 9)])
    (words,) = told(story.run(), "pool")
    assert words.startswith(
        "50 of them, s3, limit 10, made at app.py:12: 50 connections opened in all, 1 held each"
    )


def test_connections_that_queue_are_told_with_how_long() -> None:
    (words,) = told(pooled(50, connections=5), "pool")
    assert "5 connections opened, 5 held and 45 waited for at most; queued " in words


@pytest.mark.parametrize(
    ("size_bytes", "words"),
    [
        (0, "0 B"),
        (850_000, "850 kB"),
        (1_000_000, "1.0 MB"),
        (99_960_000, "100 MB"),
        (999_700_000, "1.00 GB"),
        (123_456_000_000, "123 GB"),
        (-5_000_000, "-5.0 MB"),
    ],
)
def test_sizes_have_three_figures_at_most(size_bytes: int, words: str) -> None:
    assert size(size_bytes) == words
