"""Two of the pairs under settings of the user's own: what is measured, and what the bounds say."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from asyncdemo.errors import UsageError
from asyncdemo.lab.experiments import Entry, find_experiment
from asyncdemo.lab.harness.protocol.description import Experiment
from asyncdemo.lab.results.configuration import CONFIGURATIONS
from asyncdemo.lab.results.setup import Extent
from asyncdemo.lab.results.trial import Server, Trial
from tests.support.lab_experiments import context_for, fake_stack
from tests.support.lab_records import a_trial

SETTINGS = ("WORKERS=4", "SESSIONS=20", "DELAY_MS=40", "CLIENTS=50")


def entry(*settings: str) -> Entry:
    found = find_experiment("twenty-one-pairs")
    assert found is not None
    return found.with_settings(settings)


def described(*settings: str, pooler: object = "pgbouncer") -> Experiment:
    one = entry(*settings)
    return one.described(fake_stack(pooler=pooler), context_for("twenty-one-pairs"))  # type: ignore[attr-defined, no-any-return]


def test_set_values_reach_servers_and_load() -> None:
    own, article = described(*SETTINGS).conditions
    assert own.knobs == {"workers_sync": 4, "workers_async": 4, "sessions": 20, "delay_ms": 40}
    assert own.setting.clients == 50
    assert (article.knobs, article.setting.clients) == (CONFIGURATIONS["mine"].knobs, 100)


def test_unset_knobs_keep_the_values_of_the_article() -> None:
    own, _ = described("DELAY_MS=40").conditions
    assert own.knobs == {**CONFIGURATIONS["mine"].knobs, "delay_ms": 40}


def test_rows_compare_second_pair_with_first_under_both_settings() -> None:
    experiment = described(*SETTINGS, "PAIRS=falcon-uwsgi, quart-uvicorn")
    assert [item.arm.name for item in experiment.contestants] == ["falcon-uwsgi", "quart-uvicorn"]
    assert [(row.arm, row.base, row.setting) for row in experiment.rows] == [
        ("quart-uvicorn", "falcon-uwsgi", "set"),
        ("quart-uvicorn", "falcon-uwsgi", "mine"),
    ]


def test_bounds_follow_from_the_scarcest_place() -> None:
    own, article = described(*SETTINGS).rows
    assert own.bound is not None and article.bound is not None
    assert own.bound.ratio == pytest.approx(20 / 4)
    assert article.bound.ratio == pytest.approx(100 / 19)


def test_sessions_bind_nothing_without_pgbouncer() -> None:
    own, _ = described("SESSIONS=2", pooler=None).rows
    assert own.bound is not None and own.bound.ratio == pytest.approx(100 / 19)


def test_settings_of_the_article_have_its_ratio_beside_ours() -> None:
    own, mine = described("SESSIONS=19", "DELAY_MS=10", "CLIENTS=19").rows
    assert own.published is not None and own.published.ratio == pytest.approx(1.13)
    assert mine.published is not None and mine.published.ratio == pytest.approx(1.23)
    assert described(*SETTINGS).rows[0].published is None


def test_default_settings_are_measured_once() -> None:
    experiment = described("PAIRS=flask-uwsgi,sanic-sanic")
    assert [item.setting.name for item in experiment.conditions] == ["mine"]


def test_window_is_longer_if_answers_are_slow() -> None:
    sizes = described("WORKERS=1", "DELAY_MS=100", "CLIENTS=15").sizes
    assert sizes[Extent.QUICK].windows_s == {"set": pytest.approx(6.0), "mine": 1.0}


def test_bounds_are_said_before_anything_starts() -> None:
    heading, sync, other, ratio, *article = entry(*SETTINGS).bounds()
    assert "by arithmetic" in heading
    assert (
        "Flask on Gunicorn: min(4 workers, 20 sessions, 50 clients) / 40 ms = 100/s; min(4 workers," in sync
    )
    assert "Starlette on Uvicorn: min(20 sessions, 50 clients) / 40 ms = 500/s" in other
    assert ratio == (
        "Your settings: the bounds of Starlette on Uvicorn and Flask on Gunicorn are 5.00 to 1, "
        "by waiting alone"
    )
    assert len(article) == 3


def test_without_delay_nothing_is_known_of_the_ratio() -> None:
    _, sync, other, *_ = entry("DELAY_MS=0").bounds()
    assert "no delay, no bound" in sync and "no delay, no bound" in other
    assert not any(line.startswith("Your settings: the bounds") for line in entry("DELAY_MS=0").bounds())


def test_measured_cpu_time_completes_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("asyncdemo.lab.experiments.two_pairs.count_server_processors", lambda: 2)

    def trial(arm: str, cpu_s: float) -> Trial:
        made = a_trial(arm, 1, 100.0, "set")
        assert made.load is not None
        return replace(made, server=Server(cpu_s, 1), load=replace(made.load, answered=1000))

    trials = (trial("flask-gunicorn", 1.0), trial("starlette-uvicorn", 10.0))
    record: Any = SimpleNamespace(trials=trials, environment=SimpleNamespace(missing={}))
    _, sync, other, ratio = [line for line in entry(*SETTINGS).costs(record) if "article" not in line]
    assert sync.endswith("min(4 workers, 2 processors) / 1 ms CPU = 2,000/s")
    assert other.endswith("min(4 workers, 2 processors) / 10 ms CPU = 200/s")
    assert ratio.endswith("are 2.00 to 1")


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("WHEELS=3", "The knobs are WORKERS, SESSIONS, DELAY_MS, CLIENTS, each a number, and PAIRS"),
        ("workers", "'workers' does not set a knob"),
        ("WORKERS=0", "WORKERS is a whole number from 1 to 64, not '0'"),
        ("DELAY_MS=1.5", "DELAY_MS is a whole number from 0 to 1000"),
        ("PAIRS=flask-gunicorn", "PAIRS is two names with a comma"),
        ("PAIRS=flask-gunicorn,flask-gunicorn", "PAIRS is two names with a comma"),
        ("PAIRS=flask-gunicorn,django", "There are bottle-meinheld"),
    ],
)
def test_wrong_setting_is_refused_with_what_there_is(typed: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        entry(typed)
