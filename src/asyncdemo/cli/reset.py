"""``asyncdemo reset``: restores an exercise's original text, and keeps yours beside it."""

from __future__ import annotations

from pathlib import Path

import click

from asyncdemo.cli.exercises import (
    exercise_argument,
    find_exercise,
    locate_with_progress,
    need_workspace,
)
from asyncdemo.cli.options import course_option
from asyncdemo.cli.terminal import can_ask, wrap
from asyncdemo.course.workspace.context import shown_path
from asyncdemo.course.workspace.exercise_files import reset
from asyncdemo.course.workspace.workspace import FileState
from asyncdemo.errors import UsageError


@click.command("reset")
@exercise_argument()
@click.option("--yes", is_flag=True, help="Don't ask for confirmation.")
@course_option
def command(exercise_name: str | None, yes: bool, course_folder: Path | None) -> None:
    """Restore the exercise EX to the course's current version. Your version is kept beside it as a .bak file.

    What has passed stays passed.

    EX is an id, a number, a part of an id, or the file. By default, the first that has not passed.
    """
    context = locate_with_progress(course_folder)
    workspace = need_workspace(context)
    lesson = find_exercise(context, exercise_name)
    file = workspace.file(lesson)
    if workspace.state(lesson) is FileState.EDITED and not yes:
        if not can_ask():
            raise UsageError(
                f"{shown_path(file)} has been edited, and there is no terminal to ask on. To restore it "
                f"anyway: asyncdemo reset {lesson.id} --yes"
            )
        question = f"{shown_path(file)} has been edited. Restore it, and keep your version beside it?"
        try:
            agreed = click.confirm(wrap(question), default=False)
        except click.Abort:
            click.echo()  # what comes next on the screen is not part of the question
            raise
        if not agreed:
            click.echo("Nothing was changed.")
            return
    backup = reset(workspace, lesson)
    click.echo(wrap(f"{shown_path(file)}: restored to the course's version.", rest="  "))
    if backup is not None:
        click.echo(wrap(f"Your version is kept: {shown_path(backup)}", rest="  "))
