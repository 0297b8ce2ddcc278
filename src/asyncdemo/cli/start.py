"""``asyncdemo start``: a workspace with the exercises to edit, or the one there is brought up to date."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from asyncdemo.cli.exercises import next_words, shown_path
from asyncdemo.cli.options import course_option
from asyncdemo.cli.terminal import wrapped
from asyncdemo.course.content.catalog import find_course, load_course
from asyncdemo.course.workspace.context import (
    CourseContext,
    resolved,
    state_progress,
    surrounding_workspace,
)
from asyncdemo.course.workspace.exercise_files import Given, Happened, fill
from asyncdemo.course.workspace.known_workspaces import is_known, need_known, remember
from asyncdemo.course.workspace.progress import Progress
from asyncdemo.course.workspace.workspace import Workspace, find
from asyncdemo.errors import UsageError, WorkspaceError

__all__ = ["command"]

_FOLDER: Final = "asyncdemo-exercises"
_WORDS: Final = {
    Happened.AGAIN: "given again",
    Happened.UPDATED: "has a newer text; you had not edited it",
    Happened.KEPT: "is edited, and stays as it is; the exercise has another text now: asyncdemo reset",
    Happened.GONE: "belongs to no lesson of the course any more, and stays as it is",
}


@click.command("start")
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(file_okay=False, path_type=Path))
@course_option
def command(folder: Path | None, course_folder: Path | None) -> None:
    """Make a folder with the exercises to edit; ./asyncdemo-exercises if DIR is not given.

    In a workspace that is there already, this gives what is new in the course. A file that you have edited
    is never written over. Your progress is kept in the folder too.
    """
    surrounding = surrounding_workspace()
    if folder is None and surrounding is not None:
        folder = surrounding.folder
    target = resolved(folder or Path(_FOLDER))
    existing = find(target)
    if existing is not None and existing.folder != target:
        raise UsageError(
            f"{target} lies in the workspace {existing.folder}. "
            f"To bring that up to date: asyncdemo start {shown_path(existing.folder)}"
        )
    wanted = None if course_folder is None else resolved(course_folder)
    if existing is not None and wanted is None:
        need_known(existing)
        wanted = existing.course
    if existing is not None and existing.course != wanted and (existing.course is None or is_known(existing)):
        raise UsageError(
            f"{target} is a workspace of the course {existing.course or 'that comes along'}. "
            "Choose another DIR."
        )
    course = load_course(find_course(wanted))
    workspace, given = fill(target, course, wanted)
    progress = Progress(workspace.progress_file, course.renamed)
    if wanted is None:
        _carry(state_progress(course), progress)
    _remember(workspace)
    _report(workspace, given, is_new=existing is None)
    for line in next_words(CourseContext(course, workspace, progress)):
        click.echo(line)


def _carry(records: Progress, progress: Progress) -> None:
    """What was done before there was a workspace. A join, so that doing it twice changes nothing."""
    for lesson_id, record in records.all().items():
        if progress.of(lesson_id).joined(record) != progress.of(lesson_id):
            progress.update(lesson_id, lambda known, record=record: known.joined(record))  # type: ignore[misc]


def _remember(workspace: Workspace) -> None:
    try:
        remember(workspace)
    except WorkspaceError as error:
        click.echo(f"asyncdemo will not find this workspace from outside: {error}", err=True)


def _report(workspace: Workspace, given: Sequence[Given], *, is_new: bool) -> None:
    place = shown_path(workspace.folder)
    fresh = [item for item in given if item.happened is Happened.NEW]
    count = f"{len(fresh)} {'exercise' if len(fresh) == 1 else 'exercises'}"
    if is_new:
        click.echo(wrapped(f"{place}: your workspace, with {count} to edit."))
    elif fresh:
        click.echo(wrapped(f"{place}: {count} new:"))
        for item in fresh:
            click.echo(f"  {item.file.relative_to(workspace.folder)}")
    else:
        click.echo(wrapped(f"{place}: no new exercise."))
    for item in given:
        if item.happened in _WORDS:
            words = _WORDS[item.happened]
            if item.happened is Happened.KEPT:
                words += f" {item.lesson_id} would take it."
            head = f"  {item.file.relative_to(workspace.folder)}"
            click.echo(wrapped(f"{words.rstrip('.')}.", f"{head} ", "    "))
    click.echo()
