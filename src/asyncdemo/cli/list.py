"""``asyncdemo list``: modules, lessons, minutes, and your progress."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from asyncdemo.cli.exercises import locate_with_progress, next_words
from asyncdemo.cli.options import course_option, json_option
from asyncdemo.cli.terminal import wrap
from asyncdemo.course.content.catalog import Course, Heading
from asyncdemo.course.workspace.next_step import exercises
from asyncdemo.course.workspace.progress import Record
from asyncdemo.course.workspace.workspace import has_exercise
from asyncdemo.packages import install_command
from asyncdemo.safe_text import json_text

FORMAT = "asyncdemo.list/1"


@click.command("list")
@json_option
@course_option
def command(as_json: bool, course_folder: Path | None) -> None:
    """List the lessons of the course, how long they take, and your progress."""
    context = locate_with_progress(course_folder)
    course = context.course
    records = context.records
    if as_json:
        click.echo(json_text(_as_data(course, records)))
        return
    names = max((len(lesson.id) for lesson in course.lessons), default=0)
    click.echo(wrap(course.title))
    for module in course.modules:
        minutes = _minutes(module.lessons)
        click.echo(f"\n{module.number}  {click.style(module.title, bold=True)}, {minutes} min")
        for lesson in module.lessons:
            head = f"   {lesson.number:>2}  {lesson.id:<{names}}  {lesson.minutes:>3} min  "
            rest = " " * len(head)
            record = records.get(lesson.id, Record())
            click.echo(wrap(lesson.point if record.runs else lesson.question, head, rest))
            if done := _done(lesson, record):
                click.echo(click.style(wrap(done, rest, rest).lstrip("\n"), dim=True))
    click.echo("\n" + wrap(_in_all(course, records)))
    if lacking := [str(lesson.number) for lesson in course.lessons if lesson.missing_packages]:
        click.echo(wrap(f"More packages are needed for {', '.join(lacking)}: {install_command('course')}"))
    for line in next_words(context):
        click.echo(line)


def _minutes(lessons: Iterable[Heading]) -> int:
    return sum(lesson.minutes for lesson in lessons)


def _in_all(course: Course, records: Mapping[str, Record]) -> str:
    run = sum(1 for lesson in course.lessons if records.get(lesson.id, Record()).runs)
    tasks = exercises(course)
    passed = sum(1 for lesson in tasks if records.get(lesson.id, Record()).passed)
    words = f"In all: {_count(len(course.lessons), 'lesson')}, {_minutes(course.lessons)} min; {run} run"
    return words + (f", {passed} of {_count(len(tasks), 'exercise')} passed." if tasks else ".")


def _done(lesson: Heading, record: Record) -> str:
    words = []
    if record.runs:
        words.append("run once" if record.runs == 1 else f"run {record.runs} times")
        if record.asked:
            words.append(f"{record.right} of {record.asked} predictions right")
    if record.passed:
        words.append("exercise passed")
    elif record.checks and has_exercise(lesson):
        words.append(f"exercise not passed, {_count(record.checks, 'try', 'tries')}")
    return ", ".join(words)


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def _as_data(course: Course, records: Mapping[str, Record]) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "title": course.title,
        "minutes": _minutes(course.lessons),
        "modules": [
            {
                "number": module.number,
                "title": module.title,
                "minutes": _minutes(module.lessons),
                "lessons": [_lesson_data(lesson, records.get(lesson.id)) for lesson in module.lessons],
            }
            for module in course.modules
        ],
    }


def _lesson_data(lesson: Heading, record: Record | None) -> dict[str, Any]:
    return {
        "id": lesson.id,
        "number": lesson.number,
        "title": lesson.title,
        "question": lesson.question,
        "point": lesson.point,
        "minutes": lesson.minutes,
        "packages": list(lesson.packages),
        "exercise": has_exercise(lesson),
        "progress": None
        if record is None
        else {
            "runs": record.runs,
            "predictions": record.asked,
            "predictions_right": record.right,
            "checks": record.checks,
            "passed": record.passed or None,
            "hints": record.hints,
            "solution_shown": record.solution_shown,
        },
    }
