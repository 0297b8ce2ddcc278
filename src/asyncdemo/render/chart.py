"""Timelines for a page: exact bars where a reader can see them, cells and bands where there are too many.

``svg`` draws it and ``html`` plays it. Not for: terminals (``grid``, ``draw``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from asyncdemo.model import Run
from asyncdemo.render.facts import blocking_words
from asyncdemo.render.grid import FULL, SHADES, STATE_OF, Cell, Counts, Grid, Row, Shade
from asyncdemo.render.layout import Piece, blocked_of, extent_ns, lay_out, open_ns, pieces
from asyncdemo.render.words import SHADE_WORDS, clean, lane_range, title

__all__ = ["Band", "Bar", "Chart", "ChartRow", "bar_words", "charts"]

_COLUMNS = 240


class Bar(NamedTuple):
    """One stretch of a lane; ``why``: what it waits for, or what blocks."""

    start_ns: int
    end_ns: int
    shade: Shade
    why: str = ""


class Band(NamedTuple):
    """How many lanes of a folded row were in each state, on average."""

    start_ns: int
    end_ns: int
    counts: Counts


@dataclass(frozen=True, slots=True)
class ChartRow:
    """A lane with its bars, or ``size`` lanes with their bands."""

    label: str
    size: int
    ended: str = ""
    bars: tuple[Bar, ...] = ()
    bands: tuple[Band, ...] = ()


@dataclass(frozen=True, slots=True)
class Chart:
    """folded: how many lanes have no row of their own."""

    run: Run
    name: str
    length_ns: int
    rows: tuple[ChartRow, ...]
    folded: int = 0
    fold: int = 1


def charts(runs: Sequence[Run], rows: int = 60, bars: int = 2_000) -> tuple[int, tuple[Chart, ...]]:
    """(the scale in ns, that of the longest run; a chart for each).

    rows: the most rows of a chart. bars: the most that are drawn one by one; above, the time is
    cut into cells, in which nothing that ran or blocked is lost.
    """
    scale_ns = max(map(extent_ns, runs), default=0) or 1
    grids = lay_out(runs, _COLUMNS, rows)
    return scale_ns, tuple(
        _exact(run) if _fits(run, rows, bars) else _cut(run, grid, scale_ns)
        for run, grid in zip(runs, grids, strict=True)
    )


def _fits(run: Run, rows: int, bars: int) -> bool:
    return len(run.rows) <= rows and sum(len(row.spans) for row in run.rows) <= bars


def _exact(run: Run) -> Chart:
    blocked, zero = blocked_of(run), open_ns(run)
    return Chart(
        run,
        title(run),
        extent_ns(run),
        tuple(
            ChartRow(clean(row.name), 1, row.outcome, tuple(_bars(pieces(row, blocked), zero)))
            for row in run.rows
        ),
    )


def _bars(of: Iterator[Piece], zero: int) -> Iterator[Bar]:
    for piece in of:
        if piece.end_ns > piece.start_ns:
            why = blocking_words(piece.step) if piece.step else clean(piece.wait.reason)
            yield Bar(piece.start_ns - zero, piece.end_ns - zero, piece.shade, why)


def _cut(run: Run, grid: Grid, scale_ns: int) -> Chart:
    rows = tuple(_cut_row(row, grid.column_ns, scale_ns) for row in grid.rows)
    return Chart(run, title(run), extent_ns(run), rows, grid.folded, grid.fold)


def _cut_row(row: Row, column_ns: int, scale_ns: int) -> ChartRow:
    if row.size > 1:
        bands = [
            Band(at * column_ns, min((at + 1) * column_ns, scale_ns), cell.counts)
            for at, cell in enumerate(row.cells)
            if cell.shade is not Shade.CLOSED
        ]
        return ChartRow(lane_range(row.first, row.size), row.size, bands=tuple(bands))
    joined: list[Bar] = []
    for at, cell in enumerate(row.cells):
        for bar in _cell_bars(cell, at * column_ns, column_ns):
            if joined and joined[-1].shade is bar.shade and joined[-1].end_ns == bar.start_ns:
                bar = joined.pop()._replace(end_ns=bar.end_ns)
            joined.append(bar)
    in_scale = [bar._replace(end_ns=min(bar.end_ns, scale_ns)) for bar in joined if bar.start_ns < scale_ns]
    return ChartRow(clean(row.label), 1, row.ended, tuple(in_scale))


def _cell_bars(cell: Cell, start_ns: int, column_ns: int) -> Iterator[Bar]:
    """A cell that ran for a part of it is that part, and what it did most in the rest."""
    end_ns = start_ns + column_ns
    if cell.shade is Shade.RUNNING and cell.fill < FULL:
        ran_ns = start_ns + column_ns * cell.fill // FULL
        yield Bar(start_ns, ran_ns, Shade.RUNNING)
        rest = max(SHADES[Shade.READY : Shade.CLOSED], key=lambda shade: cell.counts[shade])
        if cell.counts[rest] > 0:
            yield Bar(ran_ns, end_ns, rest)
    elif cell.shade is not Shade.CLOSED:
        yield Bar(start_ns, end_ns, cell.shade)


def bar_words(row: ChartRow, bar: Bar) -> str:
    """ "brew(0): waiting, sleep"."""
    state = SHADE_WORDS[STATE_OF.get(bar.shade, bar.shade)]
    return f"{row.label}: {state}" + (f", {bar.why}" if bar.why else "")
