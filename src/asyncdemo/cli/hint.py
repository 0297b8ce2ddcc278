"""``asyncdemo hint``: a hint for an exercise, each time one closer to the answer."""

from __future__ import annotations

from pathlib import Path

import click

from asyncdemo.cli.console import make_console, print_markdown
from asyncdemo.cli.exercises import exercise_argument, need_help_with, report_trouble
from asyncdemo.cli.options import course_option
from asyncdemo.cli.terminal import can_draw, wrap
from asyncdemo.course.content.exercise import HINT_HEADINGS
from asyncdemo.course.workspace.progress import Record


@click.command("hint")
@exercise_argument()
@course_option
def command(exercise_name: str | None, course_folder: Path | None) -> None:
    """Show the next of three hints for EX; after the third, all of them.

    EX is an id, a number, a part of an id, or the file. By default, the first that has not passed.
    """
    context, lesson, exercise = need_help_with(exercise_name, course_folder)
    hints = exercise.hints
    known = context.record(lesson.id).hints
    for level in range(len(hints)) if known >= len(hints) else [known]:
        head = f"Exercise {lesson.number}, {lesson.title}: hint {level + 1} of {len(hints)}"
        click.echo(click.style(wrap(f"{head}. {HINT_HEADINGS[level]}"), bold=True) + "\n")
        print_markdown(hints[level], make_console() if can_draw() else None)
    report_trouble(context.remember(lesson.id, Record.after_hint))
    if known + 1 < len(hints):
        click.echo(wrap(f"For the next hint: asyncdemo hint {lesson.id}"))
    else:
        click.echo(wrap(f"This is the last hint. For a solution: asyncdemo solution {lesson.id}"))
