"""The rig as lines: what stands in them, and that they fit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from asyncdemo.lab.results.flags import FlagKind
from asyncdemo.lab.results.ratio import Ratio
from asyncdemo.lab.results.rigging import OURS, PRESETS, Outcome, Rigging, with_settings
from asyncdemo.render.terminal.rig import View, result_lines, rig_lines

MINE = Rigging(PRESETS["1"].configuration)
WON = Outcome(
    MINE, 7, {"sync": 700.0, "async": 1400.0}, Ratio.of([1.9, 2.0, 2.1, 2.0, 1.9, 2.1, 2.0]), done=7
)
BUSY_WORDS = "sync: The load client used 98% of a CPU."
BUSY = Outcome(MINE, 7, {"sync": 700.0, "async": 700.0}, None, {FlagKind.CLIENT_BUSY: BUSY_WORDS}, done=7)


def text(view: View, width: int = 80, height: int = 40) -> list[str]:
    return ["".join(segment.text for segment in line) for line in rig_lines(view, width, height)]


def test_at_eighty_columns_all_is_there() -> None:
    lines = text(View(MINE, 0, "round 7 of 7: sync", WON, (WON,)))
    assert lines == [
        "Rig it: one job, two servers, one database",
        "",
        "> workers, sync      < 19 >",
        "  workers, async       6",
        "  database sessions    100",
        "  query delay          20 ms",
        "  clients              100",
        "  load client          ours",
        "",
        "The bound: what waiting alone allows",
        "  sync   min(19 workers, 100 sessions, 100 clients) / 20 ms = 950/s: workers",
        "         bind",
        "  async  min(100 sessions, 100 clients) / 20 ms = 5,000/s: sessions and clients",
        "         bind",
        "  async / sync 5.26   (the article's own: 1.23)",
        "",
        "Measured: round 7 of 7: sync",
        "  sync        700/s   74% of its bound",
        "  async     1,400/s   28% of its bound",
        "  async / sync 2.00 [1.90 to 2.10]: async wins",
        "",
        "Tried",
        "  workers  sessions delay  clients client    bound measured            winner",
        "  19/6     100      20 ms  100     ours      5.26  2.00 [1.90 to 2.10] async",
        "",
        "up/down knob   left/right change   1-4 as in the article   space again   q quit",
    ]


@pytest.mark.parametrize("width", [20, 40, 80, 160])
@pytest.mark.parametrize("height", [5, 24, 50])
def test_nothing_is_wider_or_higher_than_the_window(width: int, height: int) -> None:
    view = View(MINE, 2, "starting 19 workers", BUSY, (WON,) * 40, missing={"nginx": "The load " * 20})
    lines = text(view, width, height)
    assert len(lines) <= height
    assert max(map(len, lines)) <= width


def test_of_many_that_were_tried_the_last_ones_are_shown() -> None:
    tried = [Outcome(with_settings(MINE, [f"clients={n}"], [OURS]), 7, {}, failed="no") for n in range(1, 41)]
    shown = "\n".join(text(View(MINE, 0, tried=tried), height=30))
    assert "  40 " in shown
    assert " 3 " not in shown
    assert "winner" in shown


def test_a_client_at_its_limit_is_no_measurement_of_a_server() -> None:
    shown = "\n".join(text(View(MINE, 0, now=BUSY)))
    assert "no round counts" in shown
    assert "The load client used 98% of a CPU" in shown
    assert "what it measures is itself" in shown
    other = replace(BUSY, refused={FlagKind.FOREIGN_CPU: "sync: Another load client used 30% of the CPUs."})
    assert "what it measures is itself" not in "\n".join(text(View(MINE, 0, now=other)))


def test_an_interval_that_spans_one_ranks_nobody() -> None:
    equal = Outcome(MINE, 7, {}, Ratio.of([0.9, 0.95, 1.0, 1.05, 1.1, 1.0, 1.0]), done=7)
    assert any("1.00 [0.90 to 1.10]: no ranking" in line for line in text(View(MINE, 0, now=equal)))


def test_fewer_rounds_than_asked_for_rank_nobody_and_say_so() -> None:
    few = Outcome(MINE, 7, {}, Ratio.of([2.0] * 5), done=7)
    assert any("no ranking, since 5 of 7 rounds count" in line for line in text(View(MINE, 0, now=few)))


def test_while_it_is_measured_nobody_has_won() -> None:
    begun = Outcome(MINE, 7, {"sync": 1.0, "async": 2.0}, Ratio.of([2.0] * 3), done=3)
    shown = "\n".join(text(View(MINE, 0, "round 4 of 7: sync", begun)))
    assert "so far" in shown
    assert "wins" not in shown


def test_a_tie_of_the_bounds_is_told() -> None:
    shown = "\n".join(text(View(Rigging(PRESETS["3"].configuration), 0)))
    assert "1.00: a tie, so computing decides   (better sync: 1.13)" in shown


def test_without_a_delay_computing_decides() -> None:
    shown = "\n".join(text(View(Rigging(PRESETS["4"].configuration), 0)))
    assert "nothing waits; computing decides" in shown
    assert "4 for each worker" in shown
    assert " bind" not in shown


def test_printed_once_it_has_no_keys() -> None:
    lines = ["".join(segment.text for segment in line) for line in result_lines(View(MINE, now=WON), 100)]
    assert not any("quit" in line or line.startswith(">") for line in lines)
    assert any("async wins" in line for line in lines)


def test_a_client_to_beware_of_is_called_so() -> None:
    shown = text(View(with_settings(MINE, ["client=httpx"], [OURS, "httpx"]), 5))
    assert "> load client        < httpx, a client to beware of >" in shown
