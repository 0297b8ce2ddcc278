"""What the Measure pages say of our records in words is what the records have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from asyncdemo.lab.comparison import Comparison
from asyncdemo.lab.ratio import Ratio
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


def test_flask_repaired_and_quart_differ_less_than_flask_repaired_and_as_published() -> None:
    found = rows("flask-and-quart", lambda row: row.figure == RATE and row.setting == "film")
    quart = found["quart-asyncpg", "flask-repaired", "film"]
    repair = found["flask-repaired", "flask-published", "film"]
    assert quart.holds_one and repair.least > quart.most


def test_the_driver_of_greenlets_makes_the_difference() -> None:
    load = load_record(RECORDS / "greenlets.json")
    by_name = {row.name: row for row in load.comparisons if row.figure == RATE}
    patched, unpatched = (
        by_name["gevent with and without psycogreen"],
        by_name["gevent without psycogreen, and sync"],
    )
    assert patched.measured is not None and patched.bound is not None
    assert patched.measured.least <= patched.bound.ratio <= patched.measured.most
    assert unpatched.measured is not None and unpatched.measured.holds_one


def test_the_event_loop_makes_no_difference_that_is_seen() -> None:
    (ratio,) = rows("constant-rate", lambda row: row.name == "uvloop alone").values()
    assert ratio.holds_one


def test_four_frameworks_are_ordered_as_the_page_says() -> None:
    found = rows("four-frameworks", lambda row: row.figure == RATE)
    flask = {arm: ratio.median for (arm, base, _), ratio in found.items() if base == "flask-unthreaded"}
    assert flask["sanic"] > flask["klein"] > flask["tornado"] > 1
    assert next(ratio for (arm, _, _), ratio in found.items() if arm == "sanic-logging").median < 0.5
