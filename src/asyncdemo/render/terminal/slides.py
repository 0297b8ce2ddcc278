"""Slides for a projector: a large heading and few rows. Lines, not a terminal.

A slide does not depend on the screen's size. ``pages`` lays it out as spaciously as the height allows, on
several pages if it doesn't fit on one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rich.segment import Segment
from rich.style import Style

from asyncdemo.model import Run
from asyncdemo.render.facts.runs import empty_words
from asyncdemo.render.terminal.block_text import block_letters
from asyncdemo.render.terminal.draw import (
    Line,
    cell_marks,
    end_marks,
    gutter_width,
    legend_lines,
    text_line,
    timeline_lines,
    title_line,
)
from asyncdemo.render.terminal.sections import sections_of
from asyncdemo.render.terminal.slide_blocks import (
    MARKED,
    Answer,
    Block,
    Figures,
    Programs,
    Row,
    block_lines,
    spread,
)
from asyncdemo.render.terminal.theme import Theme
from asyncdemo.render.timeline.curves import memory_curves, most_of
from asyncdemo.render.timeline.grid import Grid, Shade
from asyncdemo.render.timeline.layout import column_ns, extent_ns, lay_out_run, noun
from asyncdemo.render.words import duration, status, title
from asyncdemo.render.wrapping import wrap

PITCH = 4
"""Lines from one lane to the next, if there is room."""


_WIDEST = 100
"""Longer lines of text are hard to read from a distance."""
_THIN = "─"

_LAYOUTS = (
    (2, 2, 1),
    (1, 2, 1),
    (1, 2, 0),
    (1, 1, 0),
    (0, 2, 0),
    (0, 1, 0),
    (-1, 1, 0),
    (-1, 0, 0),
)
"""Size of the letters, lines between blocks, lines between those of a paragraph; most spacious first."""
_COUNTS = 3
"""The most lines for counts of folded lanes."""
_TALL = 30
"""Minimum height of a screen for letters twice as large."""


@dataclass(frozen=True, slots=True)
class Slide:
    heading: str
    blocks: tuple[Block, ...]


def pages(slide: Slide, theme: Theme, width: int, height: int) -> list[list[Line]]:
    """Return the slide on pages of that size: one, if any layout fits; the most spacious that does."""
    inside = max(min(width - 4, _WIDEST), 1)
    whole = any(isinstance(block, Programs) for block in slide.blocks)
    left = 2 if whole else max(min((width - inside) // 2, width // 6), 0)
    wide = max(width - left - 2, 1)  # letters are read one by one, however long the line is
    room = max(height - 1, 1)  # a line is left free at the top
    parts = list(spread(slide.blocks, wide))
    drawn: list[list[Line]] = []
    for size, gap, leading in _LAYOUTS:
        if size > 0 and height < _TALL * size:
            continue
        heading = _heading(slide.heading, theme, wide, size)
        if size >= 0 and not _has_room(heading, gap, room):
            continue
        blocks = [
            block_lines(
                block, theme, wide if isinstance(block, Figures | Programs) else inside, max(size, 0), leading
            )
            for block in parts
        ]
        drawn = _split(heading, list(_spaced(parts, blocks, gap)), room, gap)
        if len(drawn) == 1:
            break
        if size <= 0 and gap == 1 and len(heading) * 4 <= room:
            break  # a second page is better than a cramped one
    return [[[], *([Segment(" " * left), *line] if line else [] for line in page)] for page in drawn]


def timeline(run: Run, scale: Sequence[Run], theme: Theme, width: int, height: int) -> list[Line]:
    """Return one run on a screen, on the time scale of several: at most ``height`` lines."""
    head = title_line(title(run), f"{duration(extent_ns(run))}, {status(run)}", theme, width)
    if not run.rows:
        return [bright(line) for line in (head, [], text_line(empty_words(run)))][:height]
    ends = end_marks(theme, {row.outcome for row in run.rows}, noun(run))
    most = max(height - 3 - len(legend_lines(theme, width, ends)) - 1, 1)
    gutter = gutter_width([row.name for row in run.rows[:most]], len(run.rows), most, width, bool(ends))
    column = column_ns(scale, width - gutter)
    above = lay_out_run(run, width - gutter, 1, column)
    below, pools = _below(run, theme, gutter, above, most)
    shades = above.shades.union(*(pool.shades for pool in pools))
    # The marks for short states are known only after drawing, so one more line is reserved for them.
    marks = len(legend_lines(theme, width, [*ends, *cell_marks(theme, pools)], shades))
    room = max(height - 4 - marks - len(below), 1)
    pitch = max((pitch for pitch in range(1, PITCH + 1) if len(run.rows) * pitch <= room), default=1)
    counts = 0 if len(run.rows) <= room else min(_COUNTS, room // 4)
    rows = room if len(run.rows) <= room else max(room - 1 - counts, 1)
    grid = lay_out_run(run, width - gutter, rows, column)
    picture = [head, *timeline_lines(grid, theme, gutter, counts, pitch), *below]
    legend = legend_lines(theme, width, [*cell_marks(theme, [grid, *pools]), *ends], shades)
    return [bright(line) for line in (*picture, [], *legend)][:height]


def _below(run: Run, theme: Theme, gutter: int, above: Grid, room: int) -> tuple[list[Line], list[Grid]]:
    """Return pools and memory, if the rows get half of the room or as much as they need; else nothing."""
    most = most_of([memory_curves(run)])
    for pool_rows, curve_height in ((8, 3), (5, 2)):
        lines, grids = sections_of(run, theme, gutter, above, most, pool_rows, curve_height)
        if len(lines) <= max(room // 2, room - len(run.rows)):
            return lines, grids
    return [], []


def bright(line: Line) -> Line:
    """Remove dimming: grey is invisible on a projector. Textures and colours stay."""
    return [
        Segment(text, Style(bold=True, color=None if style is None else style.color), control)
        for text, style, control in line
    ]


def projected(theme: Theme) -> Theme:
    """Return the theme with a heavier line for waiting, the thinnest of the textures."""
    waiting = {_THIN: "━"}.get(theme.textures[Shade.WAITING], theme.textures[Shade.WAITING])
    return replace(theme, textures={**theme.textures, Shade.WAITING: waiting})


def _heading(text: str, theme: Theme, width: int, size: int) -> list[Line]:
    """Return the heading. ``size`` is as in ``block_letters``, -1 for one bold line."""
    letters = block_letters(text.upper(), width, size, theme.parts[-1]) if size >= 0 else None
    if letters is None and size > 0:
        return _heading(text, theme, width, size - 1)
    if letters is None:
        return [[Segment(line, MARKED)] for line in wrap(text.upper(), width)]
    return [[Segment(line, MARKED)] for line in letters]


def _spaced(
    blocks: Sequence[Block], drawn: Sequence[list[Line]], gap: int
) -> Iterator[tuple[int, list[Line]]]:
    """Yield (empty lines in front of it, the block)."""
    before: Block | None = None
    for block, lines in zip(blocks, drawn, strict=True):
        together = isinstance(block, Row | Answer) and isinstance(before, type(block))
        yield (gap - 1 if together and gap else gap), lines
        before = block


def _has_room(heading: list[Line], gap: int, room: int) -> bool:
    """Return whether there is room for at least one line below it."""
    return len(heading) + 1 + gap < room


def _split(
    heading: list[Line], blocks: Sequence[tuple[int, list[Line]]], room: int, gap: int
) -> list[list[Line]]:
    """Split blocks only if necessary. The heading is on every page, unless it would fill it."""
    head = heading if _has_room(heading, gap, room) else []
    done: list[list[Line]] = []
    page = list(head)
    for space, lines in blocks:
        if len(page) > len(head) and len(page) + space + len(lines) > room:
            done.append(page)
            page = list(head)
        page += [[] for _ in range(space if page else 0)] + lines
        while len(page) > room:
            done.append(page[:room])
            page = [*head, *([[]] if head else []), *page[room:]]
    return [*done, page]
