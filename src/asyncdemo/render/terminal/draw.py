"""Grids as lines of a terminal: axis, rows, counts, legend. The live view and the report both use it.

A line is a list of Rich segments without a newline.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from asyncdemo.render.terminal.theme import CODE, DIM, EMPHASIS, Theme
from asyncdemo.render.timeline.grid import SHADES, Grid, Row, Shade
from asyncdemo.render.timeline.layout import tick_ns
from asyncdemo.render.timeline.legend import LEGEND, LEGEND_OF_CAUSES, SHADE_TERMS
from asyncdemo.render.words import count, end_words, fit, fit_label, moment, whole
from asyncdemo.safe_text import clean

if TYPE_CHECKING:  # loading it takes longer than the rest of Rich, and a page only draws
    from rich.console import Console, ConsoleOptions, RenderResult

Line = list[Segment]

_GAP = 3
_SIDE_BY_SIDE = 100
"""Narrower terminals show panels below each other."""
_NARROWEST = 44
_PICTURE = 56
"""Width of a picture that leaves the rest to long names; on a narrow line, they get a third."""
_TICK_ROOM = 9
"""Cells for each label of the axis."""

_COUNTED = SHADES[: Shade.CLOSED]


class Lines:
    """Lines as a Rich renderable."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self.lines = list(lines)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in self.lines:
            yield from line
            yield Segment.line()


def text_line(text: str, style: Style | None = None) -> Line:
    return [Segment(text, style)]


def prose(parts: Sequence[str], style: Style | None = None) -> Iterator[Line]:
    """Yield the lines of a wrapped text; text between backticks is styled as code, without the backticks."""
    is_code = False
    for part in parts:
        line: Line = []
        for at, piece in enumerate(part.split("`")):
            is_code ^= at > 0
            if piece:
                line.append(Segment(piece, CODE if is_code else style))
        yield line


def hanging(mark: str, lines: Iterable[Line], style: Style | None = None, leading: int = 0) -> Iterator[Line]:
    """Yield lines with the mark before the first, and spaces before the others, ``leading`` lines apart."""
    for at, line in enumerate(lines):
        yield from ([] for _ in range(leading if at else 0))
        yield [Segment(" " * cell_len(mark) if at else mark, style), *line]


def panel_width(panels: int, width: int) -> tuple[int, bool]:
    """Return (the width of each, whether they are side by side)."""
    each = (width - _GAP * (panels - 1)) // max(panels, 1)
    if panels > 1 and width >= _SIDE_BY_SIDE and each >= _NARROWEST:
        return each, True
    return width, False


def shared_heights(wanted: Sequence[int], room: int, least: int) -> list[int]:
    """Divide the room among panels below each other: small ones get all they want, others share the rest."""
    shares = [0] * len(wanted)
    in_order = sorted(range(len(wanted)), key=wanted.__getitem__)
    for place, index in enumerate(in_order):
        shares[index] = max(min(wanted[index], room // (len(in_order) - place)), least)
        room -= min(shares[index], wanted[index])
    return shares


def gutter_width(names: Iterable[str], lanes: int, rows: int, width: int, marked: bool = False) -> int:
    """Return the width for row names: as wide as needed, if enough is left for the picture.

    ``names`` are those of lanes or requests that may have their own row; ``lanes`` is how many there are in
    total. With ``marked``, some of the names have a mark after them.
    """
    longest = max((cell_len(clean(name)) for name in names), default=0)
    if lanes > rows:
        digits = len(f"{lanes:,}")
        longest = max(longest + 1 + digits, len(" waiting █") + digits)
    most = max(width // 3, min(width - _PICTURE, width // 2))
    return max(min(longest + 2 + 2 * marked, most), min(8, width // 4))


def title_room(name: str, width: int) -> int:
    """Return the width for a status: on a narrow line, the name gets a third."""
    return max(width - 6 - min(cell_len(clean(name)), width // 3), 0)


def title_line(name: str, status: str, theme: Theme, width: int) -> Line:
    """Return the name, a rule, and the status."""
    status = fit(status, title_room(name, width), theme.ellipsis)
    name = clean(name)
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
    """Yield the axis, a line for each row, and if rows are folded, how many lanes did what.

    ``counts`` limits the lines for that, below the one that says that rows are folded. ``pitch`` is the
    distance between rows in lines; if above one, the last line is empty.
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
    """Yield a line for each row, and nothing else."""
    return (_row(row, theme, gutter) for row in grid.rows)


def end_marks(theme: Theme, ended: Collection[str], noun: str = "lane") -> list[tuple[str, str]]:
    """Return (mark, meaning) of the ways in which rows ended, for the legend. ``noun`` names the rows."""
    return [(mark, end_words(end, noun)) for end, mark in theme.ends.items() if end in ended]


def cell_marks(theme: Theme, grids: Sequence[Grid], unfold: str = "") -> list[tuple[str, str]]:
    """Return (mark, meaning) of the glyphs for what is shorter than a cell, or of folded rows.

    ``unfold`` says how to see each of these rows.
    """
    single = (row for grid in grids for row in grid.rows if row.size == 1)
    short = {cell.shade for row in single for cell in row.cells if theme.is_part(cell)}
    words = {
        Shade.RUNNING: (theme.parts[0], "ran briefly"),
        Shade.BLOCKING: (theme.blocked_a_little, "blocked briefly"),
        Shade.HELD: (theme.held_a_little, "held briefly"),
    }
    folded = any(grid.folded for grid in grids)
    few_to_all = theme.densities[1] + theme.densities[4] + theme.densities[8]
    density = (few_to_all, f"few to all of a row at work{unfold and f' ({unfold})'}")
    return [mark for shade, mark in words.items() if shade in short] + [density] * folded


def legend_lines(
    theme: Theme,
    width: int,
    marks: Iterable[tuple[str, str]] = (),
    shades: Collection[Shade] = (),
    *,
    brief: bool = False,
) -> list[Line]:
    """Return the meanings of textures, abbreviated if they don't fit in one line, and of marks.

    ``shades`` are those that occur. Causes appear only if they occur; with ``brief``, so do states.
    """
    room = sum(3 + 1 + len(long) + 3 for _, long in LEGEND.values())
    always = () if brief else LEGEND
    texts = {
        shade: words
        for shade, words in (LEGEND | LEGEND_OF_CAUSES).items()
        if shade in always or shade in shades
    }
    lines: list[Line] = [[]]
    used = 0
    entries: list[tuple[str, Style | None, str]]
    entries = [
        (theme.textures[shade] * 3, theme.shade_style(shade), long if room <= width else short)
        for shade, (short, long) in texts.items()
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


def legend_of(
    grids: Sequence[Grid], theme: Theme, width: int, *, brief: bool = False, unfold: str = ""
) -> list[Line]:
    """Return the legend for what occurs in some grids. The first of them says what the rows are."""
    ended = {row.ended for grid in grids for row in grid.rows}
    shades = {shade for grid in grids for shade in grid.shades}
    marks = [*cell_marks(theme, grids, unfold), *end_marks(theme, ended, grids[0].noun)]
    return legend_lines(theme, width, marks, shades, brief=brief)


def beside(blocks: Sequence[Sequence[Line]], width: int) -> Iterator[Line]:
    """Yield blocks of lines side by side, each ``width`` cells wide."""
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
    step = tick_ns(scale, max(round(grid.columns / _TICK_ROOM), 2))
    text = ""
    first = -(-grid.origin_ns // step) * step
    for tick in range(first, grid.origin_ns + scale, step):
        at = (tick - grid.origin_ns) // grid.column_ns
        label = theme.tick + (moment(tick, step) if tick else "0")
        if at >= len(text) and at + len(label) <= grid.columns:
            text = text.ljust(at) + label
    return [Segment(" " * gutter), Segment(text.ljust(grid.columns), DIM)]


def _row(row: Row, theme: Theme, gutter: int) -> Line:
    label = clean(row.label)
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
        if cell is not before:  # a long state is the same cell object, many times
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
    """Yield (shade, how many lanes at least at its busiest time): whole lanes, from cell averages."""
    for shade in _COUNTED:
        most = max((counts[shade] for counts in grid.totals), default=0)
        if most > 0:
            yield shade, whole(most)


def _counts(grid: Grid, theme: Theme, gutter: int, most_lines: int) -> Iterator[Line]:
    folded = f"+{count(grid.folded, grid.noun)} folded, up to {grid.fold:,} to a row"
    words = f"{folded}; of all {grid.lanes:,}, on average:"
    yield text_line(fit(words, gutter + grid.columns, theme.ellipsis), DIM)
    counted = list(_counted(grid))
    # The smallest counts are left out first, but never blocking.
    weights = {shade: (shade is Shade.BLOCKING, most) for shade, most in counted}
    kept = set(sorted(weights, key=weights.__getitem__, reverse=True)[:most_lines])
    for shade, most in counted:
        if shade not in kept:
            continue
        values = (counts[shade] for counts in grid.totals)
        yield bars_line(SHADE_TERMS[shade], values, most, shade, theme, gutter)


def bars_line(name: str, values: Iterable[float], most: int, shade: Shade, theme: Theme, gutter: int) -> Line:
    """Return a bar for each of the values. A full one stands for ``most``, which the label says."""
    label, top = f" {name}", f"{theme.bars[-1]}{most:,}"
    room = max(gutter - 1 - len(label), 0)
    label += top.rjust(room) if len(top) < room else ""
    return [
        Segment(fit(label, gutter - 1, theme.ellipsis, pad=True) + " ", DIM),
        Segment("".join(theme.bar(value, most) for value in values), theme.shade_style(shade)),
    ]


def _cut(line: Line, width: int) -> Line:
    return Segment.adjust_line_length(line, max(width, 0), pad=False)
