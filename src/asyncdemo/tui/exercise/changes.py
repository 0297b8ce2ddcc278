"""The learner's changes to an exercise, and the solution's: the lines that differ, side by side.

Not here: whether they are right (see ``course.judging``).
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from rich.console import Console, ConsoleOptions, RenderResult
from rich.style import Style

from asyncdemo.render.terminal.draw import Line, Lines, beside, text_line
from asyncdemo.render.terminal.theme import COLOURS, DIM, EMPHASIS
from asyncdemo.render.timeline.grid import Shade

_AROUND = 1
"""Unchanged lines shown before and after a change."""
_SIDE_BY_SIDE = 100
_GAP = 3
_NEW, _OLD = Style(color=COLOURS[Shade.RUNNING]), Style(color=COLOURS[Shade.BLOCKING])


@dataclass(frozen=True, slots=True)
class Changes:
    """A Rich renderable.

    Attributes:
        given: The text of the exercise.
        texts: (heading, text) of each changed version.
    """

    given: str
    texts: Sequence[tuple[str, str]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = options.max_width
        side_by_side = width >= _SIDE_BY_SIDE
        each = (width - _GAP * (len(self.texts) - 1)) // len(self.texts) if side_by_side else width
        blocks = [
            [text_line(heading, EMPHASIS), *_changed(self.given, text, each), []]
            for heading, text in self.texts
        ]
        lines = beside(blocks, each) if side_by_side else (line for block in blocks for line in block)
        yield from Lines(lines).__rich_console__(console, options)


def _changed(given: str, text: str, width: int) -> Iterator[Line]:
    (old_first, before), (new_first, after) = _without_docstring(given), _without_docstring(text)
    groups = list(SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(_AROUND))
    if not groups:
        yield text_line("Nothing is changed.", DIM)
    for place, group in enumerate(groups):
        if place:
            yield []
        for kind, old, old_end, new, new_end in group:
            if kind != "equal":
                yield from _numbered("-", before[old:old_end], old_first + old, width, _OLD)
            style = DIM if kind == "equal" else _NEW
            mark = " " if kind == "equal" else "+"
            yield from _numbered(mark, after[new:new_end], new_first + new, width, style)


def _without_docstring(text: str) -> tuple[int, list[str]]:
    """Return the first line's number, and the lines, without the module's docstring: it has no effect."""
    lines = text.splitlines()
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError):
        return 1, lines
    if body and isinstance(body[0], ast.Expr) and body[0].end_lineno is not None:
        return body[0].end_lineno + 1, lines[body[0].end_lineno :]
    return 1, lines


def _numbered(mark: str, lines: Sequence[str], first: int, width: int, style: Style) -> Iterator[Line]:
    """Wrap long lines, with their indentation."""
    for number, line in enumerate(lines, first):
        text = line.expandtabs()
        head = f"{number:4} {mark} "
        indent = len(text) - len(text.lstrip())
        room = max(width - len(head) - indent - 2, 20)
        first_part, *others = textwrap.wrap(text.strip(), room, break_on_hyphens=False) or [""]
        yield text_line(f"{head}{' ' * indent}{first_part}"[:width], style)
        for part in others:
            yield text_line(f"{' ' * (len(head) + indent + 2)}{part}"[:width], style)
