"""The blocks of slides: paragraphs, code, figures in block letters, facts, votes. Bold, and nothing dim."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest

from rich.cells import cell_len, chop_cells
from rich.segment import Segment
from rich.style import Style

from asyncdemo.render.terminal.block_text import block_letters
from asyncdemo.render.terminal.draw import Line, beside, hanging, text_line
from asyncdemo.render.terminal.theme import COLOURS, EMPHASIS, WARNING, Theme
from asyncdemo.render.timeline.grid import Shade
from asyncdemo.render.words import fit
from asyncdemo.render.wrapping import break_code

MARKED = Style(bold=True, color=COLOURS[Shade.RUNNING])
ALARM = WARNING
"""Of the theme's colours, these two are readable on both light and dark; the others only on one."""

_LABEL = 16
_APART = 6
"""Cells between two figures."""
_HANDS = 10
"""Cells for the longest bar of hands."""
_BESIDE = 50
"""Programs are side by side if each has this many cells."""


@dataclass(frozen=True, slots=True)
class Words:
    """A paragraph, with `code` marked. ``mark`` is in front of it, like a bullet."""

    text: str
    mark: str = ""
    style: Style = EMPHASIS


@dataclass(frozen=True, slots=True)
class Code:
    """Code. Lines are broken only if they don't fit, and not filled."""

    text: str


@dataclass(frozen=True, slots=True)
class Figures:
    """(label, value) pairs side by side, in block letters if possible."""

    items: tuple[tuple[str, str], ...]
    style: Style = MARKED


@dataclass(frozen=True, slots=True)
class Row:
    """A fact: a label and a value. There is no empty line between consecutive rows."""

    label: str
    value: str
    style: Style = EMPHASIS


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with its votes. ``most`` is the highest number of ``hands``. ``right`` is None if unknown."""

    number: int
    text: str
    hands: int
    most: int
    picked: bool = False
    right: bool | None = None


@dataclass(frozen=True, slots=True)
class Program:
    """A program. ``lines`` of code, "" where some are left out."""

    name: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Programs:
    """Programs, side by side if there is room, else below each other."""

    programs: tuple[Program, ...]


Block = Words | Code | Figures | Row | Answer | Program | Programs


def spread(blocks: Iterable[Block], width: int) -> Iterator[Block]:
    """Yield the blocks, with programs one by one if they don't fit side by side."""
    for block in blocks:
        if isinstance(block, Programs) and width < _BESIDE * len(block.programs):
            yield from block.programs
        else:
            yield block


def prose(markdown: str) -> list[Block]:
    """Return a lesson's Markdown as paragraphs, lists and code. Links and emphasis become plain words."""
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
    """Remove the marks of links and of emphasis. Code keeps its marks and its content."""
    parts = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).split("`")
    parts[::2] = [re.sub(r"(\*{1,2})(\S(?:[^*]*\S)?)\1", r"\2", part) for part in parts[::2]]
    return "`".join(parts)


def block_lines(block: Block, theme: Theme, width: int, size: int, leading: int) -> list[Line]:
    """Return the lines; ``leading`` is the number of empty lines between those of a paragraph."""
    if isinstance(block, Code):
        return [part for line in block.text.split("\n") for part in _code_lines(line, width)]
    if isinstance(block, Figures):
        return _figures(block, theme, width, size)
    if isinstance(block, Row):
        label = min(_LABEL, width // 3)
        mark = fit(block.label, label - 1, theme.ellipsis).ljust(label)
        return list(hanging(mark, _wrapped(block.value, width - label, block.style), EMPHASIS))
    if isinstance(block, Answer):
        return _answer(block, theme, width)
    if isinstance(block, Program):
        return _program(block, theme, width)
    if isinstance(block, Programs):
        each = width // len(block.programs) - _APART // 2
        return list(beside([_program(program, theme, each) for program in block.programs], each))
    mark = {"-": theme.dot}.get(block.mark, block.mark)
    mark += "  " if mark else ""
    lines = _wrapped(block.text, width - cell_len(mark), block.style)
    return list(hanging(mark, lines, EMPHASIS, leading))


def _answer(block: Answer, theme: Theme, width: int) -> list[Line]:
    """The count and its bar are on the right, in the same place for each."""
    right = 2 + len(f"{block.most:,}") + 1 + min(_HANDS, width // 4)
    sign = {True: theme.good, False: theme.bad, None: ">" if block.picked else " "}[block.right]
    style = MARKED if block.right or (block.right is None and block.picked) else EMPHASIS
    mark = f"{sign} {block.number}) "
    text = _wrapped(block.text, width - len(mark) - right, style)
    lines = [[Segment(mark if at == 0 else " " * len(mark), style), *line] for at, line in enumerate(text)]
    if block.most:
        cells = -(-block.hands * (right - 3 - len(f"{block.most:,}")) // block.most)
        bar = theme.textures[Shade.RUNNING] * cells
        first = Segment.adjust_line_length(lines[0], width - right)
        lines[0] = [*first, Segment(f"  {block.hands:>{len(f'{block.most:,}')},} {bar}", style)]
    return lines


def _program(block: Program, theme: Theme, width: int) -> list[Line]:
    code = textwrap.dedent("\n".join(block.lines)).split("\n")
    return [
        text_line(fit(block.name, width, theme.ellipsis), MARKED),
        *(part for line in code for part in _code_lines(line or theme.ellipsis, width)),
    ]


def _code_lines(line: str, width: int) -> list[Line]:
    return [text_line(part, EMPHASIS) for part in break_code(line, width)]


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
    """Break lines between words, and inside a word that is longer than the line; mark `code`."""
    width = max(width, 1)
    lines: list[Line] = [[]]
    used = 0
    for word in _words(text, style):
        needed = sum(cell_len(part.text) for part in word)
        if used and used + 1 + needed > width:
            lines.append([])
            used = 0
        if used:
            # The space between two words of code is part of it, for themes that draw a background.
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
