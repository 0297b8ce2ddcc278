"""Help pages in place of a verdict: hints, a solution, changes.

Not here: when they are available (see ``pane``).
"""

from __future__ import annotations

from pathlib import Path

from rich.console import Group
from rich.markdown import Markdown
from rich.syntax import Syntax
from rich.text import Text

from asyncdemo.course.content.exercise import HINT_HEADINGS, Exercise
from asyncdemo.errors import CourseError
from asyncdemo.tui.exercise.changes import Changes


def hint_page(number: int, hints: tuple[str, ...]) -> Group:
    """Return a hint. ``number`` counts from 1."""
    more = "h: the next one says more." if number < len(hints) else "This is the last one."
    heading = f"Hint {number} of {len(hints)}: {HINT_HEADINGS[number - 1]}. {more}"
    return Group(Text(heading, style="bold"), "", Markdown(hints[number - 1]))


def solution_page(exercise: Exercise) -> Group:
    """Return the solution. Raises CourseError."""
    code = Syntax(
        _text(exercise.solution), "python", theme="ansi_dark", background_color="default", word_wrap=True
    )
    return Group(Text("A solution; yours may look different", style="bold"), "", code)


def changes_page(exercise: Exercise, file: Path, *, with_solution: bool) -> Changes:
    """Return the learner's changes, and if wanted those of the solution beside them. Raises CourseError."""
    texts = [("What you changed", _text(file))]
    if with_solution:
        texts.append(("What the solution changes", _text(exercise.solution)))
    return Changes(_text(exercise.file), texts)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise CourseError(f"{file}: cannot be read: {error.strerror}") from None
