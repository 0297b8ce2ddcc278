"""Seed 004 as data: every published row and column is asked for, with its bound, and the sizes fit."""

from __future__ import annotations

from collections import Counter

import pytest

from asyncdemo.lab.experiments.twenty_one_pairs import BASE_AGAIN
from asyncdemo.lab.harness.protocol.description import PlannedRow
from asyncdemo.lab.harness.protocol.lineup import Lineup
from asyncdemo.lab.results.published import load_article
from asyncdemo.lab.results.setup import Extent, Loop
from asyncdemo.lab.stack.pairs import BASE, PAIRS, SIX
from tests.support.lab_experiments import pairs

ARTICLE = load_article("twenty-one-pairs")
RECONFIGURED = {"mine": "mine", "better-async": "better_async", "better-sync": "better_sync"}
RESULTS = {
    "load.latency_ms.50": "p50",
    "load.latency_ms.99": "p99",
    "counted.db_sessions": "sessions",
}


EXPERIMENT = pairs()


def rows(setting: str, figure: str) -> dict[str, PlannedRow]:
    return {row.name: row for row in EXPERIMENT.rows if row.setting == setting and row.figure.key == figure}


@pytest.mark.parametrize(("setting", "column"), RECONFIGURED.items())
def test_every_published_throughput_is_asked_for(setting: str, column: str) -> None:
    table = ARTICLE.table("reconfigured")
    asked = rows(setting, "load.throughput_per_s")
    assert list(asked) == list(table.row_names)
    for name, row in asked.items():
        assert row.published is not None
        assert row.published.ratio == table.figure(table.row(name), column).value


@pytest.mark.parametrize(("figure", "column"), RESULTS.items())
def test_every_other_published_column_is_asked_for(figure: str, column: str) -> None:
    asked = rows("mine", figure)
    assert list(asked) == list(ARTICLE.table("results").row_names)
    base = ARTICLE.find(f"results.{column}@Flask · Gunicorn").value or 0.0
    for name, row in asked.items():
        value = ARTICLE.find(f"results.{column}@{name}").value or 0.0
        assert row.published is not None and row.published.ratio == pytest.approx(value / base)


def test_the_row_of_the_base_is_the_base_measured_again() -> None:
    own = [row for row in EXPERIMENT.rows if row.name == "Flask · Gunicorn"]
    assert {(row.arm, row.base) for row in own} == {(BASE_AGAIN, BASE)}
    (again,) = (item for item in EXPERIMENT.contestants if item.arm.twin_of)
    assert again.arm.name == BASE_AGAIN and again.arm.twin_of == BASE


def test_setting_of_unpublished_figures_claims_none() -> None:
    assert {row.published for row in rows("original", "load.throughput_per_s").values()} == {None}
    fitted, mine = (rows(name, "load.throughput_per_s") for name in ("fitted", "mine"))
    assert {name: row.published for name, row in fitted.items()} == {
        name: row.published for name, row in mine.items()
    }


@pytest.mark.parametrize(
    ("setting", "ratio"), [("mine", 5000 / 950), ("better-async", 2500 / 475), ("better-sync", 1.0)]
)
def test_bounds_are_predicted_from_waiting(setting: str, ratio: float) -> None:
    for row in rows(setting, "load.throughput_per_s").values():
        pair = PAIRS[row.arm.removesuffix("-again")]
        assert row.bound is not None
        assert row.bound.ratio == pytest.approx(1.0 if pair.is_sync else ratio)


def test_latency_and_sessions_have_their_bounds_too() -> None:
    median = rows("mine", "load.latency_ms.50")["Sanic · Sanic"].bound
    assert median is not None and median.ratio == pytest.approx(950 / 5000)
    assert "20 ms over 105 ms" in median.words
    sessions = rows("mine", "counted.db_sessions")["Sanic · Sanic"].bound
    assert sessions is not None and sessions.ratio == pytest.approx(100 / 19)
    assert rows("mine", "load.latency_ms.99")["Sanic · Sanic"].bound is None


def test_missing_pgbouncer_is_noted_and_bounds_know_no_sessions() -> None:
    without = pairs({"pgbouncer": "directly"}, pooler=None)
    assert without.missing == {"pgbouncer": "directly"}
    row = next(row for row in without.rows if row.setting == "better-async" and row.arm == "sanic-sanic")
    assert row.bound is not None and "sessions" not in row.bound.words
    assert row.bound.ratio == pytest.approx(10_000 / 475)


def planned(extent: Extent) -> Counter[tuple[str, str]]:
    own = EXPERIMENT.of(extent)
    lineup = Lineup(own, EXPERIMENT.sizes[extent])
    assert lineup.contestants == own.contestants
    closed = {item.setting.name for item in own.conditions if item.setting.loop is Loop.CLOSED}
    return Counter((turn.arm, turn.setting) for turn in lineup.turns(1) if turn.setting in closed)


def test_six_pairs_have_seven_rounds_and_the_others_three() -> None:
    found = planned(Extent.DEFAULT)
    assert {setting for _, setting in found} == {*RECONFIGURED}
    assert {arm for arm, _ in found} == {*PAIRS, BASE_AGAIN}
    for (arm, _), rounds in found.items():
        assert rounds == (7 if arm in {*SIX, BASE_AGAIN} else 3)


def test_a_full_run_has_everything() -> None:
    found = planned(Extent.FULL)
    assert {setting for _, setting in found} >= {*RECONFIGURED, "fitted", "original", "mine-long"}
    assert {arm for arm, setting in found if setting == "original"} == {*PAIRS, BASE_AGAIN}
    levels = [item.setting for item in EXPERIMENT.conditions if item.setting.loop is Loop.OPEN]
    assert [setting.of_capacity for setting in levels] == [0.5, 0.7, 0.9]


def test_trials_verify_answer_workers_sessions_and_some_more() -> None:
    always = ["GET /row", "workers", "sessions that pgbouncer allows"]
    first, *others = EXPERIMENT.conditions
    assert [check.what for check in first.checks] == [*always, "sessions with PostgreSQL"]
    assert [check.what for check in first.checks if check.always] == always
    for item in others:
        assert [check.what for check in item.checks if check.always] == always
        assert all(check.always for check in item.checks), "no visit of its own"
    without = pairs({"pgbouncer": "directly"}, pooler=None)
    assert [check.what for check in without.conditions[1].checks] == always[:2]
