"""``asyncdemo start``: creates a workspace with the exercises to edit, or updates an existing one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from asyncdemo.cli.exercises import next_words
from asyncdemo.cli.options import course_option
from asyncdemo.cli.terminal import wrap
from asyncdemo.course.workspace.context import shown_path
from asyncdemo.course.workspace.exercise_files import Given, Happened
from asyncdemo.course.workspace.starting import start_workspace
from asyncdemo.course.workspace.workspace import Workspace

_WORDS: Final = {
    Happened.AGAIN: "restored",
    Happened.UPDATED: "updated to the course's new version; you had not edited it",
    Happened.KEPT: "kept, because you have edited it. For the course's new version: asyncdemo reset",
    Happened.GONE: "kept, but no longer belongs to a lesson of the course",
}


@click.command("start")
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(file_okay=False, path_type=Path))
@course_option
def command(folder: Path | None, course_folder: Path | None) -> None:
    """Create a folder with the exercises to edit; ./asyncdemo-exercises if DIR is not given.

    In an existing workspace, this adds what is new in the course. It never overwrites a file that you have
    edited. Your progress is kept in the folder, too.
    """
    started = start_workspace(folder, course_folder)
    if started.trouble:
        click.echo(f"asyncdemo will not find this workspace from other folders: {started.trouble}", err=True)
    _report(started.workspace, started.given, is_new=started.is_new)
    for line in next_words(started.context):
        click.echo(line)


def _report(workspace: Workspace, given: Sequence[Given], *, is_new: bool) -> None:
    place = shown_path(workspace.folder)
    fresh = [item for item in given if item.happened is Happened.NEW]
    count = f"{len(fresh)} {'exercise' if len(fresh) == 1 else 'exercises'}"
    if is_new:
        click.echo(wrap(f"{place}: your workspace, with {count} to edit."))
    elif fresh:
        click.echo(wrap(f"{place}: {count} added:"))
        for item in fresh:
            click.echo(f"  {item.file.relative_to(workspace.folder)}")
    else:
        click.echo(wrap(f"{place}: no new exercises."))
    for item in given:
        if item.happened in _WORDS:
            words = _WORDS[item.happened]
            if item.happened is Happened.KEPT:
                words += f" {item.lesson_id}"
            head = f"  {item.file.relative_to(workspace.folder)}"
            click.echo(wrap(words, f"{head}: ", "    "))
    click.echo()
