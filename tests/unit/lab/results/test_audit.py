"""The checks on published figures: what they say of true and untrue ones, and of the five articles."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asyncdemo.lab.results import audit
from asyncdemo.lab.results.audit import Judgement
from asyncdemo.lab.results.laws import backlog_s, bound_per_s, littles_latency_ms
from asyncdemo.lab.results.published import ARTICLES, audited, load_article

positive = st.floats(0.001, 1e6)
shares = st.floats(0.001, 1.0)


@given(positive, positive)
def test_littles_law_agrees_with_itself(clients: float, rate: float) -> None:
    latency = littles_latency_ms(clients, rate)
    assert audit.littles_law(clients, rate, latency).judgement is Judgement.AGREES
    assert audit.littles_law(clients, rate, latency * 1.2).judgement is Judgement.CONTRADICTS


@given(positive, positive, st.floats(0.1, 10))
def test_littles_law_knows_no_units_but_time(clients: float, rate: float, factor: float) -> None:
    assert math.isclose(
        littles_latency_ms(clients * factor, rate * factor), littles_latency_ms(clients, rate)
    )


@given(positive, positive, positive, positive)
def test_a_bound_is_the_least_of_its_limits_and_never_falls(
    delay: float, clients: float, slots: float, workers: float
) -> None:
    bound = bound_per_s(delay, clients=clients, slots=slots, workers=workers)
    assert bound == min(bound_per_s(delay, clients=limit) for limit in (clients, slots, workers))
    assert bound_per_s(delay, clients=clients, slots=slots) >= bound
    assert bound_per_s(delay, clients=clients, slots=slots * 2, workers=workers) >= bound
    assert bound_per_s(delay * 2, clients=clients, slots=slots, workers=workers) <= bound


@given(positive, shares, positive)
def test_a_backlog_is_within_the_run_and_grows_as_less_is_served(
    asked: float, share: float, run_s: float
) -> None:
    late = backlog_s(asked, asked * share, run_s)
    assert 0 <= late <= run_s
    assert backlog_s(asked, asked * share / 2, run_s) >= late
    assert backlog_s(asked, asked * (1 + share), run_s) == 0


@given(st.floats(1, 1e4), st.floats(1, 1e4))
def test_the_length_of_a_run_agrees_with_itself(run_s: float, rate: float) -> None:
    assert audit.run_length(run_s, rate, run_s * rate).judgement is Judgement.AGREES


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan])
def test_a_law_of_nothing_is_an_error_that_names_what_is_wrong(value: float) -> None:
    with pytest.raises(ValueError, match="clients is"):
        littles_latency_ms(value, 1)
    with pytest.raises(ValueError, match="slots is"):
        bound_per_s(1, clients=1, slots=value)
    with pytest.raises(ValueError, match="run_s is"):
        backlog_s(1, 1, value)


@pytest.mark.parametrize(
    ("finding", "judgement", "words"),
    [
        (
            audit.littles_law(200, 346.15, 103.07),
            Judgement.CONTRADICTS,
            "200 connections / 346 per s must be 578 ms; 103 ms is reported",
        ),
        (
            audit.backlog(2000, 1301.76, 30, 10_440),
            Judgement.AGREES,
            "(1 − 1,302 / 2,000) × 30 s is 10.47 s; a greatest latency of 10.44 s is reported",
        ),
        (
            audit.backlog(2000, 1301.76, 30, 12_000),
            Judgement.NEAR,
            "a greatest latency of 12 s is reported",
        ),
        (audit.backlog(2000, 2000, 30, 12_000), Judgement.CONTRADICTS, "is 0 s; a greatest latency of 12 s"),
        (
            audit.bound(150, 50, 28.9, slots=5),
            Judgement.AGREES,
            "min(5 slots, 50 clients) / 150 ms is at most 33.33 per s; 28.9 is reported, 87% of it",
        ),
        (audit.bound(150, 50, 40, slots=5), Judgement.CONTRADICTS, "120% of it"),
        (
            audit.thread_rates(2, 622.83, 346.15),
            Judgement.CONTRADICTS,
            "2 threads × 623 per s would be 1,246 per s",
        ),
        (audit.errors(41_559, 56, 1197), Judgement.REMARK, "are 3.0%"),
        (audit.errors(41_559, 0, 1), Judgement.AGREES, "are 0.0%"),
        (audit.kept_up(2000, 1952.5), Judgement.REMARK, "1,952 of 2,000 per s are served, 97.6%"),
        (audit.kept_up(2000, 2000), Judgement.AGREES, "100.0%"),
        (audit.counted(39_055, 20_635, 30), Judgement.REMARK, "20,635 of 39,055 answers, 53%"),
        (audit.counted(100, 100, 30), Judgement.AGREES, "100 of 100"),
        (audit.closed_loop(100, 1301.76, 5000), Judgement.REMARK, "100 / 1,302 per s = 76.82 ms"),
        (
            audit.stated_ratio(1160.27, 330.22, 3.5, 1),
            Judgement.AGREES,
            "1,160 / 330 = 3.51; 3.5 is reported",
        ),
        (audit.stated_ratio(1160.27, 330.22, 3.7, 1), Judgement.CONTRADICTS, "3.7 is reported"),
        (audit.rounding(324.49, 325, 0), Judgement.NEAR, "324.49 rounds to 324; 325 is reported"),
        (audit.same_figure(1.38, 1.38), Judgement.AGREES, "1.38 in one table, 1.38 in the other"),
        (audit.same_figure(1.38, 1.39), Judgement.CONTRADICTS, "1.39 in the other"),
        (audit.medians(1.05, 154, 163, 193), Judgement.AGREES, "163 / 154 ms = 1.06 times; 1.05 is reported"),
        (audit.medians(1.38, 85, 163, 1136), Judgement.REMARK, "with a P99 of 1,136 ms"),
        (audit.bound_ratio(19, 100, 400, 40, [3.24, 5.56]), Judgement.REMARK, "5.26 times as many"),
        (audit.bound_ratio(19, 100, 100, 20, [0.9, 1.38]), Judgement.REMARK, "something else is the limit"),
        (audit.bound_ratio(19, 19, 19, 10, [0.8, 1.27]), Judgement.REMARK, "the waiting favours neither"),
    ],
)
def test_a_finding_has_the_arithmetic_in_words(
    finding: audit.Finding, judgement: Judgement, words: str
) -> None:
    assert finding.judgement is judgement
    assert words in finding.words


def judged(article: str) -> dict[tuple[str, Judgement], list[str]]:
    found: dict[tuple[str, Judgement], list[str]] = {}
    for row in audited(load_article(article)):
        found.setdefault((row.finding.check.key, row.finding.judgement), []).append(row.about)
    return found


def test_one_row_of_the_four_frameworks_cannot_be() -> None:
    found = judged("four-frameworks")
    assert found["littles-law", Judgement.CONTRADICTS] == ["Flask"]
    assert found["littles-law", Judgement.AGREES] == ["Tornado", "Klein", "Sanic"]
    assert found["thread-rates", Judgement.CONTRADICTS] == ["Flask"]


def test_the_two_figures_of_the_upload_gate_are_its_bounds() -> None:
    assert judged("flask-and-sanic")["bound", Judgement.AGREES] == ["Flask, threaded=False", "Sanic"]


def test_the_migration_adds_up_but_for_one_rounding() -> None:
    found = judged("flask-and-quart")
    assert len(found["littles-law", Judgement.AGREES]) == 6
    assert found["rounding", Judgement.NEAR] == ["POST /reviews/ · Flask"]
    assert not any(judgement is Judgement.CONTRADICTS for _, judgement in found)


def test_the_backlog_explains_the_greatest_latency_of_flask() -> None:
    assert judged("constant-rate")["backlog", Judgement.AGREES] == ["Flask · 2000/s"]


def test_the_medians_agree_exactly_where_no_answer_took_a_second() -> None:
    article = load_article("twenty-one-pairs")
    table = article.table("results")
    quick = {table.name(row) for row in table.rows if (table.figure(row, "p99").value or 0) < 1000}
    assert set(judged("twenty-one-pairs")["medians", Judgement.AGREES]) == quick


@pytest.mark.parametrize("key", ARTICLES)
def test_every_audit_of_every_article_can_be_made(key: str) -> None:
    assert audited(load_article(key))
