"""The rig as lines: what stands in them, and that they fit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from asyncdemo.lab.results.flags import FlagKind
from asyncdemo.lab.results.ratio import Ratio
from asyncdemo.lab.results.rigging import OURS, PRESETS, Machine, Outcome, Rigging, with_settings
from asyncdemo.render.terminal.draw import Line
from asyncdemo.render.terminal.rig import bound_lines, knob_lines, measured_lines, tried_lines

MINE = Rigging(PRESETS["1"].configuration)
MACHINE = Machine(4)
COSTS = {"sync": 2.0, "async": 1.0}
WON = Outcome(
    MINE,
    7,
    {"sync": 700.0, "async": 1400.0},
    Ratio.of([1.9, 2.0, 2.1, 2.0, 1.9, 2.1, 2.0]),
    done=7,
    cpu_ms=COSTS,
)
BUSY_WORDS = "sync: The load client used 98% of a CPU."
BUSY = Outcome(MINE, 7, {"sync": 700.0, "async": 700.0}, None, {FlagKind.CLIENT_BUSY: BUSY_WORDS}, done=7)


def text(lines: Iterable[Line]) -> list[str]:
    return ["".join(segment.text for segment in line) for line in lines]


def measured(outcome: Outcome) -> str:
    return "\n".join(text(measured_lines(outcome, MACHINE, 80)))


def test_before_anything_was_measured_waiting_alone_is_the_bound() -> None:
    assert text(bound_lines(MINE, MACHINE, 80)) == [
        "The bound: what waiting and the processors allow",
        "  sync   950/s: workers bind",
        "         waiting: min(19 workers, 100 sessions, 100 clients) / 20 ms = 950/s",
        "         computing: min(19 workers, 4 processors) / ? ms (not measured yet)",
        "  async  5,000/s: sessions and clients bind",
        "         waiting: min(100 sessions, 100 clients) / 20 ms = 5,000/s",
        "         computing: min(6 workers, 4 processors) / ? ms (not measured yet)",
        "  async / sync 5.26   (the article's own: 1.23)",
    ]


def test_afterwards_what_the_processors_allow_is_part_of_it() -> None:
    lines = text(bound_lines(MINE, replace(MACHINE, cpu_ms=COSTS), 80))
    assert "  async  4,000/s: processors bind" in lines
    assert "         computing: min(6 workers, 4 processors) / 1 ms = 4,000/s" in lines
    assert "  async / sync 4.21   (the article's own: 1.23)" in lines


def test_what_is_measured_stands_beside_its_share_of_the_bound() -> None:
    assert text(measured_lines(WON, MACHINE, 80)) == [
        "  sync        700/s   74% of its bound",
        "  async     1,400/s   35% of its bound",
        "  async / sync 2.00 [1.90 to 2.10]: async wins",
    ]


def test_what_was_tried_is_a_line_each() -> None:
    assert text(tried_lines([WON], MACHINE, 80)) == [
        "  workers  sessions delay  clients client    bound measured            winner",
        "  19/6     100      20 ms  100     ours      4.21  2.00 [1.90 to 2.10] async",
    ]


@pytest.mark.parametrize("width", [20, 40, 80, 160])
def test_nothing_is_wider_than_the_window(width: int) -> None:
    lines = [
        *knob_lines(MINE, width),
        *bound_lines(MINE, replace(MACHINE, cpu_ms=COSTS), width),
        *measured_lines(BUSY, MACHINE, width),
        *tried_lines([WON], MACHINE, width),
    ]
    assert max(map(len, text(lines))) <= width


@pytest.mark.parametrize(
    ("outcome", "words", "without"),
    [
        (BUSY, ("no round counts", "used 98% of a CPU", "so it measures itself"), "wins"),
        (replace(BUSY, refused={FlagKind.FOREIGN_CPU: "sync: 30%"}), ("sync: 30%",), "measures itself"),
        (replace(WON, ratio=Ratio.of([2.0] * 5)), ("no ranking, since 5 of 7 rounds count",), "wins"),
        (replace(WON, ratio=Ratio.of([2.0] * 3), done=3), ("so far",), "wins"),
    ],
)
def test_rounds_that_do_not_count_rank_nobody(outcome: Outcome, words: tuple[str, ...], without: str) -> None:
    assert all(word in measured(outcome) for word in words)
    assert without not in measured(outcome)


def test_where_waiting_makes_no_difference_computing_decides() -> None:
    tie, original = (Rigging(PRESETS[key].configuration) for key in "34")
    lines = text(bound_lines(tie, MACHINE, 80))
    assert "  async / sync 1.00: a tie, so computing decides   (better sync: 1.13)" in lines
    lines = text(bound_lines(original, MACHINE, 80))
    assert any("async / sync computing decides" in line for line in lines)
    assert not any(" bind" in line for line in lines)
    assert any("4 for each worker" in line for line in text(knob_lines(original, 80)))


def test_a_client_to_beware_of_is_called_so() -> None:
    lines = text(knob_lines(with_settings(MINE, ["client=httpx"], [OURS, "httpx"]), 80))
    assert "  load client        httpx, a client that can mislead" in lines
