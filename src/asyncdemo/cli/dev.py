"""``asyncdemo dev``: tools for authors of lessons."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import click

from asyncdemo.cli.app import COMMANDS
from asyncdemo.cli.options import course_option
from asyncdemo.course.content.catalog import INSTALLED, Course, Heading, Module, find_course
from asyncdemo.course.content.lookup import find_lesson
from asyncdemo.course.content.overlay import WRONG, program_of
from asyncdemo.course.rules import LessonSource, Problem, Survey, fast_problems, slow_problems, survey
from asyncdemo.course.workspace.context import current_folder
from asyncdemo.errors import EXIT_FAILED, EXIT_OK, UsageError
from asyncdemo.render.words import count


@click.group("dev")
def command() -> None:
    """Tools for lesson authors."""


@command.command("check")
@click.argument("lessons", metavar="[LESSON]...", nargs=-1)
@click.option("--fast", is_flag=True, help="Check only what needs no script to run.")
@click.option("--every", is_flag=True, help="Judge every solution of each lesson, not only a few.")
@course_option
@click.pass_context
def check(
    context: click.Context,
    lessons: tuple[str, ...],
    fast: bool,
    every: bool,
    course_folder: Path | None,
) -> None:
    """Check lessons against the rules; all of them if no LESSON is named.

    Prints one line per problem, with file and line. Exit code 1 if there are any.
    Without --fast, the scripts of the lessons run, each with a limit on its time and, except under plain
    Python, on its memory and processes. Several lessons run at the same time. If a measured time is off, it
    is measured again with nothing else running. A named LESSON is judged with all its right and wrong
    solutions; if none is named, each lesson is judged with a few, or with all if you add --every.
    """
    if every and lessons:
        raise UsageError("A named LESSON is judged with every solution anyway. Leave out --every.")
    folder = find_course(course_folder)
    if folder.name == INSTALLED:
        raise UsageError(
            "The installed course has no wrong solutions to judge. Check that of a checkout: --course DIR"
        )
    surveyed = survey(folder, COMMANDS)
    sources, names = _chosen(surveyed, lessons)
    problems: Iterator[Problem] = chain(
        (problem for problem in surveyed.problems if not lessons or problem.lesson in names),
        chain.from_iterable(map(fast_problems, sources)),
        () if fast else slow_problems(sources, every or bool(lessons), _show_progress),
    )
    found = 0
    for problem in problems:
        found += 1
        click.echo(_line(problem))
    unrun = " (no script was run)" if fast else ""
    click.echo(f"{count(len(names), 'lesson')}, {count(found, 'problem')}{unrun}")
    context.exit(EXIT_FAILED if found else EXIT_OK)


@command.command("program")
@click.argument("file", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def program(file: Path) -> None:
    """Print the program that a wrong solution makes of its solution.py.

    FILE is in a folder wrong/ of a lesson, and has only what differs. Verdicts about it name lines of this
    program.
    """
    solution = file.resolve().parents[1] / "solution.py"
    if file.resolve().parent.name != WRONG or not solution.is_file():
        raise UsageError(f"{file} is not in a folder {WRONG}/ of a lesson.")
    click.echo(program_of(file, solution), nl=False)


def _show_progress(words: str) -> None:
    if sys.stderr.isatty():
        click.echo(words, err=True)


def _chosen(surveyed: Survey, typed: Iterable[str]) -> tuple[list[LessonSource], list[str]]:
    """Return (the lessons that can be read, names of all selected ones, readable or not)."""
    course = Course("", surveyed.folder, (Module(1, "", tuple(_headings(surveyed))),))
    names = list(dict.fromkeys(find_lesson(course, word).id for word in typed)) or list(surveyed.names)
    return [source for source in surveyed.sources if source.lesson.id in names], names


def _headings(surveyed: Survey) -> Iterator[Heading]:
    """Yield the headings; if a lesson's manifest can't be read, based on the name of its folder."""
    lessons = {source.lesson.id: source.lesson for source in surveyed.sources}
    folders = {problem.lesson: problem.file.parent for problem in surveyed.problems}
    for name in surveyed.names:
        if name in lessons:
            yield lessons[name]
        else:
            number = folders[name].name.partition("-")[0]
            yield Heading(name, int(number) if number.isdecimal() else 0, name, "", "", 0, (), folders[name])


def _line(problem: Problem) -> str:
    line = "" if problem.line is None else f":{problem.line}"
    return f"{_shown(problem.file)}{line}: {problem.message} [{problem.rule}]"


def _shown(file: Path) -> str:
    """Return a path relative to the current folder if it is inside, so that a terminal makes it a link."""
    folder, place = current_folder(), file.resolve()
    return str(place.relative_to(folder) if folder and place.is_relative_to(folder) else file)
