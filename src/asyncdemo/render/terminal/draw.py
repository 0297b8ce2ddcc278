"""Grids as lines of a terminal: axis, rows, counts, legend. The live view and the report both use it.

A line is a list of Rich segments without a newline. Not for: which facts to tell (``facts``),
when to draw (``live``, ``report``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.segment import Segment
from rich.style import Style

from asyncdemo.render.terminal.theme import CODE, DIM, EMPHASIS, Theme
from asyncdemo.render.timeline.grid import SHADES, Grid, Row, Shade
from asyncdemo.render.timeline.layout import tick_ns
from asyncdemo.render.timeline.legend import LEGEND, LEGEND_OF_CAUSES, SHADE_TERMS
from asyncdemo.render.words import clean, count, end_words, fit, fit_label, lane_range, moment, whole

Line = list[Segment]

_GAP = 3
_SIDE_BY_SIDE = 100
"""Narrower terminals show panels below each other."""
_NARROWEST = 44
_PICTURE = 56
"""Cells of a picture from which on long names get what is left."""
_TICK_ROOM = 9
"""Cells that one label of the axis wants for itself."""

_COUNTED = SHADES[: Shade.CLOSED]


class Lines:
    """Lines as something a Rich console can print."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self.lines = list(lines)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in self.lines:
            yield from line
            yield Segment.line()


def text_line(text: str, style: Style | None = None) -> Line:
    return [Segment(text, style)]


def prose(parts: Sequence[str], style: Style | None = None) -> Iterator[Line]:
    """A wrapped text in lines; code, which stands between backticks, has a style instead of them."""
    is_code = False
    for part in parts:
        line: Line = []
        for at, piece in enumerate(part.split("`")):
            is_code ^= at > 0
            if piece:
                line.append(Segment(piece, CODE if is_code else style))
        yield line


def panel_width(panels: int, width: int) -> tuple[int, bool]:
    """(the width of each, whether they stand side by side)."""
    each = (width - _GAP * (panels - 1)) // max(panels, 1)
    if panels > 1 and width >= _SIDE_BY_SIDE and each >= _NARROWEST:
        return each, True
    return width, False


def shared_heights(wanted: Sequence[int], room: int, least: int) -> list[int]:
    """Of panels below each other: who wants little gets it, the others share the rest."""
    shares = [0] * len(wanted)
    in_order = sorted(range(len(wanted)), key=wanted.__getitem__)
    for place, index in enumerate(in_order):
        shares[index] = max(min(wanted[index], room // (len(in_order) - place)), least)
        room -= min(shares[index], wanted[index])
    return shares


def gutter_width(names: Iterable[str], lanes: int, rows: int, width: int, marked: bool = False) -> int:
    """Cells for the names of the rows: as many as they need, if enough are left for the picture.

    names: of the lanes or requests that may have a row of their own. lanes: how many there are in all.
    marked: whether there is a mark behind some of the names.
    """
    longest = max((cell_len(clean(name)) for name in names), default=0)
    if lanes > rows:
        longest = max(longest, len(lane_range(lanes - 2, 2)), len(" waiting █") + len(f"{lanes:,}"))
    most = max(width // 4, min(width - _PICTURE, width // 2))
    return max(min(longest + 2 + 2 * marked, most), min(8, width // 4))


def title_line(name: str, status: str, theme: Theme, width: int) -> Line:
    """The name, a rule, and what it is doing."""
    name = clean(name)
    # Of a narrow line the name gets a third, the status the rest.
    status = fit(status, max(width - 6 - min(cell_len(name), width // 3), 0), theme.ellipsis)
    name = fit(name, max(width - cell_len(status) - 6, 1), theme.ellipsis)
    rule = theme.rule * (width - cell_len(name) - cell_len(status) - 5)
    return _cut(
        [
            Segment(theme.rule * 2 + " ", DIM),
            Segment(name, EMPHASIS),
            Segment(f" {rule} " if status else f" {rule}{theme.rule * 2}", DIM),
            Segment(status),
        ],
        width,
    )


def timeline_lines(
    grid: Grid, theme: Theme, gutter: int, counts: int = len(_COUNTED), pitch: int = 1
) -> Iterator[Line]:
    """The axis, a line for each row, and where rows are folded how many lanes did what.

    counts: the most lines for that, below the one that says that rows are folded. pitch: lines from one
    row to the next; of more than one the last is empty.
    """
    yield _axis(grid, theme, gutter)
    for line in row_lines(grid, theme, gutter):
        yield line
        for _ in range(pitch - 2):
            yield [Segment(" " * gutter), *line[1:]]
        if pitch > 1:
            yield []
    if grid.folded:
        yield from _counts(grid, theme, gutter, counts)


def row_lines(grid: Grid, theme: Theme, gutter: int) -> Iterator[Line]:
    """A line for each row, and nothing else."""
    return (_row(row, theme, gutter) for row in grid.rows)


def end_marks(theme: Theme, ended: Collection[str], noun: str = "lane") -> list[tuple[str, str]]:
    """(mark, what it says) of the ways in which rows ended, for the legend. noun: what they are."""
    return [(mark, end_words(end, noun)) for end, mark in theme.ends.items() if end in ended]


def cell_marks(theme: Theme, grids: Sequence[Grid]) -> list[tuple[str, str]]:
    """(mark, what it says) of the glyphs for what is shorter than a cell, for the legend."""
    single = (row for grid in grids for row in grid.rows if row.size == 1)
    short = {cell.shade for row in single for cell in row.cells if theme.is_part(cell)}
    words = {
        Shade.RUNNING: (theme.parts[0], "ran briefly"),
        Shade.BLOCKING: (theme.blocked_a_little, "blocked briefly"),
        Shade.HELD: (theme.held_a_little, "held briefly"),
    }
    folded = any(grid.folded for grid in grids)
    density = (theme.densities[1] + theme.densities[4] + theme.densities[8], "few to all of a row at work")
    return [mark for shade, mark in words.items() if shade in short] + [density] * folded


def legend_lines(
    theme: Theme,
    width: int,
    marks: Iterable[tuple[str, str]] = (),
    shades: Collection[Shade] = (),
    *,
    brief: bool = False,
) -> list[Line]:
    """The meaning of textures, in the fewer words if the more do not fit in one line; and of marks.

    shades: those that occur, so that causes are told only where there are some.
    brief: tell only those.
    """
    room = sum(3 + 1 + len(long) + 3 for _, long in LEGEND.values())
    always = () if brief else LEGEND
    told = {
        shade: words
        for shade, words in (LEGEND | LEGEND_OF_CAUSES).items()
        if shade in always or shade in shades
    }
    lines: list[Line] = [[]]
    used = 0
    entries: list[tuple[str, Style | None, str]]
    entries = [
        (theme.textures[shade] * 3, theme.shade_style(shade), long if room <= width else short)
        for shade, (short, long) in told.items()
    ]
    entries += [(mark, None, words) for mark, words in marks]
    for glyphs, style, words in entries:
        needed = len(glyphs) + 1 + len(words)
        if used and used + needed > width:
            lines.append([])
            used = 0
        lines[-1] += [Segment(glyphs, style), Segment(f" {words}   ", DIM)]
        used += needed + 3
    return [_cut(line, width) for line in lines]


def beside(blocks: Sequence[Sequence[Line]], width: int) -> Iterator[Line]:
    """Blocks of lines next to each other, each ``width`` cells wide."""
    height = max(map(len, blocks), default=0)
    for at in range(height):
        line: Line = []
        for column, block in enumerate(blocks):
            last = column == len(blocks) - 1
            part = list(block[at]) if at < len(block) else []
            line += part if last else Segment.adjust_line_length(part, width + _GAP)
        yield line


def _axis(grid: Grid, theme: Theme, gutter: int) -> Line:
    scale = grid.columns * grid.column_ns
    step = tick_ns(scale, max(grid.columns // _TICK_ROOM, 2))
    text = ""
    first = -(-grid.origin_ns // step) * step
    for tick in range(first, grid.origin_ns + scale, step):
        at = (tick - grid.origin_ns) // grid.column_ns
        label = theme.tick + (moment(tick, step) if tick else "0")
        if at >= len(text) and at + len(label) <= grid.columns:
            text = text.ljust(at) + label
    return [Segment(" " * gutter), Segment(text.ljust(grid.columns), DIM)]


def _row(row: Row, theme: Theme, gutter: int) -> Line:
    label = clean(row.label) or lane_range(row.first, row.size)
    end = theme.ends.get(row.ended, "")
    if end:
        label = fit_label(label, gutter - 1 - cell_len(end) - 1, theme.ellipsis) + " " + end
    line = [
        Segment(fit_label(label, gutter - 1, theme.ellipsis, pad=True) + " ", DIM if row.size > 1 else None)
    ]
    folded = row.size > 1
    run, style = "", None
    glyph, before = "", None
    for cell in row.cells:
        if cell is not before:  # a long state is one cell, many times
            before, glyph = cell, theme.density(cell) if folded else theme.glyph(cell)
            its_style = theme.shade_style(cell.shade)
            if its_style is not style:
                if run:
                    line.append(Segment(run, style))
                run, style = "", its_style
        run += glyph
    if run:
        line.append(Segment(run, style))
    return line


def _counted(grid: Grid) -> Iterator[tuple[Shade, int]]:
    """(shade, how many were in it, at least, at the busiest time): whole lanes, though cells are averages."""
    for shade in _COUNTED:
        most = max((counts[shade] for counts in grid.totals), default=0)
        if most > 0:
            yield shade, whole(most)


def _counts(grid: Grid, theme: Theme, gutter: int, most_lines: int) -> Iterator[Line]:
    folded = f"+{count(grid.folded, grid.noun)} folded, up to {grid.fold:,} to a row"
    words = f"{folded}; of all {grid.lanes:,}, on average:"
    yield text_line(fit(words, gutter + grid.columns, theme.ellipsis), DIM)
    counted = list(_counted(grid))
    # What few are in is left out first, but never what blocks.
    weights = {shade: (shade is Shade.BLOCKING, most) for shade, most in counted}
    kept = set(sorted(weights, key=weights.__getitem__, reverse=True)[:most_lines])
    for shade, most in counted:
        if shade not in kept:
            continue
        bars = "".join(theme.bar(counts[shade], most) for counts in grid.totals)
        label = f" {SHADE_TERMS[shade]}"
        room = max(gutter - 1 - len(label), 0)
        top = f"{theme.bars[-1]}{most:,}"
        label += top.rjust(room) if len(top) < room else ""
        yield [
            Segment(fit(label, gutter - 1, theme.ellipsis, pad=True) + " ", DIM),
            Segment(bars, theme.shade_style(shade)),
        ]


def _cut(line: Line, width: int) -> Line:
    return Segment.adjust_line_length(line, max(width, 0), pad=False)
