"""Shared by the commands about exercises: which one is meant, where it is, and what comes next."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
from click.shell_completion import CompletionItem

from asyncdemo.cli.terminal import wrap, wrap_for
from asyncdemo.course.content.catalog import Course, Heading
from asyncdemo.course.content.lookup import find_lesson
from asyncdemo.course.workspace.context import CourseContext, locate, resolve_path, shown_path
from asyncdemo.course.workspace.next_step import current_exercise, exercises, first_unread, next_step
from asyncdemo.course.workspace.workspace import Workspace
from asyncdemo.errors import AsyncdemoError, CourseError, UsageError

if TYPE_CHECKING:
    from asyncdemo.course.content.exercise import Exercise

Command = TypeVar("Command", bound=Callable[..., Any])
_TROUBLE: Final = "asyncdemo.progress"
"""The key in click's ``meta`` of what was reported."""


def exercise_argument() -> Callable[[Command], Command]:
    return click.argument("exercise_name", metavar="[EX]", required=False, shell_complete=complete(exercises))


def locate_with_progress(course_folder: Path | None) -> CourseContext:
    """Do as ``locate``, and report a progress that can't be read. Raises the same errors."""
    context = locate(course_folder)
    report_trouble(context.prepare_progress())
    return context


def report_trouble(words: str) -> None:
    """Print why the progress can't be used, but only the first reason in a command."""
    said = click.get_current_context().find_root().meta
    if words and _TROUBLE not in said:
        said[_TROUBLE] = words
        click.echo(wrap_for(sys.stderr, words), err=True)


def need_workspace(context: CourseContext) -> Workspace:
    """Raises UsageError if there is none."""
    if context.workspace is None:
        raise UsageError(
            f"There is no workspace yet. To create a folder with the exercises: {program(context)} start"
        )
    return context.workspace


def find_exercise(context: CourseContext, typed: str | None) -> Heading:
    """Return the lesson with this id, number, part of an id, or file; by default, the first not passed.

    Raises UsageError with a suggestion.
    """
    ours = exercises(context.course)
    if not ours:
        raise UsageError(f"{context.course.folder}: no lesson of this course has an exercise.")
    if typed is None:
        return current_exercise(context.course, context.records) or ours[-1]
    if typed.endswith(".py"):
        return _by_file(context, ours, Path(typed))
    lesson = find_lesson(context.course, typed)
    if lesson not in ours:
        having = ", ".join(other.id for other in ours)
        raise UsageError(f"{lesson.id} has no exercise. These have one: {having}.")
    return lesson


def load_exercise(lesson: Heading) -> Exercise:
    """Raises CourseError."""
    from asyncdemo.course.content.lesson import load_lesson  # not needed to list exercises

    exercise = load_lesson(lesson.folder).exercise
    if exercise is None:
        raise CourseError(
            f"{lesson.folder}: has an exercise.py, but its manifest does not mention an exercise."
        )
    return exercise


def need_help_with(typed: str | None, course_folder: Path | None) -> tuple[CourseContext, Heading, Exercise]:
    """Return the selected exercise. Raises UsageError, CourseError, WorkspaceError."""
    context = locate_with_progress(course_folder)
    lesson = find_exercise(context, typed)
    return context, lesson, load_exercise(lesson)


def program(context: CourseContext) -> str:
    """Return the beginning of a command: an external course must be named until it has a workspace."""
    if context.workspace is None and context.course_folder is not None:
        return f"asyncdemo --course {shown_path(context.course_folder)}"
    return "asyncdemo"


def next_words(context: CourseContext, just_run: str = "") -> list[str]:
    """Return what to do next, as lines with exact commands; empty if all is done. ``just_run``: lesson id."""
    records = context.records
    step = next_step(context.course, records, just_run)
    if step is None:
        return []
    unread = first_unread(context.course, records, just_run)
    lesson = step.lesson
    if not step.exercise:
        lines = [("Next", f"{program(context)} run {lesson.id}", "")]
    elif context.workspace is None:
        lines = [
            (
                "Next",
                f"{program(context)} start",
                f"creates a folder with the exercises; then do the one of {lesson.id}",
            )
        ]
    else:
        file = shown_path(context.workspace.file(lesson))
        watch = "or asyncdemo watch, to check it whenever you save"
        lines = [("Next", f"edit {file}", ""), ("then", f"asyncdemo check {lesson.id}", watch)]
    if step.exercise and unread is not None:
        lines.append(("  or", f"{program(context)} run {unread.id}", "the next lesson"))
    width = max((len(command) for _, command, words in lines if words), default=0)
    shown = []
    for label, command, words in lines:
        head = f"{label}: {command:<{width}}  "
        shown.append(wrap(words, head, " " * len(head)) if words else head.rstrip())
    return shown


def _by_file(context: CourseContext, ours: tuple[Heading, ...], file: Path) -> Heading:
    workspace = need_workspace(context)
    for lesson in ours:
        own = workspace.file(lesson)
        if resolve_path(file) == own.resolve() or (file.name == own.name and not file.exists()):
            return lesson
    raise UsageError(
        f"{file} is not an exercise of the workspace {workspace.folder}. "
        f"To check a file elsewhere: asyncdemo check --file {file} EX"
    )


def complete(
    of: Callable[[Course], Iterable[Heading]],
) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem]]:
    """Return a completion of the ids of some lessons of the course."""

    def completed(context: click.Context, _: click.Parameter, typed: str) -> list[CompletionItem]:
        try:
            lessons = of(locate(context.params.get("course_folder")).course)
        except AsyncdemoError:
            return []
        return [
            CompletionItem(lesson.id, help=lesson.title) for lesson in lessons if lesson.id.startswith(typed)
        ]

    return completed
