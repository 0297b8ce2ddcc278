"""``asyncdemo`` without a command: your progress, and what to do next."""

from __future__ import annotations

from pathlib import Path

import click

from asyncdemo.cli.exercises import program
from asyncdemo.cli.terminal import interactive, wrap
from asyncdemo.course.content.catalog import Heading
from asyncdemo.course.workspace.context import CourseContext, latest, locate, shown_path
from asyncdemo.course.workspace.next_step import exercises, first_unread, next_step
from asyncdemo.errors import EXIT_OK

_OTHERS = {
    "asyncdemo list": "all lessons, and your progress",
    "asyncdemo trace SCRIPT.py": "the same view of your own script",
    "asyncdemo docs": "the lessons in a browser, with recorded timelines",
    "asyncdemo --help": "all commands",
}


def home(course_folder: Path | None = None, *, plain: bool = False) -> int:
    """Show the screen, or the same as text without an interactive terminal. Returns the exit code.

    ``course_folder`` is an external course; by default, that of the latest workspace.
    """
    context, note = latest() if course_folder is None else (locate(course_folder), "")
    note = "\n".join(filter(None, (note, context.prepare_progress())))
    if interactive(plain):
        from asyncdemo.tui.app import run_application
        from asyncdemo.tui.home import HomeScreen

        return run_application(context, lambda: HomeScreen(note))
    records = context.records
    lessons = context.course.lessons
    tasks = exercises(context.course)
    run = sum(1 for lesson in lessons if lesson.id in records and records[lesson.id].runs)
    passed = sum(1 for lesson in tasks if lesson.id in records and records[lesson.id].passed)
    step = next_step(context.course, records)
    click.echo("asyncdemo shows what a Python program waits for.\n")
    for line in note.splitlines():
        click.echo(wrap(line, rest="  "))
    if context.workspace is not None:
        click.echo(wrap(f"Your workspace: {context.workspace.folder}", rest="  "))
    done = f"You have run {run} of {len(lessons)} lessons"
    done += f", and {passed} of {len(tasks)} exercises have passed." if tasks else "."
    if step is None:
        click.echo(
            wrap(f"{done} You've finished the course. Try other knobs in a lesson, or your own script:")
        )
    elif step.exercise:
        click.echo(wrap(f"{done} Next, the exercise of lesson {_named(step.lesson)}:") + "\n")
        _exercise(context, step.lesson)
        unread = first_unread(context.course, records)
        if unread is not None:
            click.echo(f"\nOr the next lesson:\n\n  {program(context)} run {unread.id}")
    else:
        if run or passed:
            click.echo(wrap(f"{done} Next:"))
        else:
            click.echo(wrap(f"You haven't run any of the {len(lessons)} lessons yet. Start with:"))
        click.echo(f"\n  {program(context)} run {step.lesson.id}\n")
        words = f"Lesson {_named(step.lesson)}, {step.lesson.minutes} minutes: {step.lesson.question}"
        click.echo(wrap(words))
    click.echo()
    for command, words in _OTHERS.items():
        click.echo(wrap(words, f"  {command:<26}", " " * 28))
    return EXIT_OK


def _exercise(context: CourseContext, lesson: Heading) -> None:
    if context.workspace is None:
        click.echo(f"  {program(context)} start")
        click.echo("\n" + wrap("This creates a folder with the exercises for you to edit."))
        return
    click.echo(f"  edit {shown_path(context.workspace.file(lesson))}")
    click.echo(f"  asyncdemo check {lesson.id}\n")
    click.echo(wrap("Or check it whenever you save: asyncdemo watch", rest="  "))


def _named(lesson: Heading) -> str:
    return f"{lesson.number}, {lesson.title}"
