"""The part below the rows of a run in a terminal, on the same axis.

A picture of the whole run has its pools, and its memory as a curve; a window has counts of open rows, holders
and waiters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from asyncdemo.model import Resource, Run
from asyncdemo.render.terminal.draw import Line, bars_line, row_lines, text_line
from asyncdemo.render.terminal.theme import COLOURS, DIM, EMPHASIS, Theme
from asyncdemo.render.timeline.curves import (
    Curve,
    Level,
    column_values,
    levels,
    memory_curves,
    resource_levels,
)
from asyncdemo.render.timeline.grid import Grid, Shade
from asyncdemo.render.timeline.layout import ChartRow, extent_ns, open_ns
from asyncdemo.render.timeline.pools import PoolSection, holder_names, lay_out_pool, pool_sections
from asyncdemo.render.timeline.window import Window
from asyncdemo.render.words import count, fit, place, size
from asyncdemo.safe_text import clean

_POOL_ROWS = 8
"""More connections of a pool are folded."""
_MOST_POOLS = 4
_CURVE_HEIGHT = 3
_MEMORY = Style(color=COLOURS[Shade.HELD])
_SHADES: Final = {"held": Shade.HELD, "queued": Shade.QUEUED, "length": Shade.HELD}


def sections_of(
    run: Run,
    theme: Theme,
    gutter: int,
    above: Grid,
    most: Mapping[str, int],
    pool_rows: int = _POOL_ROWS,
    curve_height: int = _CURVE_HEIGHT,
) -> tuple[list[Line], list[Grid]]:
    """Return the lines, on the axis of the rows ``above``, and the grids of the pools, for the legend.

    ``most``: the maximum of each curve's axis.
    """
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
    return lines, grids


def _pool(pool: PoolSection, grid: Grid, theme: Theme, gutter: int, extent: int) -> Iterator[Line]:
    width = gutter + grid.columns
    most = pool.most_queued
    yield _heading(clean(pool.title), f"{pool.limit}: {_used(pool)}", theme, width)
    drawn = [row for row in pool.rows if row.bars]
    for row, line in zip(grid.rows, row_lines(grid, theme, gutter), strict=True):
        yield line if row.size > 1 else _with_holders(line, drawn[row.first], grid.column_ns)
    if grid.folded:
        words = f"+{count(grid.folded, 'connection')} folded, up to {grid.fold:,} to a row"
        yield text_line(fit(words, width, theme.ellipsis), DIM)
    if most:
        values = column_values(pool.queued, grid.columns, grid.column_ns, extent)
        yield bars_line("queued", values, most, Shade.POOL, theme, gutter)


def _used(pool: PoolSection) -> str:
    parts = [
        f"{count(len(pool.rows), 'connection')} opened" if pool.rows else "no connection was opened",
        f"up to {pool.most_queued:,} queued" if pool.queued else "",
        f"refused {count(pool.refused, 'time')}" if pool.refused else "",
        pool.where,
    ]
    return ", ".join(filter(None, parts))


def _with_holders(line: Line, row: ChartRow, column_ns: int) -> Line:
    """Return the line of a connection, with its holder in each stretch that has room for the name."""
    names: dict[int, str] = {}
    for stretch in row.bars:
        first, last = -(-stretch.start_ns // column_ns), stretch.end_ns // column_ns
        if stretch.shade is Shade.HELD:
            # A cell of texture stays on both sides, to keep adjacent stretches apart.
            fitting = (name for name in holder_names(stretch.why) if cell_len(name) + 2 <= last - first)
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
    values = list(column_values(curve.points, above.columns, above.column_ns, extent))
    for line in range(height):
        low = (height - 1 - line) / height
        label = size(most) if line == 0 else "0" if line == height - 1 else ""
        bars = "".join(_part(value, most, low, height, theme) for value in values)
        yield [
            Segment(fit(label.rjust(gutter - 2), gutter - 2, theme.ellipsis) + theme.side + " ", DIM),
            Segment(bars, _MEMORY),
        ]


def _part(value: int, most: int, low: float, height: int, theme: Theme) -> str:
    """Return a value's glyph in one line of a curve of ``height`` lines; ``low``: its lower edge, 0 to 1."""
    if value <= 0 or not most:
        return theme.bars[0]
    amount = min(max((value / most - low) * height, 0), 1)
    return theme.bar(amount, 1) if low == 0 or amount * (len(theme.bars) - 1) >= 0.5 else theme.bars[0]


def _heading(name: str, words: str, theme: Theme, width: int) -> Line:
    name = fit(name, width, theme.ellipsis)
    return [
        Segment(name, EMPHASIS),
        Segment(fit(f"  {words}", width - cell_len(name), theme.ellipsis), DIM),
    ]


@dataclass(frozen=True, slots=True)
class Counted:
    """One line of bars. ``heading`` is above it if it is its resource's first."""

    heading: str
    label: str
    shade: Shade
    levels: Sequence[Level]
    most: int


def counted(run: Run) -> tuple[Counted, ...]:
    """Return open rows, then every resource that was used. Times count from the first row's open."""
    zero = open_ns(run)

    def of(heading: str, label: str, shade: Shade, changes: Iterable[Level]) -> Counted:
        shown = [(at - zero, level) for at, level in changes]
        return Counted(heading, label, shade, shown, max((level for _, level in shown), default=0))

    found = [of("", "open", Shade.RUNNING, levels(run.rows))]
    for resource, series in resource_levels(run):
        if resource.site is not None and resource.site.installed and "queued" not in series:
            continue  # a library's internal resource, and nothing had to wait for it
        heading = _about(resource)
        for what, changes in series.items():
            found.append(of(heading, what, _SHADES[what], changes))
            heading = ""
    return tuple(found)


def count_label(one: Counted, theme: Theme) -> str:
    """Return its name and the value of a full bar."""
    return f" {one.label} {theme.bars[-1]}{one.most:,}"


def count_lines(counts: Sequence[Counted], window: Window, theme: Theme, gutter: int) -> Iterator[Line]:
    for one in counts:
        if one.heading:
            yield text_line(fit(one.heading, gutter + window.columns, theme.ellipsis), DIM)
        values = column_values(one.levels, window.columns, window.column_ns, window.end_ns, window.start_ns)
        yield [
            Segment(fit(count_label(one, theme), gutter - 1, theme.ellipsis, pad=True) + " ", DIM),
            Segment("".join(theme.bar(value, one.most) for value in values), theme.shade_style(one.shade)),
        ]


def _about(resource: Resource) -> str:
    name = f"{clean(resource.name)} {resource.kind} {clean(resource.label)}".strip()
    limit = "no limit" if resource.limit is None else f"limit {resource.limit:,}"
    where = place(resource.site)
    return f"{name}: {limit}" + (f", made at {where}" if where else "")
