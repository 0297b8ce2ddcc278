"""``asyncdemo doctor``: what is installed, what is missing, and the exact command that fixes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

import click

from asyncdemo.cli.doctor_checks import TOPICS, checks_of_extra, packages_of_extras
from asyncdemo.cli.doctor_result import DoctorCheck, Status
from asyncdemo.cli.options import course_option, json_option
from asyncdemo.cli.terminal import wrap
from asyncdemo.course.content.catalog import Course, find_course, load_course
from asyncdemo.course.content.schedules import Schedule, find_schedule
from asyncdemo.course.judging.readiness import Readiness, numbers_words, readiness, readiness_words
from asyncdemo.errors import EXIT_MISSING, EXIT_OK, AsyncdemoError, UsageError
from asyncdemo.safe_text import json_text

FORMAT = "asyncdemo.doctor/1"
_LEFT_OUT: Final = frozenset({"Packages", "Lab"})
"""Topics that need --all: the first line already says what a lesson lacks."""


@click.command("doctor")
@click.option(
    "--for",
    "plan",
    metavar="PLAN",
    help="Check only whether the lessons of a schedule run here. PLAN is a schedule of docs/teach "
    "(90-minutes, half-a-day, ...) or a Markdown file that links to lessons. Exit code 3 if one does not "
    "run.",
)
@click.option(
    "--run",
    "runs",
    is_flag=True,
    help="With --for: also run every program of each lesson, compare the figures in its text with the run, "
    "and try each exercise: its check must fail the unedited file, and pass the solution. Takes a few "
    "minutes. Exit code 1 if something is not as the text says.",
)
@click.option("--all", "everything", is_flag=True, help="Also show optional packages and the lab's programs.")
@json_option
@course_option
@click.pass_context
def command(
    context: click.Context,
    plan: str | None,
    runs: bool,
    everything: bool,
    as_json: bool,
    course_folder: Path | None,
) -> None:
    """Show which lessons run here, what is missing, and the exact command that fixes it.

    Exit code 3 if something required is missing.
    """
    if runs and plan is None:
        raise UsageError("--run tries the lessons of a schedule: name it with --for.")
    if plan is not None:
        course = load_course(find_course(course_folder))
        schedule = find_schedule(course, plan)
        context.exit((_try_schedule if runs else _check_schedule)(course, schedule, as_json))
    checks = [(topic, check) for topic, look in TOPICS.items() for check in look()]
    broken = any(check.status is Status.BROKEN for _, check in checks)
    lessons = _lessons(course_folder)
    if as_json:
        checked = [{"topic": topic, **asdict(check)} for topic, check in checks]
        data = {"format": FORMAT, "ok": not broken, "lessons": _data(lessons), "checks": checked}
        click.echo(json_text(data))
    else:
        if lessons:
            click.echo(readiness_words(lessons))
        _print(
            [
                (topic, check)
                for topic, check in checks
                if everything or topic not in _LEFT_OUT or check.status is Status.BROKEN
            ]
        )
        click.echo("\nSomething required is missing." if broken else "\nNothing required is missing.")
    context.exit(EXIT_MISSING if broken else EXIT_OK)


def _lessons(course_folder: Path | None) -> list[Readiness]:
    """Return nothing if there is no course; a check reports that."""
    try:
        return readiness(load_course(find_course(course_folder)).lessons)
    except AsyncdemoError:
        return []


def _data(found: Sequence[Readiness]) -> list[dict[str, object]]:
    return [{"id": item.lesson.id, "ok": not item.fix, "fix": item.fix} for item in found]


def _try_schedule(course: Course, schedule: Schedule, as_json: bool) -> int:
    from asyncdemo.cli.rehearsal import exit_code, rehearse

    parts = rehearse(course, schedule, aloud=not as_json)
    code = exit_code(parts)
    if as_json:
        data = {
            "format": FORMAT,
            "ok": code == EXIT_OK,
            "schedule": schedule.title,
            "parts": list(map(asdict, parts)),
            "not_tried": list(schedule.measured),
        }
        click.echo(json_text(data))
    return code


def _check_schedule(_: Course, schedule: Schedule, as_json: bool) -> int:
    found = readiness(schedule.lessons)
    lab = checks_of_extra("lab", packages_of_extras().get("lab", ()))
    to_measure = next((check.fix for check in lab if check.status is Status.MISSING), "")
    measured = [{"id": name, "ok": not to_measure, "fix": to_measure} for name in schedule.measured]
    lessons = _data(found)
    ok = all(item["ok"] for item in (*lessons, *measured))
    if as_json:
        data = {"format": FORMAT, "ok": ok, "schedule": schedule.title, "lessons": lessons, "lab": measured}
        click.echo(json_text(data))
    elif ok:
        numbers = numbers_words(item.lesson.number for item in found)
        click.echo(f"{schedule.title}: its lessons ({numbers}) run here.")
    else:
        click.echo(f"{schedule.title}: not all of it runs here.\n{readiness_words(found)}")
        for experiment in schedule.measured if to_measure else ():
            click.echo(f"asyncdemo lab {experiment} needs: {to_measure}")
    return EXIT_OK if ok else EXIT_MISSING


def _print(checks: Sequence[tuple[str, DoctorCheck]]) -> None:
    colours = {Status.OK: "green", Status.NOTE: None, Status.MISSING: "yellow", Status.BROKEN: "red"}
    width = max(len(check.name) for _, check in checks)
    before = ""
    for topic, check in checks:
        if topic != before:
            before = topic
            click.echo(f"\n{click.style(topic, bold=True)}")
        first = f"  {check.status:<7}  {check.name:<{width}}  "
        lines = wrap(check.words, first, " " * len(first))
        click.echo(lines.replace(check.status, click.style(check.status, fg=colours[check.status]), 1))
        if check.fix:
            click.echo(f"{'':11}fix: {check.fix}")
