"""The part below the rows of a run in a terminal: its pools, and its memory as a curve, on the same axis.

Not here: their data (see ``timeline.pools``, ``curves``), the rows (see ``draw``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from asyncdemo.model import Run
from asyncdemo.render.terminal.draw import Line, row_lines, text_line
from asyncdemo.render.terminal.theme import COLOURS, DIM, EMPHASIS, Theme
from asyncdemo.render.timeline.curves import Curve, column_values, memory_curves
from asyncdemo.render.timeline.grid import Grid, Shade
from asyncdemo.render.timeline.layout import extent_ns
from asyncdemo.render.timeline.pools import (
    ConnectionRow,
    PoolSection,
    holder_names,
    lay_out_pool,
    pool_sections,
)
from asyncdemo.render.words import clean, count, fit, size

_POOL_ROWS = 8
"""More connections of a pool are folded."""
_MOST_POOLS = 4
_CURVE_HEIGHT = 3
_MEMORY = Style(color=COLOURS[Shade.HELD])


@dataclass(frozen=True, slots=True)
class Sections:
    """All the lines, and the grids of the pools, for the legend."""

    lines: tuple[Line, ...]
    grids: tuple[Grid, ...]


def sections_of(
    run: Run,
    theme: Theme,
    gutter: int,
    above: Grid,
    most: Mapping[str, int],
    pool_rows: int = _POOL_ROWS,
    curve_height: int = _CURVE_HEIGHT,
) -> Sections:
    """Return the sections, on the axis of the rows ``above``. ``most``: the maximum of each curve's axis."""
    lines: list[Line] = []
    pools = pool_sections(run)
    grids = []
    for pool in pools[:_MOST_POOLS]:
        grid = lay_out_pool(pool, above.columns, above.column_ns, extent_ns(run), pool_rows)
        grids.append(grid)
        lines += [[], *_pool(pool, grid, theme, gutter, extent_ns(run))]
    if len(pools) > _MOST_POOLS:
        words = f"and {count(len(pools) - _MOST_POOLS, 'more pool')}: --json has them all"
        lines.append(text_line(fit(words, gutter + above.columns, theme.ellipsis), DIM))
    for curve in memory_curves(run):
        lines += [[], *_curve(curve, above, theme, gutter, most[curve.label], extent_ns(run), curve_height)]
    return Sections(tuple(lines), tuple(grids))


def _pool(pool: PoolSection, grid: Grid, theme: Theme, gutter: int, extent: int) -> Iterator[Line]:
    width = gutter + grid.columns
    most = pool.most_queued
    yield _heading(clean(pool.title), f"{pool.limit}: {_used(pool)}", theme, width)
    drawn = [row for row in pool.rows if row.stretches]
    for row, line in zip(grid.rows, row_lines(grid, theme, gutter), strict=True):
        yield line if row.size > 1 else _with_holders(line, drawn[row.first], grid.column_ns)
    if grid.folded:
        words = f"+{count(grid.folded, 'connection')} folded, up to {grid.fold:,} to a row"
        yield text_line(fit(words, width, theme.ellipsis), DIM)
    if most:
        values = column_values(((0, 0), *pool.queued), grid.columns, grid.column_ns, extent)
        bars = "".join(theme.bar(value or 0, most) for value in values)
        label = _label("queued", f"{most:,}", theme, gutter)
        yield [Segment(label, DIM), Segment(bars, theme.shade_style(Shade.POOL))]


def _used(pool: PoolSection) -> str:
    parts = [
        f"{count(len(pool.rows), 'connection')} opened" if pool.rows else "no connection was opened",
        f"up to {pool.most_queued:,} queued" if pool.queued else "",
        f"refused {count(pool.refused, 'time')}" if pool.refused else "",
        pool.where,
    ]
    return ", ".join(filter(None, parts))


def _with_holders(line: Line, row: ConnectionRow, column_ns: int) -> Line:
    """Return the line of a connection, with its holder in each stretch that has room for the name."""
    names: dict[int, str] = {}
    for stretch in row.stretches:
        first, last = -(-stretch.start_ns // column_ns), stretch.end_ns // column_ns
        if stretch.shade is Shade.HELD:
            # A cell of texture stays on both sides, to keep adjacent stretches apart.
            fitting = (name for name in holder_names(stretch.who) if cell_len(name) + 2 <= last - first)
            names[first + 1] = next(fitting, "")
    if not any(names.values()):
        return line
    cells = [(glyph, segment.style) for segment in line[1:] for glyph in segment.text]
    # From the right: a wide letter takes two cells, and those after it move up.
    for at, name in sorted(names.items(), reverse=True):
        cells[at : at + cell_len(name)] = [(glyph, EMPHASIS) for glyph in name]
    return [*line[:1], *_joined(cells)]


def _joined(cells: Sequence[tuple[str, Style | None]]) -> Iterator[Segment]:
    text, style = "", None
    for glyph, its_style in cells:
        if its_style is not style and text:
            yield Segment(text, style)
            text = ""
        text, style = text + glyph, its_style
    yield Segment(text, style)


def _curve(
    curve: Curve, above: Grid, theme: Theme, gutter: int, most: int, extent: int, height: int
) -> Iterator[Line]:
    yield _heading(f"{curve.label} memory", curve.words, theme, gutter + above.columns)
    values = column_values(curve.points, above.columns, above.column_ns, extent)
    for line in range(height):
        low = (height - 1 - line) / height
        label = size(most) if line == 0 else "0" if line == height - 1 else ""
        bars = "".join(_part(value, most, low, height, theme) for value in values)
        yield [
            Segment(fit(label.rjust(gutter - 2), gutter - 2, theme.ellipsis) + theme.side + " ", DIM),
            Segment(bars, _MEMORY),
        ]


def _part(value: int | None, most: int, low: float, height: int, theme: Theme) -> str:
    """Return a value's glyph in one line of a curve of ``height`` lines; ``low``: its lower edge, 0 to 1."""
    if not value or not most:
        return theme.bars[0]
    amount = min(max((value / most - low) * height, 0), 1)
    return theme.bar(amount, 1) if low == 0 or amount * (len(theme.bars) - 1) >= 0.5 else theme.bars[0]


def _heading(name: str, words: str, theme: Theme, width: int) -> Line:
    name = fit(name, width, theme.ellipsis)
    return [
        Segment(name, EMPHASIS),
        Segment(fit(f"  {words}", width - cell_len(name), theme.ellipsis), DIM),
    ]


def _label(words: str, most: str, theme: Theme, gutter: int) -> str:
    label = f" {words}"
    top = f"{theme.bars[-1]}{most}"
    room = max(gutter - 1 - len(label), 0)
    label += top.rjust(room) if len(top) < room else ""
    return fit(label, gutter - 1, theme.ellipsis, pad=True) + " "
