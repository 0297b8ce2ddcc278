"""``asyncdemo list``: modules, lessons, minutes, and which you have run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from asyncdemo.cli.options import course_option, json_option
from asyncdemo.cli.terminal import wrapped
from asyncdemo.course import progress
from asyncdemo.course.catalog import Course, Heading, find_course, load_course

__all__ = ["command"]

FORMAT = "asyncdemo.list/1"


@click.command("list")
@json_option
@course_option
def command(as_json: bool, course_folder: Path | None) -> None:
    """The lessons of the course, how long they take, and which you have run."""
    course = load_course(find_course(course_folder))
    records = progress.load(progress.default_file()) if course_folder is None else {}
    if as_json:
        click.echo(json.dumps(_as_data(course, records)))
        return
    names = max((len(lesson.id) for lesson in course.lessons), default=0)
    click.echo(wrapped(course.title))
    for module in course.modules:
        click.echo(f"\n{module.number}  {click.style(module.title, bold=True)}")
        for lesson in module.lessons:
            head = f"   {lesson.number:>2}  {lesson.id:<{names}}  {lesson.minutes:>3} min  "
            rest = " " * len(head)
            click.echo(wrapped(lesson.point, head, rest))
            if lesson.id in records:
                click.echo(rest + click.style(_done(records[lesson.id]), dim=True))
    first = next((lesson for lesson in course.lessons if lesson.id not in records), None)
    if first is not None:
        click.echo(f"\nNext: asyncdemo run {first.id}")


def _done(record: progress.Record) -> str:
    words = "run once" if record.runs == 1 else f"run {record.runs} times"
    return f"{words}, {record.right} of {record.asked} predictions right" if record.asked else words


def _as_data(course: Course, records: dict[str, progress.Record]) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "title": course.title,
        "modules": [
            {
                "number": module.number,
                "title": module.title,
                "lessons": [_lesson_data(lesson, records.get(lesson.id)) for lesson in module.lessons],
            }
            for module in course.modules
        ],
    }


def _lesson_data(lesson: Heading, record: progress.Record | None) -> dict[str, Any]:
    return {
        "id": lesson.id,
        "number": lesson.number,
        "title": lesson.title,
        "point": lesson.point,
        "minutes": lesson.minutes,
        "packages": list(lesson.packages),
        "progress": None
        if record is None
        else {"runs": record.runs, "predictions": record.asked, "predictions_right": record.right},
    }
