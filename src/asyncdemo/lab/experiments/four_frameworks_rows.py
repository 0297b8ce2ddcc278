"""The rows of seed 001's report: what is published of Flask, Tornado, Klein and Sanic, and what must hold.

Not for: how any of it is measured (``four_frameworks``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from asyncdemo.lab.harness.protocol import MEAN_LATENCY, THROUGHPUT, Asked, Figure, latency
from asyncdemo.lab.results.comparison import Better, Published
from asyncdemo.lab.results.laws import littles_latency_ms
from asyncdemo.lab.results.published import load_article

__all__ = [
    "ARTICLE",
    "CLIENTS",
    "FLASK",
    "KLEIN",
    "LEVELS",
    "LOGGING",
    "SANIC",
    "THREADED",
    "TORNADO",
    "rows",
]

ARTICLE: Final = "four-frameworks"
FLASK, THREADED, TORNADO, KLEIN, SANIC = "flask-unthreaded", "flask-threaded", "tornado", "klein", "sanic"
LOGGING: Final = "sanic-logging"
CLIENTS: Final = 200
LEVELS: Final = (50, 70, 90)
"""Per cent of the slowest contestant's capacity."""
_PUBLISHED: Final = {TORNADO: "Tornado", KLEIN: "Klein", SANIC: "Sanic"}
_WITHIN_BUDGET: Final = Figure("offered_per_s", "Highest rate within the budget", "/s", Better.MORE)
_WORDS: Final = {FLASK: "Flask without threads", THREADED: "Flask with threads", **_PUBLISHED}
_TEXT: Final = "Sanic sends text, not JSON."
_FLASK: Final = "Which Flask is not said."


def rows() -> tuple[Asked, ...]:
    return (*_throughput(), *_latencies(), *_beside(), *_by_wrk(), *_at_levels(), _within_budget())


def _throughput() -> Iterator[Asked]:
    for base in (FLASK, THREADED):
        for arm in reversed(_PUBLISHED):
            yield _row(arm, base, published=_published(arm, "requests_per_s", "per s"), differs=_differs(arm))


def _latencies() -> Iterator[Asked]:
    for column, figure in (("latency_avg", MEAN_LATENCY), ("p50", latency("50")), ("p99", latency("99"))):
        for arm in reversed(_PUBLISHED):
            published = _published(arm, column, "ms")
            if figure == MEAN_LATENCY:
                published = replace(published, words=f"{published.words}; {_by_littles_law(arm)}")
            row = _row(arm, FLASK, published=published, differs=(*_differs(arm), _left_out()))
            yield replace(row, figure=figure)


def _beside() -> Iterator[Asked]:
    """What was published of two others, and what was not."""
    yield _row(TORNADO, KLEIN, published=_published(TORNADO, "requests_per_s", "per s", KLEIN))
    yield _row(THREADED, FLASK, differs=("Not in the article.",))
    row = _row(SANIC, SANIC, differs=("What the article's servers logged is not said.",))
    yield replace(row, name="Sanic with its access log, and without", arm=LOGGING)


def _by_wrk() -> Iterator[Asked]:
    """A cross-check of our own client, with the article's."""
    for base in (TORNADO, FLASK):
        for arm in reversed(_PUBLISHED):
            if arm != base:
                published = _published(arm, "requests_per_s", "per s", base)
                differs = _differs(arm) if base == FLASK else _differs(arm)[:-1]
                yield _row(arm, base, "wrk", published=published, differs=differs)


def _at_levels() -> Iterator[Asked]:
    """What the article does not have: latency where all of them can keep up."""
    for level in LEVELS:
        for arm in reversed(_PUBLISHED):
            row = _row(arm, THREADED, f"load-{level}", differs=("Not in the article.",))
            yield from (replace(row, figure=latency(percent)) for percent in ("50", "90"))


def _within_budget() -> Asked:
    row = _row(SANIC, THREADED, "budget", differs=("Not in the article.",))
    return replace(row, figure=_WITHIN_BUDGET)


def _row(
    arm: str,
    base: str,
    setting: str = "closed",
    *,
    published: Published | None = None,
    differs: tuple[str, ...] = (),
) -> Asked:
    return Asked(
        name=f"{_WORDS[arm]} and {_WORDS[base]}",
        figure=THROUGHPUT,
        arm=arm,
        base=base,
        setting=setting,
        published=published,
        differs=differs,
    )


def _differs(arm: str) -> tuple[str, ...]:
    return (_TEXT, _FLASK) if arm == SANIC else (_FLASK,)


def _published(arm: str, column: str, unit: str, base: str = FLASK) -> Published:
    own, other = _cell(arm, column), _cell(base, column)
    return Published(f"{own:,g} / {other:,g} {unit}", own / other)


def _by_littles_law(arm: str) -> str:
    """What the published rates say of the latencies, whatever the table has."""
    own, other = (littles_latency_ms(CLIENTS, _cell(name, "requests_per_s")) for name in (arm, FLASK))
    return f"by Little's law of the published rates {own:.0f} / {other:.0f} ms: {own / other:.2f}"


def _left_out() -> str:
    rate, mean_ms = _cell(FLASK, "requests_per_s"), _cell(FLASK, "latency_avg")
    must_ms = littles_latency_ms(CLIENTS, rate)
    return (
        f"Flask's published latency cannot be true: {rate:.0f} answers per second to {CLIENTS} clients take "
        f"{must_ms:.0f} ms each, not {mean_ms:.0f}, by Little's law. Left out were "
        f"{_cell(FLASK, 'timeouts'):,.0f} timeouts."
    )


def _cell(arm: str, column: str) -> float:
    table = load_article(ARTICLE).table("results")
    value = table.figure(table.row(_PUBLISHED.get(arm, "Flask")), column).value
    assert value is not None, f"{arm} has no {column}"
    return value
