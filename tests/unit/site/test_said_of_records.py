"""What the Measure pages say of our records in words is what the records have."""

from __future__ import annotations

import statistics
from functools import cache
from pathlib import Path

import pytest

from asyncdemo.lab.results.flags import FlagKind
from asyncdemo.lab.results.ratio import Ratio, Reproduction
from asyncdemo.lab.results.record import Record, load_record
from asyncdemo.lab.results.setup import Extent
from asyncdemo.lab.results.trial import Load, Trial

RECORDS = Path(__file__).resolve().parents[3] / "docs" / "measure" / "records"
RATE = "load.throughput_per_s"
SYNC = ("uwsgi", "gunicorn")
OVER = ("over", "over-twice-as-long")


@cache
def record_of(name: str) -> Record:
    record = load_record(RECORDS / f"{name}.json.gz")
    assert record.extent is Extent.FULL
    return record


def rows(record: str, figure: str = "", setting: str = "") -> dict[tuple[str, str, str], Ratio]:
    """(arm, base, setting) -> the measured ratio, of the rows that have one."""
    return {
        (row.arm, row.base, row.setting): row.measured
        for row in record_of(record).comparisons
        if figure in ("", row.figure) and setting in ("", row.setting) and row.measured is not None
    }


def trials(record: str, arm: str, setting: str = "") -> list[tuple[Trial, Load]]:
    """Those that were loaded."""
    return [
        (trial, trial.load)
        for trial in record_of(record).trials
        if trial.arm == arm and setting in ("", trial.setting) and trial.load is not None
    ]


def pairs(setting: str) -> dict[str, float]:
    found = rows("twenty-one-pairs", RATE, setting)
    return {arm: ratio.median for (arm, _, _), ratio in found.items()}


def is_sync(pair: str) -> bool:
    return pair.removesuffix("-again").endswith(SYNC)


def test_the_reversal_of_the_twenty_one_pairs() -> None:
    eager, calm = pairs("better-async"), pairs("better-sync")
    assert min(eager[pair] for pair in eager if not is_sync(pair)) > max(
        eager[pair] for pair in eager if is_sync(pair)
    )
    first = sorted(eager, key=eager.__getitem__, reverse=True)[:3]
    assert all(pair.endswith("meinheld") for pair in first)
    assert is_sync(max(calm, key=calm.__getitem__))
    found = rows("twenty-one-pairs", RATE, "better-sync")
    assert sum(ratio.holds_one for (arm, _, _), ratio in found.items() if not is_sync(arm)) >= 4


def test_the_sizes_of_the_twenty_one_pairs() -> None:
    record = record_of("twenty-one-pairs")
    published = {
        (row.arm, row.setting): row.published.ratio
        for row in record.comparisons
        if row.figure == RATE and row.published is not None and row.published.ratio is not None
    }
    eager, mine, fitted = pairs("better-async"), pairs("mine"), pairs("fitted")
    asynchronous = [pair for pair in mine if not is_sync(pair)]
    for pair in asynchronous:
        assert eager[pair] < published[pair, "better-async"]
        assert mine[pair] < fitted[pair]
    assert [pair for pair in asynchronous if mine[pair] <= published[pair, "mine"]] == ["quart-hypercorn"]
    others = [pair for pair in mine if is_sync(pair) and not pair.startswith("flask-gunicorn")]
    assert len(others) == 5
    assert all(mine[pair] > published[pair, "mine"] for pair in others)
    assert mine["flask-uwsgi"] > 1 > published["flask-uwsgi", "mine"]


def test_the_second_of_the_slowest_percent_did_not_come_up() -> None:
    record = record_of("twenty-one-pairs")
    longest: dict[str, float] = {}
    for trial in record.trials:
        assert trial.load is not None and trial.system is not None
        assert trial.system.listen_overflows == trial.system.syn_retransmissions == 0
        longest[trial.setting] = max(longest.get(trial.setting, 0), trial.load.latency_ms["100"])
    assert longest["mine"] < 500 and longest["mine-long"] < 500


def test_the_slowest_percent_of_the_twenty_one_pairs() -> None:
    of_slowest = "load.latency_ms.99"
    found = rows("twenty-one-pairs", of_slowest, "mine-long")
    asynchronous = {arm: ratio for (arm, _, _), ratio in found.items() if not is_sync(arm)}
    assert len(asynchronous) == 4
    assert all(len(ratio.pairs) == 3 and ratio.most < 1 for ratio in asynchronous.values())
    for row in record_of("twenty-one-pairs").comparisons:
        if row.figure == of_slowest and row.setting == "mine":
            assert row.verdict is Reproduction.REFUSED
        elif row.figure == of_slowest and row.arm in asynchronous:
            assert row.published is not None and row.published.ratio is not None
            assert row.published.ratio == pytest.approx(6, abs=0.1)


def test_the_pairs_at_one_rate() -> None:
    found = rows("twenty-one-pairs", setting="mine-at-50")
    assert all(0.75 < ratio.median < 1.25 for ratio in found.values())
    (behind,) = (ratio for (arm, _, _), ratio in found.items() if arm == "bottle-meinheld")
    assert behind.least > 1 and len(behind.pairs) == 3
    mine = pairs("mine")
    assert max((pair for pair, _, _ in found), key=mine.__getitem__) == "bottle-meinheld"


def test_quart_and_flask_repaired_and_as_published() -> None:
    found = rows("flask-and-quart", RATE)
    published = {
        route: round(ratio.median)
        for (arm, base, route), ratio in found.items()
        if (arm, base) == ("quart-asyncpg", "flask-published")
    }
    assert published == {"film": 5, "films": 2, "review": 6}
    film, films = (found["quart-asyncpg", "flask-repaired", route] for route in ("film", "films"))
    assert film.least > 1 and film.median == pytest.approx(1.4, abs=0.05)
    assert films.least > 1 and films.median == pytest.approx(1.2, abs=0.05)
    review = found["quart-asyncpg", "flask-repaired", "review"]
    assert review.holds_one and len(review.pairs) == 6 and sum(ratio > 1.5 for ratio in review.pairs) == 4
    repair = found["flask-repaired-eventlet", "flask-published", "film"]
    assert 3 < repair.least < repair.most < 4.6
    assert found["quart-alone", "flask-published", "film"].median > 2 * 1.5
    assert found["quart-alone", "flask-repaired", "film"].holds_one


def test_a_pool_that_refuses_leaves_nothing_to_compare() -> None:
    record = record_of("flask-and-quart")
    assert not rows("flask-and-quart", setting="film-crowd")
    least = {"flask-published": 1 / 4, "flask-repaired": 4 / 5}
    for trial in (trial for trial in record.trials if trial.setting == "film-crowd"):
        assert trial.load is not None
        if trial.arm in least:
            assert trial.load.statuses["500"] > least[trial.arm] * trial.load.requests
        failed = {status for status in trial.load.statuses if status != "200"}
        assert failed == ({"500"} if trial.arm.startswith("flask") else set())


def test_sanic_and_flask_under_uploads_and_computations() -> None:
    record = record_of("flask-and-sanic")
    found = rows("flask-and-sanic", RATE)
    uploads = {setting: ratio for (arm, _, setting), ratio in found.items() if arm == "flask-threaded"}
    for setting, ratio in uploads.items():
        if setting.startswith("uploads"):
            assert ratio.median == pytest.approx(1, abs=0.01)
            assert 0.96 < ratio.least < ratio.most < 1.04
    computing = [row for row in record.comparisons if row.setting.startswith("calc") and row.arm == "sanic"]
    assert all(row.measured is not None and row.measured.holds_one for row in computing)
    verdicts = [row.verdict for row in computing]
    assert verdicts.count(Reproduction.REPRODUCED) == 3 and verdicts.count(Reproduction.UNDECIDED) == 2
    assert found["flask-threaded", "flask-unthreaded", "calc-50"].least > 1
    assert found["flask-threaded", "flask-unthreaded", "calc-10"].holds_one


def test_the_memory_of_threads_is_reserved_more_than_used() -> None:
    at_50 = {
        row.figure: row.measured
        for row in record_of("flask-and-sanic").comparisons
        if row.name == "Sanic and Flask with threads, 50 uploads" and row.measured is not None
    }
    assert at_50["server.most.virtual_bytes"].most < 0.1
    assert at_50["server.most.resident_bytes"].least > 1
    assert at_50["server.most.resident_bytes"].median == pytest.approx(1.1, abs=0.02)


def test_the_driver_of_greenlets_makes_the_difference() -> None:
    record = record_of("greenlets")
    rates = {
        (row.name, row.setting): row.measured
        for row in record.comparisons
        if row.figure == RATE and row.measured is not None
    }
    for setting, gain, least, most in (("pool-10", 10.4, 10, 10), ("pool-20", 19.5, 18, 20)):
        assert round(rates["gevent with and without psycogreen", setting].median, 1) == gain
        assert rates["gevent without psycogreen, and sync", setting].holds_one
        in_flight = {
            trial.counted["db_queries_in_flight"]
            for trial, _ in trials("greenlets", "gevent-psycogreen", setting)
        }
        assert (min(in_flight), max(in_flight)) == (least, most)
        own = rates["gevent's own server, with and without", setting]
        assert len(own.pairs) == 2 and 6 < own.median < 7


def measured(record: str) -> dict[str, Ratio]:
    """By the name of the row, of the rows that have a ratio."""
    comparisons = record_of(record).comparisons
    return {row.name: row.measured for row in comparisons if row.measured is not None}


def overloaded(record: Record, arm: str, setting: str) -> list[int]:
    """The rounds in which it was."""
    return [
        trial.round
        for trial in record.trials
        if (trial.arm, trial.setting) == (arm, setting)
        and any(flag.kind is FlagKind.OVERLOADED for flag in trial.flags)
    ]


def test_the_constant_rates_and_the_capacity() -> None:
    """Both published rates are above what Flask can do, and below what Sanic can."""
    record = record_of("constant-rate")
    assert record.rounds == 7
    closed = [load.throughput_per_s for _, load in trials("constant-rate", "flask", "closed")]
    assert sum(rate < 2000 for rate in closed) >= 5
    for asked in (2000, 4000):
        assert overloaded(record, "flask", f"asked-{asked}") == [*range(1, 8)]
        assert not overloaded(record, "sanic", f"asked-{asked}")
    named = {row.name: row for row in record.comparisons}
    for rate in ("2,000", "4,000"):
        assert named[f"{rate} a second: requests per second"].verdict is Reproduction.REPRODUCED
        for figure in ("median", "longest"):
            assert named[f"{rate} a second: {figure} latency"].verdict is Reproduction.REFUSED
    more = named["4,000 a second: requests per second"]
    assert more.measured is not None and more.published is not None
    assert more.measured.median == pytest.approx(more.published.ratio, rel=0.02)
    less = named["2,000 a second: requests per second"]
    assert less.measured is not None and less.published is not None and less.published.ratio is not None
    assert less.measured.median == pytest.approx(0.8 * less.published.ratio, rel=0.03)


def test_the_backlog_of_flask() -> None:
    named = measured("constant-rate")
    for seconds in (2, 4):
        in_order = named[f"1.5 × capacity, {seconds} s: Flask's longest wait, × the formula's"]
        assert in_order.median == pytest.approx(1, abs=0.01)
    for rate in ("2,000", "4,000"):
        assert named[f"{rate} a second: Flask's longest wait, × the formula's"].least > 1
    twice = named["1.5 × capacity: a run twice as long"]
    assert round(twice.least, 2) >= 1.25 and 3.5 < twice.most < 4
    record = record_of("constant-rate")
    asked = next(item.rate_per_s for item in record.settings if item.name == "over")
    of_flask = [one for setting in ("closed", *OVER) for one in trials("constant-rate", "flask", setting)]
    withdrawn = {
        trial.round for trial, _ in of_flask if any(flag.kind is FlagKind.FOREIGN_CPU for flag in trial.flags)
    }
    shares = [
        load.answered / load.wall_s / asked
        for trial, load in of_flask
        if trial.setting in OVER and trial.round not in withdrawn and asked
    ]
    assert min(shares) < 2 / 3 and 0.9 < max(shares) < 1
    open_loop = named["Flask, open loop (1.5 × capacity) / closed loop"]
    assert round(open_loop.median) == 10 and 2.8 < open_loop.least < 3


def test_the_mean_in_an_open_loop_grows_with_the_run() -> None:
    means = {
        (trial.setting, trial.round): load.latency_ms["mean"]
        for trial, load in trials("constant-rate", "flask")
    }
    once, twice = OVER
    assert sum(means[twice, number] > means[once, number] for number in range(1, 8)) == 6


def test_the_queue_of_flask_overflows_where_the_page_says() -> None:
    overflows: dict[str, list[int]] = {}
    for trial in record_of("constant-rate").trials:
        if trial.arm == "flask" and trial.system is not None:
            overflows.setdefault(trial.setting, []).append(trial.system.listen_overflows or 0)
    assert min(overflows["asked-4000"]) > 10_000
    assert sum(count > 0 for count in overflows["asked-2000"]) == 6


def test_sanic_and_flask_below_their_capacity() -> None:
    named = measured("constant-rate")
    for share, arrivals in ((50, "evenly"), (50, "by chance"), (70, "evenly"), (70, "by chance")):
        assert named[f"{share} % of capacity, {arrivals}: 50 %"].median < 0.5
    assert named["90 % of capacity, by chance: 50 %"].median == pytest.approx(1 / 8, abs=0.01)
    assert named["uvloop alone"].holds_one
    assert 8.5 < named["Sanic without uvloop, against Flask"].median < 9


def test_all_hold_ten_thousand_connections_at_different_prices() -> None:
    record = record_of("ten-thousand")
    assert record.rounds == 7
    prices: dict[str, list[float]] = {}
    for trial in record.trials:
        assert trial.load is not None and trial.counted["connections"] > 9_900
        prices.setdefault(trial.arm, []).append(trial.counted["bytes_per_connection"] / 1000)
        if trial.arm != "flask":
            assert trial.load.answered == 13_750 and trial.counted["threads"] < 10
    kilobytes = {arm: round(statistics.median(found)) for arm, found in prices.items()}
    assert kilobytes == {
        "sanic": 10,
        "sanic-again": 10,
        "cyclone": 10,
        "uvicorn": 10,
        "aiohttp": 11,
        "tornado": 14,
        "flask": 33,
    }


def test_ten_thousand_threads_answer_all_or_little() -> None:
    for trial, load in trials("ten-thousand", "flask"):
        assert trial.server is not None and trial.system is not None
        assert trial.counted["threads"] > 9_900
        assert (load.answered == load.requests) == (trial.round == 3)
        if trial.round == 3:
            assert trial.system.listen_overflows == 3173
        else:
            assert trial.system.listen_overflows is not None and trial.system.listen_overflows > 10_000
            assert set(load.errors) == {"timeout"}
            assert load.errors["timeout"] > 0.75 * load.requests
            assert trial.server.cpu_s >= 0.8 * load.wall_s
    for trial in record_of("ten-thousand").trials:
        if trial.arm != "flask":
            assert trial.system is not None and trial.system.listen_overflows == 0
    closed = [load.throughput_per_s for _, load in trials("constant-rate", "flask", "closed")]
    assert 0.5 < 1250 / statistics.median(closed) < 1


def test_of_ten_thousand_some_are_late() -> None:
    record = record_of("ten-thousand")
    behind = {arm: len(overloaded(record, arm, "at-once-10000")) for arm in ("tornado", "cyclone")}
    assert behind == {"tornado": 6, "cyclone": 5}
    later: dict[str, list[float]] = {}
    for trial in record.trials:
        if trial.load is not None and not trial.flags:
            later.setdefault(trial.arm, []).append(trial.load.latency_ms["99"] - 8_000)
    assert (len(later["tornado"]), len(later["cyclone"])) == (1, 2)
    for arm in behind:
        assert min(later[arm]) > 333 and max(later[arm]) < 500
    for arm in ("aiohttp", "sanic", "uvicorn"):
        assert max(later[arm]) < 200


def test_four_frameworks_are_ordered_as_the_page_says() -> None:
    found = rows("four-frameworks", RATE, "closed")
    flask = {arm: ratio.median for (arm, base, _), ratio in found.items() if base == "flask-unthreaded"}
    assert flask["sanic"] > flask["klein"] > flask["tornado"] > 1
    assert found["tornado", "klein", "closed"].most < 1
    assert found["flask-threaded", "flask-unthreaded", "closed"].holds_one
    assert found["sanic-logging", "sanic", "closed"].most < 0.5
    published = {"sanic": 14.2, "klein": 4.7, "tornado": 5.0}
    assert all(flask[arm] < ratio for arm, ratio in published.items())
    means = rows("four-frameworks", "load.latency_ms.mean")
    for arm, ratio in flask.items():
        if arm in {"sanic", "klein", "tornado"}:
            assert means[arm, "flask-unthreaded", "closed"].median == pytest.approx(1 / ratio, rel=0.05)


def test_four_frameworks_at_the_rate_of_the_slowest() -> None:
    record = record_of("four-frameworks")
    median = rows("four-frameworks", "load.latency_ms.50")
    half, more = (median["sanic", "flask-threaded", f"load-{share}"] for share in (50, 70))
    assert 1 / 4 < half.least < half.most < 0.35
    assert more.most < 1 / 6
    at_90 = next(setting for setting in record.settings if setting.name == "load-90")
    assert at_90.rate_per_s is not None
    assert overloaded(record, "flask-threaded", "load-90") == [*range(1, 8)]
    assert len(overloaded(record, "flask-threaded", "load-70")) == 1
    for _, load in trials("four-frameworks", "flask-threaded", "closed"):
        assert load.throughput_per_s < at_90.rate_per_s / 0.9
