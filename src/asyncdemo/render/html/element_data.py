"""The data of the element ``<async-timeline>``, as its ``load`` takes it.

Times are nanoseconds since the first row opened; a shade is the number of a ``Shade``. Not here: how the data
is embedded in a page (see ``packing``), what is shown separately or folded (see ``chart``).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import TypedDict

from asyncdemo.render.facts.runs import Account, empty_words
from asyncdemo.render.svg.chart import figures_of
from asyncdemo.render.timeline.chart import Band, Chart, ChartPool, ChartRow
from asyncdemo.render.words import status

_FOLDERS = 2
"""How many parts of a path distinguish files on a page."""
_EXACT = 10
"""With fewer lanes than this, bands are exact to tenths."""


class RowData(TypedDict):
    """A row. ``bars``: (start, end, shade, why, line). ``bands``: (start, end, how many by shade).

    Counts of a band end with the last shade that occurs.
    """

    label: str
    size: int
    ended: str
    bars: list[tuple[int, int, int, str, int]]
    bands: list[tuple[int, int, list[float]]]


class PoolData(TypedDict):
    """A pool. ``queued``: (since when, how many). ``folded``, ``fold``: as in ``ChartPool``."""

    title: str
    about: str
    folded: int
    fold: int
    rows: list[RowData]
    queued: list[tuple[int, int]]


class CurveData(TypedDict):
    """A curve. ``points``: (since when, bytes)."""

    label: str
    about: str
    points: list[tuple[int, int]]


class RunData(TypedDict):
    """A run. ``outcome``, ``figures``, ``warning``: in words. ``empty``: why there are no rows.

    ``file``: the file of the bars' lines, without folders that only exist on its machine. ``wakes``: (when,
    by which row, which row) in order of time.
    """

    name: str
    file: str
    noun: str
    length_ns: int
    outcome: str
    figures: str
    warning: str
    empty: str
    folded: int
    fold: int
    rows: list[RowData]
    pools: list[PoolData]
    memory: list[CurveData]
    wakes: list[tuple[int, int, int]]


class Data(TypedDict):
    """All runs, with a common axis that ends at ``scale_ns``."""

    scale_ns: int
    runs: list[RunData]


def chart_data(accounts: Sequence[Account], scale_ns: int, drawn: Sequence[Chart]) -> Data:
    runs = [_run(account, chart) for account, chart in zip(accounts, drawn, strict=True)]
    return {"scale_ns": scale_ns, "runs": runs}


def _run(account: Account, chart: Chart) -> RunData:
    figures, warning = figures_of(account)
    return {
        "name": chart.name,
        "file": "/".join(PurePath(chart.file).parts[-_FOLDERS:]),
        "noun": chart.noun,
        "length_ns": chart.length_ns,
        "outcome": status(account.run),
        "figures": figures,
        "warning": warning,
        "empty": "" if chart.rows else empty_words(chart.run),
        "folded": chart.folded,
        "fold": chart.fold,
        "rows": [_row(row) for row in chart.rows],
        "pools": [_pool(pool) for pool in chart.pools],
        "memory": [
            {"label": curve.label, "about": curve.words, "points": list(curve.points)}
            for curve in chart.curves
        ],
        "wakes": sorted(chart.wakes),
    }


def _pool(pool: ChartPool) -> PoolData:
    return {
        "title": pool.title,
        "about": pool.about,
        "folded": pool.folded,
        "fold": pool.fold,
        "rows": [_row(row) for row in pool.rows],
        "queued": list(pool.queued),
    }


def _row(row: ChartRow) -> RowData:
    return {
        "label": row.label,
        "size": row.size,
        "ended": row.ended,
        "bars": [(bar.start_ns, bar.end_ns, int(bar.shade), bar.why, bar.line) for bar in row.bars],
        "bands": [(band.start_ns, band.end_ns, _amounts(band)) for band in row.bands],
    }


def _amounts(band: Band) -> list[float]:
    amounts = [_rounded(amount) for amount in band.counts]
    while amounts and not amounts[-1]:
        amounts.pop()
    return amounts


def _rounded(amount: float) -> float:
    """Round to the precision shown. 0 stays 0, and small amounts don't become 0."""
    value = round(amount) if amount >= _EXACT else max(round(amount, 1), 0.1) if amount > 0 else 0
    return int(value) if value == int(value) else value
