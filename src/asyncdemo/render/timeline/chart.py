"""Timelines for a page: exact bars where readers can see them, cells and bands where there are too many.

``svg`` draws them and ``html`` plays them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from asyncdemo.analysis.waking import row_at, who_woke
from asyncdemo.model import Run, State
from asyncdemo.render.facts.runs import Account, blocking_words
from asyncdemo.render.timeline.curves import Curve, memory_curves
from asyncdemo.render.timeline.grid import (
    FULL,
    SHADES,
    Cell,
    Grid,
    Row,
    Shade,
    at_work,
    busiest,
)
from asyncdemo.render.timeline.layout import (
    Band,
    Bar,
    ChartRow,
    Piece,
    blocked_of,
    column_ns,
    extent_ns,
    lay_out_run,
    noun,
    open_ns,
    pieces,
    scale_ns,
)
from asyncdemo.render.timeline.pools import PoolSection, lay_out_pool, pool_sections
from asyncdemo.render.words import title
from asyncdemo.safe_text import clean

_COLUMNS = 240
_ROWS = 60
_BARS = 2_000
_POOL_ROWS = 20
_MOST_POOLS = 8
_WAITS = (State.WAITING, State.QUEUED)


@dataclass(frozen=True, slots=True)
class Chart:
    """A run's chart. ``folded``: how many lanes or requests (``noun``) have no row of their own.

    ``file`` has the lines of the bars; "" if they have none. ``wakes``: (when, by which row, which row).
    """

    account: Account
    name: str
    length_ns: int
    rows: tuple[ChartRow, ...] = ()
    folded: int = 0
    fold: int = 1
    noun: str = "lane"
    pools: tuple[PoolSection, ...] = ()
    curves: tuple[Curve, ...] = ()
    file: str = ""
    wakes: tuple[tuple[int, int, int], ...] = ()

    @property
    def run(self) -> Run:
        return self.account.run

    @property
    def connections(self) -> Iterator[ChartRow]:
        """The rows of all pools."""
        return (row for pool in self.pools for row in pool.rows)

    @property
    def shades(self) -> Iterator[Shade]:
        """The shades that occur, possibly more than once."""
        for row in (*self.rows, *self.connections):
            yield from {bar.shade for bar in row.bars}
            yield from {busiest(band.counts) for band in row.bands if at_work(band.counts) > 0}


def charts(accounts: Sequence[Account]) -> tuple[Chart, ...]:
    """Return a chart for each, on one scale.

    Too many bars to be drawn one by one are cut into cells, which still show everything that ran or blocked.
    """
    runs = [account.run for account in accounts]
    scale, column = scale_ns(runs), column_ns(runs, _COLUMNS)
    return tuple(_chart(account, column, scale) for account in accounts)


def _chart(account: Account, column: int, scale_ns: int) -> Chart:
    """Return the chart. ``column`` is the width of a column, in ns."""
    run = account.run
    chart = Chart(
        account,
        title(run),
        extent_ns(run),
        noun=noun(run),
        pools=tuple(_pool(section, column, scale_ns) for section in pool_sections(run)[:_MOST_POOLS]),
        curves=memory_curves(run),
    )
    if len(run.rows) <= _ROWS and sum(len(row.spans) for row in run.rows) <= _BARS:
        blocked, zero = blocked_of(run), open_ns(run)
        rows = tuple(
            ChartRow(clean(row.name), 1, row.outcome, tuple(_bars(pieces(row, blocked), zero, run.script)))
            for row in run.rows
        )
        return replace(chart, rows=rows, file=run.script, wakes=tuple(_wakes(run, zero)))
    grid = lay_out_run(run, _COLUMNS, _ROWS, column)
    return replace(chart, rows=_cut(grid, scale_ns), folded=grid.folded, fold=grid.fold)


def _pool(section: PoolSection, column: int, scale_ns: int) -> PoolSection:
    section = replace(
        section, title=clean(section.title), rows=tuple(row for row in section.rows if row.bars)
    )
    if len(section.rows) <= _POOL_ROWS and sum(len(row.bars) for row in section.rows) <= _BARS:
        return replace(section, rows=tuple(map(_connection, section.rows)))
    grid = lay_out_pool(section, _COLUMNS, column, scale_ns, _POOL_ROWS)
    return replace(section, rows=_cut(grid, scale_ns), folded=grid.folded, fold=grid.fold)


def _connection(row: ChartRow) -> ChartRow:
    bars = (bar._replace(why=clean(bar.why)) for bar in row.bars if bar.end_ns > bar.start_ns)
    return replace(row, label=clean(row.label), bars=tuple(bars))


def _wakes(run: Run, zero: int) -> Iterator[tuple[int, int, int]]:
    for place, row in enumerate(run.rows):
        for span in row.spans:
            waking = who_woke(run, row, span.start_ns) if span.state in _WAITS else None
            waker = None if waking is None else row_at(run, waking.track, waking.at_ns)
            if waking is not None and waker is not None and waker != place:
                yield waking.at_ns - zero, waker, place


def _bars(of: Iterator[Piece], zero: int, file: str) -> Iterator[Bar]:
    line = 0
    for piece in of:
        site = (piece.step.called_from or piece.step.site) if piece.step else piece.wait.site
        if site is not None:
            line = site.line if site.file == file else 0
        if piece.end_ns > piece.start_ns:
            why = blocking_words(piece.step) if piece.step else clean(piece.wait.reason)
            yield Bar(piece.start_ns - zero, piece.end_ns - zero, piece.shade, why, line)


def _cut(grid: Grid, scale_ns: int) -> tuple[ChartRow, ...]:
    return tuple(_cut_row(row, grid.column_ns, scale_ns) for row in grid.rows)


def _cut_row(row: Row, column_ns: int, scale_ns: int) -> ChartRow:
    if row.size > 1:
        bands = [
            Band(at * column_ns, min((at + 1) * column_ns, scale_ns), cell.counts)
            for at, cell in enumerate(row.cells)
            if any(cell.counts)
        ]
        return ChartRow(clean(row.label), row.size, row.ended, bands=tuple(bands))
    joined: list[Bar] = []
    for at, cell in enumerate(row.cells):
        for bar in _cell_bars(cell, at * column_ns, column_ns):
            if joined and joined[-1].shade is bar.shade and joined[-1].end_ns == bar.start_ns:
                bar = joined.pop()._replace(end_ns=bar.end_ns)
            joined.append(bar)
    in_scale = [bar._replace(end_ns=min(bar.end_ns, scale_ns)) for bar in joined if bar.start_ns < scale_ns]
    return ChartRow(clean(row.label), 1, row.ended, tuple(in_scale))


def _cell_bars(cell: Cell, start_ns: int, column_ns: int) -> Iterator[Bar]:
    """Yield the running part of a cell, and its main state for the rest."""
    end_ns = start_ns + column_ns
    if cell.shade is Shade.RUNNING and cell.fill < FULL:
        ran_ns = start_ns + column_ns * cell.fill // FULL
        yield Bar(start_ns, ran_ns, Shade.RUNNING)
        rest = max(SHADES[Shade.READY : Shade.CLOSED], key=lambda shade: cell.counts[shade])
        if cell.counts[rest] > 0:
            yield Bar(ran_ns, end_ns, rest)
    elif cell.shade is not Shade.CLOSED:
        yield Bar(start_ns, end_ns, cell.shade)
