"""``asyncdemo start``: creates a workspace with the exercises to edit, or updates an existing one."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from asyncdemo.cli.exercises import next_words, report_trouble
from asyncdemo.cli.options import course_option
from asyncdemo.cli.terminal import wrap
from asyncdemo.course.workspace.context import shown_path
from asyncdemo.course.workspace.exercise_files import Happened
from asyncdemo.course.workspace.next_step import exercises
from asyncdemo.course.workspace.starting import Started, start_workspace
from asyncdemo.safe_text import clean

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
    edited. Your progress counts in every workspace.
    """
    started = start_workspace(folder, course_folder)
    if started.trouble:
        click.echo(f"asyncdemo will not find this workspace from other folders: {started.trouble}", err=True)
    report_trouble(started.context.prepare_progress())
    _report(started)
    for line in next_words(started.context):
        click.echo(line)


def _report(started: Started) -> None:
    workspace, given = started.workspace, started.given
    place = shown_path(workspace.folder)
    fresh = [item for item in given if item.happened is Happened.NEW]
    count = f"{len(fresh)} {'exercise' if len(fresh) == 1 else 'exercises'}"
    if started.is_new:
        click.echo(wrap(f"{place}: your workspace, with {count} to edit."))
        _report_earlier(started)
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


def _report_earlier(started: Started) -> None:
    """Say where the learner worked before, and what of it counts here."""
    context, others = started.context, started.others
    ours = exercises(context.course)
    passed = sum(bool(context.record(lesson.id).passed) for lesson in ours)
    if others:
        more = f" (and {len(others) - 1} more)" if len(others) > 1 else ""
        words = f"You also have {clean(str(others[0].folder))}{more}. Its files stay as they are."
        if not started.trouble:
            words += " Outside of your workspaces, asyncdemo now uses the new one."
        click.echo(wrap(words, rest="  "))
    if passed:
        click.echo(
            wrap(f"Your progress counts in every workspace: {passed} of {len(ours)} exercises passed.")
        )
