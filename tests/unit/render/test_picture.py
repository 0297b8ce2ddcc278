"""Recorded runs as a picture of a given size."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.segment import Segment

from asyncdemo.model import Run, RunOutcome
from asyncdemo.render.terminal.picture import picture_of_runs
from asyncdemo.render.terminal.theme import UNICODE
from tests.support.runs import Story
from tests.support.screens import text_of


def run(name: str, lanes: int, ms: int, **changes: object) -> Run:
    story = Story()
    for i in range(lanes):
        story.task(f"{name}({i})").sleeps(ms).returns()
    return replace(story.run(name=name), **changes)  # type: ignore[arg-type]


FAST, SLOW = run("fast", 4, 100), run("slow", 4, 400)


@pytest.mark.parametrize("size", [(80, 24), (160, 48), (40, 12), (200, 9)])
def test_it_never_takes_more_than_its_room(size: tuple[int, int]) -> None:
    width, height = size
    drawn = picture_of_runs([FAST, SLOW, run("many", 500, 200)], UNICODE, width, height)
    assert len(drawn) <= height
    assert max(Segment.get_line_length(line) for line in drawn) <= width


@pytest.mark.parametrize("width", [80, 160])
def test_all_runs_have_one_scale(width: int) -> None:
    drawn = text_of(picture_of_runs([FAST, SLOW], UNICODE, width, 20))
    rows = "".join(line for line in drawn if line.startswith(("fast(0)", "slow(0)")))
    assert rows.count("─") > 4 * 5
    fast = rows[rows.index("fast(0)") : rows.index("slow(0)")].count("─")
    assert rows[rows.index("slow(0)") :].count("─") == pytest.approx(4 * fast, rel=0.2)


def test_stacked_runs_share_an_axis_and_adjacent_ones_the_lines() -> None:
    below = text_of(picture_of_runs([FAST, SLOW], UNICODE, 80, 20))
    assert sum("╷0" in line for line in below) == 1
    beside = text_of(picture_of_runs([FAST, SLOW], UNICODE, 160, 20))
    assert "fast" in beside[0]
    assert "slow" in beside[0]


def test_a_title_says_the_time_and_only_news_of_the_end() -> None:
    stopped = run("stopped", 50, 100, outcome=RunOutcome.TIMEOUT)
    drawn = text_of(picture_of_runs([FAST, stopped], UNICODE, 80, 20))
    (fast,) = (line for line in drawn if "fast ──" in line)
    (other,) = (line for line in drawn if "stopped ──" in line)
    assert fast.endswith("─ 100 ms")
    assert other.endswith("─ 100 ms, stopped: out of time")


def test_equal_rows_are_folded_first_and_failed_ones_last() -> None:
    story = Story()
    for i in range(4):
        stairs = story.task(f"step({i})", at=100 * i).sleeps(100)
        _ = stairs.raises("late") if i == 2 else stairs.returns()
    runs = [run("same", 9, 100), story.run(name="stairs")]
    drawn = text_of(picture_of_runs(runs, UNICODE, 94, 10, unfold="v unfolds"))
    assert len(drawn) == 10
    labels = [" ".join(line.split("  ")[0].split()) for line in drawn]
    assert labels[2:4] == ["same(0)", "same(1-8)"]
    assert labels[5:9] == ["step(0)", "step(1)", "step(2) ✗", "step(3)"]
    assert sum("v unfolds" in line for line in drawn) == 1


@pytest.mark.parametrize(("width", "lines"), [(60, 12), (110, 7)])
def test_figures_too_long_for_a_title_continue_below_if_it_fits(width: int, lines: int) -> None:
    figures = ["100 ms, event loop held for 80 ms, at most 10 at the same time", "400 ms"]
    drawn = text_of(picture_of_runs([FAST, SLOW], UNICODE, width, lines, figures))
    (at,) = (at for at, line in enumerate(drawn) if "─ 100 ms, event loop held for 80 ms, " in line)
    assert "at most 10 at the same time" not in drawn[at]
    assert "  at most 10 at the same time" not in "".join(drawn)
    drawn = text_of(picture_of_runs([FAST, SLOW], UNICODE, width, lines + 1, figures))
    assert "  at most 10 at the same time" in drawn[at + 1]


def test_legend_has_only_what_occurs_if_it_would_take_two_lines() -> None:
    runs = [FAST, SLOW]
    *rows, legend = text_of(picture_of_runs(runs, UNICODE, 60, 1 + 2 * 5 + 1))
    assert sum(line.startswith(("fast(", "slow(")) for line in rows) == 8
    assert "waiting" in legend
    assert "queued" not in legend
    assert "queued" in text_of(picture_of_runs(runs, UNICODE, 120, 12))[-1]


def test_a_run_without_rows_says_so() -> None:
    assert any(
        "nothing was recorded" in line for line in text_of(picture_of_runs([run("a", 0, 1)], UNICODE, 80, 9))
    )
