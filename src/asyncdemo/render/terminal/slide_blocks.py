"""What slides are made of: paragraphs, code, figures in block letters, facts. Bold, and nothing dim.

Not for: how blocks share a screen (``slides``).
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest

from rich.cells import cell_len, chop_cells
from rich.segment import Segment
from rich.style import Style

from asyncdemo.render.terminal.block_text import block_letters
from asyncdemo.render.terminal.draw import Line, text_line
from asyncdemo.render.terminal.theme import COLOURS, EMPHASIS, WARNING, Theme
from asyncdemo.render.timeline.grid import Shade
from asyncdemo.render.words import fit

__all__ = ["ALARM", "MARKED", "Block", "Code", "Figures", "Row", "Words", "block_lines", "prose"]

MARKED = Style(bold=True, color=COLOURS[Shade.RUNNING])
ALARM = WARNING
"""Of the colours of the theme these two stand out on light and on dark; the others on one of them."""

_LABEL = 16
_APART = 6
"""Cells between two figures."""


@dataclass(frozen=True, slots=True)
class Words:
    """A paragraph; `code` in it is marked. mark: stands in front of it, as that of a list."""

    text: str
    mark: str = ""
    style: Style = EMPHASIS


@dataclass(frozen=True, slots=True)
class Code:
    """Lines that must not be wrapped."""

    text: str


@dataclass(frozen=True, slots=True)
class Figures:
    """(label, value) next to each other, in block letters if they can be."""

    items: tuple[tuple[str, str], ...]
    style: Style = MARKED


@dataclass(frozen=True, slots=True)
class Row:
    """A fact: a label and a value. Rows that follow each other stand without a line between them."""

    label: str
    value: str
    style: Style = EMPHASIS


Block = Words | Code | Figures | Row


def prose(markdown: str) -> list[Block]:
    """The Markdown of a lesson: paragraphs, lists and code. Links and emphasis become their words."""
    blocks: list[Block] = []
    for at, part in enumerate(
        re.split(r"^[ ]*```.*\n((?:.*\n)*?)[ ]*```[ ]*$", markdown, flags=re.MULTILINE)
    ):
        if at % 2:
            blocks.append(Code(textwrap.dedent(part).rstrip()))
            continue
        for paragraph in re.split(r"\n\s*\n|\n(?=[ ]*(?:[-*]|[0-9]+\.) )", part):
            text = " ".join(paragraph.split())
            item = re.match(r"([-*]|[0-9]+\.) (.*)", text)
            if item:
                blocks.append(Words(_plain(item[2]), mark="-" if item[1] in "-*" else item[1]))
            elif text:
                blocks.append(Words(_plain(text)))
    return blocks


def _plain(text: str) -> str:
    """Without the marks of links and of emphasis; those of code stay, and what is in it."""
    parts = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).split("`")
    parts[::2] = [re.sub(r"(\*{1,2})(\S(?:[^*]*\S)?)\1", r"\2", part) for part in parts[::2]]
    return "`".join(parts)


def block_lines(block: Block, theme: Theme, width: int, size: int, leading: int) -> list[Line]:
    """leading: empty lines between those of a paragraph."""
    if isinstance(block, Code):
        return [[Segment(fit(line, width, theme.ellipsis), EMPHASIS)] for line in block.text.split("\n")]
    if isinstance(block, Figures):
        return _figures(block, theme, width, size)
    if isinstance(block, Row):
        label = min(_LABEL, width // 3)
        return _hanging(
            fit(block.label, label - 1, theme.ellipsis),
            label,
            _wrapped(block.value, width - label, block.style),
            0,
        )
    mark = {"-": theme.dot}.get(block.mark, block.mark)
    indent = cell_len(mark) + 2 if mark else 0
    return _hanging(mark, indent, _wrapped(block.text, width - indent, block.style), leading)


def _hanging(mark: str, indent: int, lines: Iterable[Line], leading: int) -> list[Line]:
    drawn: list[Line] = []
    for at, line in enumerate(lines):
        drawn += [[] for _ in range(leading if at else 0)]
        drawn.append([Segment(("" if at else mark).ljust(indent), EMPHASIS), *line] if indent else line)
    return drawn


def _figures(block: Figures, theme: Theme, width: int, size: int) -> list[Line]:
    for tried in range(size, -1, -1):
        letters = [_in_one_line(value, width, tried, theme.parts[-1]) for _, value in block.items]
        columns = [
            [text_line(label, EMPHASIS), [], *(text_line(row, block.style) for row in rows)]
            for (label, _), rows in zip(block.items, letters, strict=True)
            if rows
        ]
        widths = [max(map(_width, column)) for column in columns]
        if len(columns) == len(block.items) and sum(widths) + _APART * (len(widths) - 1) <= width:
            break
    else:
        each = max((width - _APART * (len(block.items) - 1)) // len(block.items), 1)
        widths = [each] * len(block.items)
        columns = [
            [*_wrapped(label, each, EMPHASIS), *_wrapped(value, each, block.style)]
            for label, value in block.items
        ]
    lines: list[Line] = []
    for parts in zip_longest(*columns, fillvalue=[]):
        line: Line = []
        for part, its_width in zip(parts[:-1], widths, strict=False):
            line += Segment.adjust_line_length(list(part), its_width + _APART)
        lines.append([*line, *parts[-1]])
    return lines


def _width(line: Line) -> int:
    return sum(cell_len(segment.text) for segment in line)


def _in_one_line(value: str, width: int, size: int, full: str) -> list[str] | None:
    letters = block_letters(value, width, size, full)
    return letters if letters and "" not in letters else None


def _wrapped(text: str, width: int, style: Style) -> list[Line]:
    """Broken between words, in a word that is longer than the line too; `code` is marked."""
    width = max(width, 1)
    lines: list[Line] = [[]]
    used = 0
    for word in _words(text, style):
        needed = sum(cell_len(part.text) for part in word)
        if used and used + 1 + needed > width:
            lines.append([])
            used = 0
        if used:
            # The space between two words of code belongs to it, for those who draw a background.
            lines[-1].append(Segment(" ", style))
            used += 1
        for part in word:
            for piece in chop_cells(part.text, width) if needed > width else [part.text]:
                if used and used + cell_len(piece) > width:
                    lines.append([])
                    used = 0
                lines[-1].append(Segment(piece, part.style))
                used += cell_len(piece)
    return lines


def _words(text: str, style: Style) -> list[list[Segment]]:
    words: list[list[Segment]] = [[]]
    for at, part in enumerate(text.split("`")):
        for place, piece in enumerate(re.split(r"\s+", part)):
            if place:
                words.append([])
            if piece:
                words[-1].append(Segment(piece, MARKED if at % 2 else style))
    return [word for word in words if word]
