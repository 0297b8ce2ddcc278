"""``asyncdemo notes``: what an instructor should know about a lesson."""

from __future__ import annotations

from pathlib import Path

import click

from asyncdemo.cli.console import make_console
from asyncdemo.cli.exercises import complete
from asyncdemo.cli.lesson_text import print_section
from asyncdemo.cli.options import course_option
from asyncdemo.cli.terminal import can_draw
from asyncdemo.course.content.lesson import load_lesson
from asyncdemo.course.content.lookup import find_lesson
from asyncdemo.course.content.text import sections
from asyncdemo.course.workspace.context import locate
from asyncdemo.errors import UsageError

_SECTION = "For instructors"


@click.command("notes")
@click.argument("lesson_name", metavar="LESSON", shell_complete=complete(lambda course: course.lessons))
@course_option
def command(lesson_name: str, course_folder: Path | None) -> None:
    """Print the notes for instructors on LESSON, with the answer to its last question.

    Read them on a terminal that the class does not see.
    """
    lesson = load_lesson(find_lesson(locate(course_folder).course, lesson_name).folder)
    if _SECTION not in sections(lesson.readme):
        raise UsageError(f"{lesson.id} has no notes: {lesson.readme} has no section '{_SECTION}'.")
    click.echo(click.style(f"Lesson {lesson.number}: {lesson.title}", bold=True) + "\n")
    print_section(lesson, _SECTION, make_console() if can_draw() else None)
    click.echo(f"For the class: asyncdemo run {lesson.id} --present")
