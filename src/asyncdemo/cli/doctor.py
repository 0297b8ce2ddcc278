"""``asyncdemo doctor``: what is installed, what is missing, and the exact command that fixes it.

Not here: the checks (see ``doctor_checks``).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

import click

from asyncdemo.cli.doctor_checks import TOPICS, Check, Status, checks_of_extra, packages_of_extras
from asyncdemo.cli.options import json_option
from asyncdemo.cli.terminal import wrapped
from asyncdemo.course.content.catalog import find_course, load_course
from asyncdemo.course.content.schedules import find_schedule
from asyncdemo.course.judging.readiness import Readiness, numbers_words, readiness, readiness_words
from asyncdemo.errors import EXIT_MISSING, EXIT_OK, AsyncdemoError

FORMAT = "asyncdemo.doctor/1"
_LEFT_OUT: Final = frozenset({"Packages", "Lab"})
"""Topics that need --all: the first line already says what a lesson lacks."""


@click.command("doctor")
@click.option(
    "--for",
    "plan",
    metavar="PLAN",
    help="Only whether the lessons of a schedule run here: of docs/teach (90-minutes, half-a-day, ...), or a "
    "Markdown file that links to its lessons. Exit code 3 if one does not.",
)
@click.option("--all", "everything", is_flag=True, help="Optional packages and the lab's programs, too.")
@json_option
@click.pass_context
def command(context: click.Context, plan: str | None, everything: bool, as_json: bool) -> None:
    """Which lessons run here, what is missing, and the exact command that fixes it.

    Exit code 3 if something is missing that nothing works without.
    """
    if plan is not None:
        context.exit(_check_schedule(plan, as_json))
    checks = [(topic, check) for topic, look in TOPICS.items() for check in look()]
    broken = any(check.status is Status.BROKEN for _, check in checks)
    lessons = _lessons()
    if as_json:
        checked = [{"topic": topic, **asdict(check)} for topic, check in checks]
        data = {"format": FORMAT, "ok": not broken, "lessons": _data(lessons), "checks": checked}
        click.echo(json.dumps(data))
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
        click.echo("\nSomething needed is missing." if broken else "\nNothing needed is missing.")
    context.exit(EXIT_MISSING if broken else EXIT_OK)


def _lessons() -> list[Readiness]:
    """Return nothing if there is no course; a check reports that."""
    try:
        return readiness(load_course(find_course()).lessons)
    except AsyncdemoError:
        return []


def _data(found: Sequence[Readiness]) -> list[dict[str, object]]:
    return [{"id": one.lesson.id, "ok": not one.fix, "fix": one.fix} for one in found]


def _check_schedule(name: str, as_json: bool) -> int:
    schedule = find_schedule(load_course(find_course()), name)
    found = readiness(schedule.lessons)
    lab = checks_of_extra("lab", packages_of_extras().get("lab", ()))
    to_measure = next((check.fix for check in lab if check.status is Status.MISSING), "")
    measured = [{"id": one, "ok": not to_measure, "fix": to_measure} for one in schedule.measured]
    lessons = _data(found)
    ok = all(one["ok"] for one in (*lessons, *measured))
    if as_json:
        data = {"format": FORMAT, "ok": ok, "schedule": schedule.title, "lessons": lessons, "lab": measured}
        click.echo(json.dumps(data))
    elif ok:
        numbers = numbers_words(one.lesson.number for one in found)
        click.echo(f"{schedule.title}: its lessons, {numbers}, run here.")
    else:
        click.echo(f"{schedule.title}: not all of it runs here.\n{readiness_words(found)}")
        for one in schedule.measured if to_measure else ():
            click.echo(f"asyncdemo lab {one} needs: {to_measure}")
    return EXIT_OK if ok else EXIT_MISSING


def _print(checks: Sequence[tuple[str, Check]]) -> None:
    colours = {Status.OK: "green", Status.NOTE: None, Status.MISSING: "yellow", Status.BROKEN: "red"}
    width = max(len(check.name) for _, check in checks)
    before = ""
    for topic, check in checks:
        if topic != before:
            before = topic
            click.echo(f"\n{click.style(topic, bold=True)}")
        first = f"  {check.status:<7}  {check.name:<{width}}  "
        lines = wrapped(check.words, first, " " * len(first))
        click.echo(lines.replace(check.status, click.style(check.status, fg=colours[check.status]), 1))
        if check.fix:
            click.echo(f"{'':11}fix: {check.fix}")
