"""What the Measure pages say of our records in words is what the records have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from asyncdemo.lab.comparison import Comparison
from asyncdemo.lab.flags import FlagKind
from asyncdemo.lab.ratio import Ratio, Verdict
from asyncdemo.lab.record import Record
from asyncdemo.lab.record_file import load_record

RECORDS = Path(__file__).resolve().parents[3] / "docs" / "measure" / "records"
RATE = "load.throughput_per_s"
SYNC = ("uwsgi", "gunicorn")


def rows(record: str, having: Callable[[Comparison], bool]) -> dict[tuple[str, str, str], Ratio]:
    """(arm, base, setting) -> the measured ratio, of the rows that have one."""
    return {
        (row.arm, row.base, row.setting): row.measured
        for row in load_record(RECORDS / f"{record}.json").comparisons
        if having(row) and row.measured is not None
    }


def pairs(setting: str) -> dict[str, float]:
    found = rows("twenty-one-pairs", lambda row: row.figure == RATE and row.setting == setting)
    return {arm: ratio.median for (arm, _, _), ratio in found.items()}


def is_sync(pair: str) -> bool:
    return pair.removesuffix("-again").endswith(SYNC)


def test_the_reversal_of_the_twenty_one_pairs() -> None:
    eager, calm = pairs("better-async"), pairs("better-sync")
    assert min(eager[pair] for pair in eager if not is_sync(pair)) > max(
        eager[pair] for pair in eager if is_sync(pair)
    )
    assert max(eager, key=eager.__getitem__) == "bottle-meinheld"
    assert is_sync(max(calm, key=calm.__getitem__))


def test_quart_and_flask_repaired_and_as_published() -> None:
    found = rows("flask-and-quart", lambda row: row.figure == RATE)
    for route in ("film", "films"):
        assert found["quart-asyncpg", "flask-repaired", route].holds_one
    assert found["quart-asyncpg", "flask-repaired", "review"].least > 1
    repair = found["flask-repaired-eventlet", "flask-published", "film"]
    assert repair.median == pytest.approx(4, abs=0.2)
    assert found["quart-alone", "flask-published", "film"].median > 2 * 1.5
    assert found["quart-alone", "flask-repaired", "film"].holds_one


def test_sanic_and_flask_under_uploads_and_computations() -> None:
    found = rows("flask-and-sanic", lambda row: row.figure == RATE)
    for (arm, _, setting), ratio in found.items():
        if arm == "flask-threaded" and setting.startswith("uploads"):
            assert 0.99 <= ratio.least <= ratio.most <= 1.01
        if arm == "sanic" and setting.startswith("calc"):
            assert ratio.holds_one


def test_the_driver_of_greenlets_makes_the_difference() -> None:
    load = load_record(RECORDS / "greenlets.json")
    by_name = {row.name: row for row in load.comparisons if row.figure == RATE}
    patched, unpatched = (
        by_name["gevent with and without psycogreen"],
        by_name["gevent without psycogreen, and sync"],
    )
    assert patched.measured is not None and patched.bound is not None
    assert patched.bound.ratio == 10 and round(patched.measured.median, 1) == 10.3
    assert unpatched.measured is not None and unpatched.measured.holds_one


def overloaded(record: Record, arm: str, setting: str) -> list[int]:
    """The rounds in which it was."""
    return [
        trial.round
        for trial in record.trials
        if (trial.arm, trial.setting) == (arm, setting)
        and any(flag.kind is FlagKind.OVERLOADED for flag in trial.flags)
    ]


def test_the_constant_rates_and_the_capacity() -> None:
    """Flask against itself under overload; the event loop; and what Flask can do at most."""
    record = load_record(RECORDS / "constant-rate.json")
    assert record.rounds == 7 and len(overloaded(record, "flask", "asked-2000")) == 3
    named = {row.name: row for row in record.comparisons if row.measured is not None}

    def median(name: str) -> float:
        ratio = named[name].measured
        assert ratio is not None
        return ratio.median

    flask = named["Sanic without uvloop, against Flask"]
    assert 8.7 < median(flask.name) < 9
    assert named["2,000 a second: Flask's longest wait, × the formula's"].verdict is Verdict.NOT_REPRODUCED
    loop, twice = named["uvloop alone"].measured, named["Sanic on asyncio's loop, twice"].measured
    assert loop is not None and [round(100 * (edge - 1)) for edge in (loop.least, loop.most)] == [2, 21]
    assert twice is not None and round(100 * (twice.most - 1)) == 7
    assert median("2,000 a second: requests per second") < 1.02
    assert 1 < median("4,000 a second: requests per second") < 2
    assert median("1.5 × capacity: a run twice as long") == pytest.approx(3.5, abs=0.05)
    assert median("1.5 × capacity: Flask's longest wait, × the formula's") == pytest.approx(1, abs=0.05)
    assert median("4,000 a second: Flask's longest wait, × the formula's") > 1.05
    assert median("Flask, open loop (1.5 × capacity) / closed loop") == pytest.approx(17, abs=0.5)


def test_all_hold_ten_thousand_connections_at_prices_of_their_own() -> None:
    record = load_record(RECORDS / "ten-thousand.json")
    named = {row.name: row for row in record.comparisons if row.measured is not None}
    servers = ("Flask, threaded", "Tornado", "aiohttp", "uvicorn, no framework")
    for server in servers:
        answered, connections = named[f"{server}: answered"], named[f"{server}: connections"]
        assert answered.measured is not None and set(answered.measured.pairs) == {1}
        assert answered.arm_median == answered.base_median == 13_750
        assert connections.arm_median is not None and connections.arm_median >= 10_000
    memory = {server: named[f"{server}: memory per connection"] for server in servers}
    flask, tornado = memory["Flask, threaded"], memory["Tornado"]
    kilobytes = [row / 1000 for row in (flask.base_median, tornado.arm_median, flask.arm_median) if row]
    assert [round(size) for size in kilobytes] == [10, 14, 34]
    later = named["Flask, threaded: latency, 99 %"].measured
    assert later is not None and round(later.median, 2) == 1.03
    behind = overloaded(record, "flask", "at-once-10000")
    assert len(behind) == 1 and len(overloaded(record, "tornado", "at-once-10000")) == 3
    (late,) = (trial for trial in record.trials if trial.arm == "flask" and trial.round in behind)
    assert late.load is not None and late.load.latency_ms["99"] == pytest.approx(24_000, abs=500)


def test_four_frameworks_are_ordered_as_the_page_says() -> None:
    found = rows("four-frameworks", lambda row: row.figure == RATE)
    flask = {arm: ratio.median for (arm, base, _), ratio in found.items() if base == "flask-unthreaded"}
    assert flask["sanic"] > flask["klein"] > flask["tornado"] > 1
    logging = next(ratio for (arm, _, _), ratio in found.items() if arm == "sanic-logging")
    assert sum(pair < 0.5 for pair in logging.pairs) == 6
