"""What an exercise shows: a verdict with its picture; in its place a hint, a solution, the changes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from pathlib import Path

from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.markdown import Markdown
from rich.style import Style
from rich.syntax import Syntax
from rich.text import Text

from asyncdemo.bounded import read_text
from asyncdemo.course.content.exercise import HINT_HEADINGS, Exercise
from asyncdemo.course.workspace.workspace import MOST_BYTES
from asyncdemo.errors import CourseError
from asyncdemo.model import Run
from asyncdemo.model.verdict import Verdict
from asyncdemo.render.terminal.draw import Line, Lines, beside, hanging, text_line
from asyncdemo.render.terminal.picture import picture_of_runs
from asyncdemo.render.terminal.theme import COLOURS, DIM, EMPHASIS, Theme
from asyncdemo.render.terminal.verdict import brief, verdict_lines, verdict_to_fit
from asyncdemo.render.timeline.grid import Shade
from asyncdemo.render.words import fit
from asyncdemo.render.wrapping import break_code
from asyncdemo.safe_text import clean_lines

_PICTURE_TAKES = 5
"""Lines of a picture of two runs besides their rows: two titles, an axis, a legend and a gap."""
_AROUND = 1
"""Unchanged lines shown before and after a change."""
_SIDE_BY_SIDE = 100
_GAP = 3
_NUMBER_WIDTH = 7
_NEW, _OLD = Style(color=COLOURS[Shade.RUNNING]), Style(color=COLOURS[Shade.BLOCKING])


def draw_verdict(
    verdict: Verdict, before: Run | None, after: Run | None, theme: Theme, width: int, height: int
) -> list[Line]:
    """Draw as much as there is room for, and in any case what failed.

    Args:
        before: A run that did not pass, for comparison.
        after: The run of the verdict.
    """
    if not verdict.passed:
        return verdict_to_fit(verdict, theme, width, height)
    runs = [replace(run, name=name) for run, name in ((before, "before"), (after, "now")) if run and run.rows]
    lines = list(verdict_lines(verdict, theme, width))
    if len(lines) + sum(len(run.rows) for run in runs) + _PICTURE_TAKES > height:
        lines = list(verdict_lines(brief(verdict), theme, width))
    return [*lines, [], *picture_of_runs(runs, theme, width, height - len(lines) - 1)]


def hint_page(number: int, hints: tuple[str, ...]) -> Group:
    """Return a hint. ``number`` counts from 1."""
    more = "For the next one, press h." if number < len(hints) else "This is the last one."
    heading = f"Hint {number} of {len(hints)}: {HINT_HEADINGS[number - 1]}. {more}"
    return Group(Text(heading, style="bold"), "", Markdown(hints[number - 1]))


def code(file: Path, *, numbered: bool = False) -> Syntax:
    """Return a file's text as code in the terminal's own colours. Raises CourseError."""
    return Syntax(
        _text(file),
        "python",
        theme="ansi_dark",
        background_color="default",
        line_numbers=numbered,
        word_wrap=True,
    )


def solution_page(exercise: Exercise) -> Group:
    """Return the solution. Raises CourseError."""
    return Group(Text("One solution; yours may look different", style="bold"), "", code(exercise.solution))


def changes_page(exercise: Exercise, file: Path, *, with_solution: bool) -> Changes:
    """Return the learner's changes, and if wanted those of the solution beside them. Raises CourseError."""
    texts = [("What you changed", _text(file))]
    if with_solution:
        texts.append(("What the solution changes", _text(exercise.solution)))
    return Changes(_text(exercise.file), texts)


def _text(file: Path) -> str:
    try:
        return clean_lines(read_text(file, MOST_BYTES, "replace"))
    except OSError as error:
        raise CourseError(f"{file}: cannot be read: {error.strerror}") from None


@dataclass(frozen=True, slots=True)
class Changes:
    """The lines that differ, side by side if there is room: a Rich renderable.

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
        yield text_line(fit("No changes.", width), DIM)
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
        parts = break_code(line.expandtabs(), width - _NUMBER_WIDTH)
        yield from hanging(f"{number:4} {mark} ", (text_line(part, style) for part in parts), style)
