"""Bare ``asyncdemo``: where you are, and what to do next."""

from __future__ import annotations

import click

from asyncdemo.cli.terminal import wrapped
from asyncdemo.course import progress
from asyncdemo.course.catalog import find_course, load_course

__all__ = ["home"]


_OTHERS = {
    "asyncdemo list": "all lessons",
    "asyncdemo trace SCRIPT.py": "the same view of your own script",
    "asyncdemo --help": "all commands",
}


def home() -> None:
    course = load_course(find_course())
    records = progress.load(progress.default_file())
    done = [lesson for lesson in course.lessons if lesson.id in records]
    left = [lesson for lesson in course.lessons if lesson.id not in records]
    count = len(course.lessons)
    click.echo("asyncdemo shows what a Python program waits for.\n")
    if not done:
        click.echo(wrapped(f"You have not run a lesson yet; there are {count}. Begin with:"))
    elif left:
        click.echo(f"You have run {len(done)} of {count} lessons. Next:")
    else:
        words = f"You have run all {count} lessons. Next, try a knob of one of them, or a script of your own:"
        click.echo(wrapped(words))
    if left:
        lesson = left[0]
        click.echo(f"\n  asyncdemo run {lesson.id}\n")
        click.echo(
            wrapped(f"Lesson {lesson.number}, {lesson.title}, {lesson.minutes} minutes: {lesson.point}")
        )
    click.echo()
    for command, words in _OTHERS.items():
        click.echo(wrapped(words, f"  {command:<26}", " " * 28))
