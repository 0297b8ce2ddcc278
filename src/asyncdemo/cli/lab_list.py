"""The experiments of the lab as a list, and the search for one by what the user typed.

Not here: lessons to run or read (see ``course.content.lookup``).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click

from asyncdemo.cli.terminal import wrapped
from asyncdemo.course.content.catalog import Course
from asyncdemo.course.content.lookup import find_lesson, nearest
from asyncdemo.errors import CourseError, UsageError
from asyncdemo.lab.experiments import Entry
from asyncdemo.lab.harness.machine import find
from asyncdemo.lab.results.setup import Extent

FORMAT: Final = "asyncdemo.lab-list/1"


def as_data(entries: Sequence[Entry]) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "experiments": [
            {
                "name": entry.name,
                "title": entry.title,
                "lesson": entry.home,
                "lessons": list(entry.lessons),
                "minutes": {extent.value: minutes for extent, minutes in entry.minutes.items()},
                "needs": {program: find(program) is not None for program in entry.needs},
            }
            for entry in entries
        ],
    }


def print_list(entries: Sequence[Entry]) -> None:
    click.echo(wrapped("Real servers under real load. The minutes are for --quick, the default and --full."))
    width = max(len(entry.name) for entry in entries)
    for entry in entries:
        head = f"{entry.name:<{width}}  "
        minutes = " / ".join(f"{entry.minutes[extent]:g}" for extent in Extent)
        words = wrapped(f"{entry.title}, {minutes} min", head, " " * len(head))
        click.echo("\n" + words.replace(entry.name, click.style(entry.name, bold=True), 1))
        for line in _about(entry):
            click.echo(wrapped(line, " " * len(head), " " * len(head)).lstrip("\n"))
    click.echo("\n" + wrapped("To measure: asyncdemo lab NAME, or the lesson's id or number"))
    click.echo(wrapped("What is missing, and how to get it: asyncdemo doctor"))


def _about(entry: Entry) -> list[str]:
    lessons = entry.lessons or (entry.home,)
    told = [f"{'lesson' if len(lessons) == 1 else 'lessons'} {', '.join(lessons)}"]
    if entry.needs:
        missing = [program for program in entry.needs if find(program) is None]
        here = f"not here: {', '.join(missing)}" if missing else "all there"
        told.append(f"better with {' and '.join(entry.needs)} ({here})")
    return told


def find_entry(entries: Sequence[Entry], course: Course, typed: str) -> tuple[Entry, str]:
    """Return the experiment and the name that matched. Raises UsageError with a suggestion.

    It is the one with this name, of this lesson (id or number), or the only one whose name contains the text.
    """
    word = typed.strip().lower().replace("_", "-").replace(" ", "-")
    names = {name: entry for entry in reversed(entries) for name in (*entry.lessons, entry.name)}
    if word.isdecimal():
        word = find_lesson(course, word).id
    elif word not in names:
        fitting = [name for name in names if word and word in name]
        found = {names[name].name: name for name in fitting}
        if len(found) == 1:
            (word,) = fitting if len(fitting) == 1 else found
        elif found:
            raise UsageError(f"{typed!r} fits more than one experiment: {', '.join(sorted(found))}.")
    if word in names:
        return names[word], word
    raise UsageError(_unknown(names, entries, course, word))


def apps_of(entry: Entry, course: Course) -> Path:
    """Return the folder of its apps. Raises CourseError if this course does not have them."""
    for lesson in course.lessons:
        if lesson.id == entry.home and (lesson.folder / "apps").is_dir():
            return lesson.folder / "apps"
    raise CourseError(
        f"{course.folder}: the apps of {entry.name} belong to the lesson {entry.home}, which is missing."
    )


def _unknown(names: dict[str, Entry], entries: Sequence[Entry], course: Course, word: str) -> str:
    if any(lesson.id == word for lesson in course.lessons):
        led = ", ".join(name for entry in entries for name in entry.lessons)
        return f"The lesson {word} has no experiment. These have one: {led}."
    near = nearest(word, names)
    hint = f"Did you mean {near!r}?" if near else "`asyncdemo lab` shows them all."
    return f"There is no experiment {word!r}. {hint}"
