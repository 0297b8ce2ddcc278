"""The checks on published figures: what they say of true and untrue ones, and of the five articles."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asyncdemo.lab.results.audit import CHECKS, Judgement
from asyncdemo.lab.results.laws import backlog_s, bound_per_s
from asyncdemo.lab.results.published import audit_article, load_article

AGREES, NEAR, CONTRADICTS, REMARK = Judgement
positive = st.floats(0.001, 1e6)


@given(positive, positive, positive, positive)
def test_a_bound_is_the_least_of_its_limits(
    delay: float, clients: float, slots: float, workers: float
) -> None:
    bound = bound_per_s(delay, clients=clients, slots=slots, workers=workers)
    assert bound == min(bound_per_s(delay, clients=limit) for limit in (clients, slots, workers))
    assert bound_per_s(delay * 2, clients=clients, slots=slots, workers=workers) <= bound


@given(positive, st.floats(0.001, 1.0), positive)
def test_a_backlog_is_within_the_run_and_grows_as_less_is_served(
    asked: float, share: float, run_s: float
) -> None:
    late = backlog_s(asked, asked * share, run_s)
    assert 0 <= late <= run_s
    assert backlog_s(asked, asked * share / 2, run_s) >= late
    assert backlog_s(asked, asked * (1 + share), run_s) == 0


@pytest.mark.parametrize(
    ("check", "figures", "judgement", "words"),
    [
        ("littles-law", (200, 346.15, 578), AGREES, "578 ms is reported"),
        (
            "littles-law",
            (200, 346.15, 103.07),
            CONTRADICTS,
            "200 connections / 346 per s must be 578 ms; 103 ms is reported",
        ),
        ("run-length", (10, 100, 1000), AGREES, "10 s × 100 per s must be 1,000 requests"),
        (
            "backlog",
            (2000, 1301.76, 30, 10_440),
            AGREES,
            "(1 − 1,302 / 2,000) × 30 s is 10.47 s; a greatest latency of 10.44 s is reported",
        ),
        ("backlog", (2000, 1301.76, 30, 12_000), NEAR, "a greatest latency of 12 s is reported"),
        ("backlog", (2000, 2000, 30, 12_000), CONTRADICTS, "is 0 s; a greatest latency of 12 s"),
        (
            "bound",
            (150, 50, 28.9, 5),
            AGREES,
            "min(5 slots, 50 clients) / 150 ms is at most 33.33 per s; 28.9 is reported, 87% of it",
        ),
        ("bound", (150, 50, 40, 5), CONTRADICTS, "120% of it"),
        ("thread-rates", (2, 622.83, 346.15), CONTRADICTS, "2 threads × 623 per s would be 1,246 per s"),
        ("errors", (41_559, 56, 1197), REMARK, "are 3.0%"),
        ("errors", (41_559, 0, 1), AGREES, "are 0.0%"),
        ("kept-up", (2000, 1952.5), REMARK, "1,952 of 2,000 per s are served, 97.6%"),
        ("kept-up", (2000, 2000), AGREES, "100.0%"),
        ("counted", (39_055, 20_635, 30), REMARK, "20,635 of 39,055 answers, 53%"),
        ("counted", (100, 100, 30), AGREES, "100 of 100"),
        ("closed-loop", (100, 1301.76, 5000), REMARK, "100 / 1,302 per s = 76.82 ms"),
        ("stated-ratio", (1160.27, 330.22, 3.5, 1), AGREES, "1,160 / 330 = 3.51; 3.5 is reported"),
        ("stated-ratio", (1160.27, 330.22, 3.7, 1), CONTRADICTS, "3.7 is reported"),
        ("rounding", (324.49, 325, 0), NEAR, "324.49 rounds to 324; 325 is reported"),
        ("same-figure", (1.38, 1.38), AGREES, "1.38 in one table, 1.38 in the other"),
        ("same-figure", (1.38, 1.39), CONTRADICTS, "1.39 in the other"),
        ("medians", (1.05, 154, 163, 193), AGREES, "163 / 154 ms = 1.06 times; 1.05 is reported"),
        ("medians", (1.38, 85, 163, 1136), REMARK, "with a P99 of 1,136 ms"),
        ("bound-ratio", (19, 100, 400, 40, [3.24, 5.56]), REMARK, "5.26 times as many"),
        ("bound-ratio", (19, 100, 100, 20, [0.9, 1.38]), REMARK, "something else is the limit"),
        ("bound-ratio", (19, 19, 19, 10, [0.8, 1.27]), REMARK, "the waiting favours neither"),
    ],
)
def test_a_finding_has_the_arithmetic_in_words(
    check: str, figures: tuple[float, ...], judgement: Judgement, words: str
) -> None:
    finding = CHECKS[check](*figures)
    assert finding.judgement is judgement
    assert words in finding.words


def quick_pairs() -> list[str]:
    """Where no answer took a second, the medians agree exactly."""
    table = load_article("twenty-one-pairs").table("results")
    return [table.name(row) for row in table.rows if (table.figure(row, "p99").value or 0) < 1000]


@pytest.mark.parametrize(
    ("article", "check", "judgement", "about"),
    [
        ("four-frameworks", "littles-law", CONTRADICTS, ["Flask"]),
        ("four-frameworks", "littles-law", AGREES, ["Tornado", "Klein", "Sanic"]),
        ("four-frameworks", "thread-rates", CONTRADICTS, ["Flask"]),
        ("flask-and-sanic", "bound", AGREES, ["Flask, threaded=False", "Sanic"]),
        ("flask-and-quart", "littles-law", CONTRADICTS, []),
        ("flask-and-quart", "rounding", NEAR, ["POST /reviews/ · Flask"]),
        ("flask-and-quart", "rounding", CONTRADICTS, []),
        ("constant-rate", "backlog", AGREES, ["Flask · 2000/s"]),
        ("twenty-one-pairs", "medians", AGREES, quick_pairs()),
    ],
)
def test_what_the_arithmetic_says_of_the_articles(
    article: str, check: str, judgement: Judgement, about: list[str]
) -> None:
    findings = [row for row in audit_article(load_article(article)) if row.finding.check.key == check]
    assert [row.about for row in findings if row.finding.judgement is judgement] == about
