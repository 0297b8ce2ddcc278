"""The text of a lesson around its runs, when no screen shows it.

Not here: reports of runs (see ``render``), questions (see ``predict``), other texts (see ``prose``).
"""

from __future__ import annotations

import click
from rich.console import Console

from asyncdemo.cli.console import make_console
from asyncdemo.cli.exercises import program
from asyncdemo.cli.prose import print_markdown
from asyncdemo.cli.terminal import can_ask, can_draw, wrapped
from asyncdemo.course.content.lesson import Lesson
from asyncdemo.course.content.manifest import Knobs
from asyncdemo.course.content.text import sections
from asyncdemo.course.workspace.context import CourseContext
from asyncdemo.errors import UsageError
from asyncdemo.render.words import join, settings_words
from asyncdemo.services import NOUNS, choose


def introduce(context: CourseContext, lesson: Lesson, console: Console | None, changed: Knobs) -> None:
    """Print the introduction. ``changed``: the learner's knobs; the text has the original values."""
    click.echo(click.style(f"Lesson {lesson.number}: {lesson.title}", bold=True) + "\n")
    print_section(lesson, "The question", console)
    if can_ask():
        click.echo(wrapped(f"To read the programs first: {program(context)} run {lesson.id} --code") + "\n")
    if lesson.services:
        names = join([f"{NOUNS[name]} ({choose(name).words()})" for name in lesson.services])
        click.echo(wrapped(f"The programs use {names}.") + "\n")
    if changed:
        click.echo(wrapped(f"This time: {settings_words(changed)}.") + "\n")


def print_section(lesson: Lesson, heading: str, console: Console | None) -> None:
    print_markdown(sections(lesson.readme).get(heading, ""), console)


def print_notes(lesson: Lesson) -> None:
    if "For instructors" not in sections(lesson.readme):
        raise UsageError(f"{lesson.id} has no notes: {lesson.readme} has no section 'For instructors'.")
    click.echo(click.style(f"Lesson {lesson.number}: {lesson.title}", bold=True) + "\n")
    print_section(lesson, "For instructors", make_console() if can_draw() else None)
    click.echo(f"For the class: asyncdemo run {lesson.id} --present")


def say_how_to_measure(context: CourseContext, lesson: Lesson) -> None:
    from asyncdemo.lab.experiments import find_experiment  # here, as it takes longer than starting to run

    if find_experiment(lesson.id) is not None:
        click.echo(f"To measure it: {program(context)} lab {lesson.id}")
