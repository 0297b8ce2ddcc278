"""``asyncdemo solution``: one solution of an exercise, after a pass or on the second request."""

from __future__ import annotations

from pathlib import Path

import click

from asyncdemo.cli.exercises import exercise_argument, need_help_with, need_workspace, report_trouble
from asyncdemo.cli.options import course_option
from asyncdemo.cli.terminal import can_draw, wrap
from asyncdemo.course.workspace.progress import Record
from asyncdemo.errors import CourseError


@click.command("solution")
@exercise_argument()
@click.option(
    "--changes",
    is_flag=True,
    help="Show what you changed in the exercise, and, if you may see it, what the solution changes.",
)
@course_option
def command(exercise_name: str | None, changes: bool, course_folder: Path | None) -> None:
    """Show a solution of EX once yours has passed; before that, only if you ask a second time.

    EX is an id, a number, a part of an id, or the file. By default, the first that has not passed.
    """
    context, lesson, exercise = need_help_with(exercise_name, course_folder)
    if changes:
        from asyncdemo.cli.console import make_console
        from asyncdemo.tui.exercise.pages import changes_page

        known = context.record(lesson.id)
        file = need_workspace(context).file(lesson)
        may_see = bool(known.passed) or known.solution_shown
        make_console().print(changes_page(exercise, file, with_solution=may_see))
        return
    try:
        text = exercise.solution.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError(f"{exercise.solution}: cannot be read: {error}") from None
    trouble = context.remember(lesson.id, Record.after_asking_for_solution)
    report_trouble(trouble)
    record = context.record(lesson.id)
    if not (record.solution_shown or trouble):  # without a record of it, nobody could ask twice
        click.echo(
            wrap(f"Your {lesson.id} hasn't passed yet. You learn more if you find the solution yourself.")
        )
        if record.hints < len(exercise.hints):
            click.echo(wrap(f"For a hint instead: asyncdemo hint {lesson.id}"))
        click.echo(wrap(f"To see the solution anyway, run this again: asyncdemo solution {lesson.id}"))
        return
    words = f"Exercise {lesson.number}, {lesson.title}: one solution; yours may look different"
    click.echo(click.style(wrap(words), bold=True) + "\n")
    _print(text)
    click.echo(wrap(f"The file: {exercise.solution}", rest="  "))


def _print(text: str) -> None:
    if not can_draw():
        click.echo(text)
        return
    from rich.syntax import Syntax

    from asyncdemo.cli.console import make_console

    console = make_console()
    console.print(Syntax(text, "python", theme="ansi_dark", background_color="default", word_wrap=True))
