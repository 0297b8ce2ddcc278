"""The rows of seed 003's report, and the names that they share with its settings.

Not for: how any of it is brought about (``constant_rate``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from asyncdemo.lab.harness.protocol import MEAN_LATENCY, THROUGHPUT, Asked, Figure, latency
from asyncdemo.lab.results.comparison import Better, Bound, Published
from asyncdemo.lab.results.laws import backlog_s
from asyncdemo.lab.results.published import load_article

__all__ = [
    "ARTICLE",
    "CLOSED",
    "FLASK",
    "OVER",
    "OVERLOAD",
    "OVERLOADS",
    "OVERLOAD_LONG",
    "PUBLISHED_RATES",
    "SANIC",
    "SHARES",
    "STOCK",
    "THEN",
    "rows",
]

ARTICLE: Final = "constant-rate"
FLASK, SANIC, STOCK = "flask", "sanic", "sanic-asyncio"
CLOSED, OVERLOAD, OVERLOAD_LONG = "closed", "over", "over-twice-as-long"
OVER: Final = 1.5
"""Times the capacity of the slowest."""
OVERLOADS: Final = {OVERLOAD: 2.0, OVERLOAD_LONG: 4.0}
"""Setting -> how long it lasts."""
SHARES: Final = (50, 70, 90)
PUBLISHED_RATES: Final = ("2000", "4000")
THEN: Final = "Flask 0.12 served one request at a time; today's has a thread for each"
_LONGEST: Final = replace(latency("100"), title="Longest latency")
_LONGEST_QUEUED: Final = replace(_LONGEST, key="counted.longest_ms")
"""The same under overload, where it is no percentile: it says how long the queue got in this run."""
_OF_FORMULA: Final = Figure(
    "counted.longest_of_backlog",
    "Whether answers come in order: longest wait, × (1 − served / asked) × run",
    "×",
    Better.LESS,
)
"""Of answers in order it is 1 by arithmetic: rate, served and run are those of the same requests."""
_IN_BOTH: Final = (
    "30 s there, less here: the longest wait grows with the run",
    "wrk2 had 100 or 200 connections; here each request that waits has one",
)


def rows() -> Iterator[Asked]:
    yield from _published_rows()
    yield from _law_rows()
    yield from _loop_rows()
    yield from _latency_rows()


def _published_rows() -> Iterator[Asked]:
    """All four rows of the article: each of Sanic's as a multiple of Flask's at the same rate."""
    table = load_article(ARTICLE).table("results")
    rows = {(row[0], row[1]): row for row in table.rows}
    for rate in PUBLISHED_RATES:
        for figure, key in (
            (THROUGHPUT, "requests_per_s"),
            (latency("50"), "p50"),
            (_LONGEST, "latency_max"),
        ):
            sanic, flask = (
                table.figure(rows[framework, rate], key).value or 0.0 for framework in ("Sanic", "Flask")
            )
            yield Asked(
                name=f"{int(rate):,} a second: {figure.title.lower()}",
                figure=figure,
                arm=SANIC,
                base=FLASK,
                setting=f"asked-{rate}",
                published=Published(
                    f"{sanic:,.2f} / {flask:,.2f} {figure.unit.replace('/s', 'per s')}", sanic / flask
                ),
                differs=(THEN, *_IN_BOTH),
            )


def _law_rows() -> Iterator[Asked]:
    """How long the last of a backlog waits."""
    table = load_article(ARTICLE).table("results")
    for rate in PUBLISHED_RATES:
        row = next(row for row in table.rows if row[:2] == ("Flask", rate))
        longest_ms, served_per_s, run_s = (
            table.figure(row, key).value or 0.0 for key in ("latency_max", "requests_per_s", "run")
        )
        said_s = backlog_s(float(rate), served_per_s, run_s)
        yield Asked(
            name=f"{int(rate):,} a second: Flask's longest wait, × the formula's",
            figure=_OF_FORMULA,
            arm=FLASK,
            base=FLASK,
            setting=f"asked-{rate}",
            base_value=1.0,
            published=Published(
                f"{longest_ms / 1000:.2f} s / (1 − {served_per_s:,.0f} / {int(rate):,}) × {run_s:.0f} s",
                longest_ms / 1000 / said_s,
            ),
            bound=Bound(1.0, "requests answered in their order"),
            differs=(
                "the run lasts until the last answer; wrk2 ends at a time",
                "threads are not served in the order of their requests",
                "the base is the formula",
            ),
        )
    for setting in (OVERLOAD, OVERLOAD_LONG):
        yield Asked(
            name=f"{OVER:g} × capacity, {OVERLOADS[setting]:g} s: Flask's longest wait, × the formula's",
            figure=_OF_FORMULA,
            arm=FLASK,
            base=FLASK,
            setting=setting,
            base_value=1.0,
            bound=Bound(1.0, "requests answered in their order"),
            differs=("the base is the formula",),
        )
    long_s, short_s = OVERLOADS[OVERLOAD_LONG], OVERLOADS[OVERLOAD]
    yield Asked(
        name=f"{OVER:g} × capacity: a run twice as long",
        figure=_LONGEST_QUEUED,
        arm=FLASK,
        base=FLASK,
        setting=OVERLOAD_LONG,
        base_setting=OVERLOAD,
        bound=Bound(long_s / short_s, f"a backlog grows with the run: {long_s:g} s / {short_s:g} s"),
        differs=("it grows with the run",),
    )


def _loop_rows() -> Iterator[Asked]:
    """003's confounder, and what a closed loop sees of the same server."""
    yield Asked(
        name="uvloop alone",
        figure=THROUGHPUT,
        arm=SANIC,
        base=STOCK,
        setting=CLOSED,
    )
    yield Asked(
        name="Sanic without uvloop, against Flask",
        figure=THROUGHPUT,
        arm=STOCK,
        base=FLASK,
        setting=CLOSED,
    )
    yield Asked(
        name="uvloop alone, at 2,000 a second",
        figure=latency("90"),
        arm=SANIC,
        base=STOCK,
        setting="asked-2000",
    )
    for setting, words in (
        (OVERLOAD, f"{OVER:g} × capacity"),
        ("poisson-90", "90 % of capacity, by chance"),
    ):
        yield Asked(
            name=f"Flask, open loop ({words}) / closed loop",
            figure=MEAN_LATENCY,
            arm=FLASK,
            base=FLASK,
            setting=setting,
            base_setting=CLOSED,
            differs=(
                "the same server; a closed loop waits with it, and so leaves out what it makes others wait",
                *(("it grows with the run",) if setting == OVERLOAD else ()),
            ),
        )


def _latency_rows() -> Iterator[Asked]:
    for share in SHARES:
        for arrivals, word in (("uniform", "evenly"), ("poisson", "by chance")):
            if f"{arrivals}-{share}" == "uniform-90":
                continue
            percents = ("50", "90", "99") if f"{arrivals}-{share}" == "poisson-90" else ("50", "90")
            for percent in percents:
                yield Asked(
                    name=f"{share} % of capacity, {word}: {percent} %",
                    figure=latency(percent),
                    arm=SANIC,
                    base=FLASK,
                    setting=f"{arrivals}-{share}",
                )
    yield Asked(
        name="Flask at 90 % of capacity: by chance / evenly",
        figure=latency("90"),
        arm=FLASK,
        base=FLASK,
        setting="poisson-90",
        base_setting="uniform-90",
    )
