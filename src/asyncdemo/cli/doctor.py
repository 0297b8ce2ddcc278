"""``asyncdemo doctor``: what is installed, what is missing, and the exact command that fixes it."""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from itertools import pairwise
from pathlib import Path

import click

from asyncdemo.cli.built_site import find_site
from asyncdemo.cli.extras import Extra, extras
from asyncdemo.cli.lab_facts import facts_of_lab
from asyncdemo.cli.options import json_option
from asyncdemo.cli.terminal import facts_of_terminal, wrapped
from asyncdemo.course.content.catalog import find_course, load_course
from asyncdemo.course.content.schedules import find_schedule
from asyncdemo.course.judging.readiness import Readiness, numbers_words, readiness, readiness_words
from asyncdemo.errors import EXIT_MISSING, EXIT_OK, AsyncdemoError
from asyncdemo.packages import install_command, version_of
from asyncdemo.services import NAMES, NotThereError, Services, Source, choose, settings

FORMAT = "asyncdemo.doctor/1"
LEFT_OUT = frozenset({"Packages", "Lab"})
"""Topics that need --all: the first line already says what a lesson lacks."""
NEEDED = ("click", "psutil", "rich")
_VERSION = "{}.{}".format(*sys.version_info)


class Status(StrEnum):
    OK = "ok"
    NOTE = "note"
    """Works, but with a remark."""
    MISSING = "missing"
    """Nothing here needs it, but something optional will not work."""
    BROKEN = "broken"
    """Needed, but missing."""


@dataclass(frozen=True, slots=True)
class Check:
    """A check's result. ``fix`` is the exact command, or what to change; "" if there is nothing to fix."""

    topic: str
    name: str
    status: Status
    words: str
    fix: str = ""


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
    checks = [*_python(), *_packages(), *_services(), *_lab(), *_terminal(), *_system()]
    broken = any(check.status is Status.BROKEN for check in checks)
    lessons = _lessons()
    if as_json:
        checked = [asdict(check) for check in checks]
        data = {"format": FORMAT, "ok": not broken, "lessons": _data(lessons), "checks": checked}
        click.echo(json.dumps(data))
    else:
        if lessons:
            click.echo(readiness_words(lessons))
        _print([check for check in checks if _is_shown(check, everything)], broken)
    context.exit(EXIT_MISSING if broken else EXIT_OK)


def _is_shown(check: Check, everything: bool) -> bool:
    return everything or check.topic not in LEFT_OUT or check.status is Status.BROKEN


def _lessons() -> list[Readiness]:
    """Return nothing if there is no course; a check reports that."""
    try:
        return readiness(load_course(find_course()).lessons)
    except AsyncdemoError:
        return []


def _data(found: Sequence[Readiness]) -> list[dict[str, object]]:
    return [{"id": one.lesson.id, "ok": not one.fix, "fix": one.fix} for one in found]


def _check_schedule(name: str, as_json: bool) -> int:
    """Check a schedule's lessons. Returns the exit code."""
    schedule = find_schedule(load_course(find_course()), name)
    found = readiness(schedule.lessons)
    lab = next((one for one in extras(NEEDED) if one.name == "lab"), None)
    to_measure = lab.install if lab is not None and lab.missing else ""
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


def _print(checks: list[Check], broken: bool) -> None:
    colours = {Status.OK: "green", Status.NOTE: None, Status.MISSING: "yellow", Status.BROKEN: "red"}
    width = max(len(check.name) for check in checks)
    topic = ""
    for check in checks:
        if check.topic != topic:
            topic = check.topic
            click.echo(f"\n{click.style(topic, bold=True)}")
        first = f"  {check.status:<7}  {check.name:<{width}}  "
        lines = wrapped(check.words, first, " " * len(first))
        click.echo(lines.replace(check.status, click.style(check.status, fg=colours[check.status]), 1))
        if check.fix:
            click.echo(f"{'':11}fix: {check.fix}")
    click.echo("\nSomething needed is missing." if broken else "\nNothing needed is missing.")


def _python() -> Iterator[Check]:
    topic = "Python"
    version = f"{platform.python_implementation()} {platform.python_version()}"
    yield Check(topic, "version", Status.OK, f"{version}, {sys.executable}")
    if platform.python_implementation() != "CPython":
        yield Check(topic, "interpreter", Status.NOTE, "the tracer is tested on CPython only")
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        yield Check(topic, "GIL", Status.BROKEN, "off: nothing is recorded without it", "export PYTHON_GIL=1")
    try:
        course = load_course(find_course())
    except AsyncdemoError as error:
        yield Check(topic, "lessons", Status.BROKEN, str(error), install_command())
    else:
        yield Check(topic, "lessons", Status.OK, f"{len(course.lessons)} in {course.folder}")
    try:
        yield Check(topic, "docs site", Status.OK, str(find_site()))
    except AsyncdemoError as error:
        yield Check(topic, "docs site", Status.NOTE, str(error))


def _packages() -> Iterator[Check]:
    topic = "Packages"
    uvloop = version_of("uvloop")
    words = (
        f"{uvloop}: scripts that use it can be traced"
        if uvloop
        else "not installed; only scripts that use it need it"
    )
    yield Check(topic, "uvloop", Status.OK, words)
    for extra in extras(NEEDED):
        status = Status.BROKEN if not extra.name else Status.MISSING
        name = f"extra {extra.name}" if extra.name else "asyncdemo"
        if extra.missing:
            words = f"missing: {', '.join(extra.missing)}"
            yield Check(topic, name, status, words, extra.install)
        else:
            yield Check(topic, name, Status.OK, _present(extra))
        if extra.not_built:
            words = f"{', '.join(extra.not_built)}: no wheel for Python {_VERSION}, and left out"
            yield Check(topic, name, Status.NOTE, words)


def _present(extra: Extra) -> str:
    return ", ".join(f"{name} {version}" for name, version in extra.present.items()) or "needs nothing"


def _services() -> Iterator[Check]:
    """Yield the server to be used for each. One that is running is briefly used, to see whether it works."""
    for name in NAMES:
        try:
            choice = choose(name)
            words = choice.words()
            if choice.source is Source.URL:
                with Services([name]) as services:
                    words = f"{words}: {services.words[name]}"
            yield Check("Services", name, Status.OK, words)
        except NotThereError as error:
            yield Check("Services", name, Status.MISSING, error.words, error.fix)
        except AsyncdemoError as error:
            yield Check("Services", name, Status.MISSING, str(error), f"unset {' '.join(settings(name))}")


def _lab() -> Iterator[Check]:
    """Yield what the lab measures besides packages. If something is missing, the lab says so and omits it."""
    for name, good, words, fix in facts_of_lab():
        status = Status.OK if good else Status.MISSING if fix else Status.NOTE
        yield Check("Lab", name, status, words, fix)


def _terminal() -> Iterator[Check]:
    for name, good, words, fix in facts_of_terminal():
        yield Check("Terminal", name, Status.OK if good else Status.NOTE, words, fix)


def _system() -> Iterator[Check]:
    topic = "System"
    yield Check(topic, "platform", Status.OK, f"{platform.platform()}, {_processors()}")
    clock = time.get_clock_info("perf_counter")
    tick = _tick_ns()
    words = f"{clock.implementation}, resolution {clock.resolution * 1e9:.0f} ns, two reads {tick} ns apart"
    if clock.resolution <= 1e-6:
        yield Check(topic, "clock", Status.OK, words)
    else:
        yield Check(topic, "clock", Status.NOTE, f"{words}: shorter steps cannot be measured")
    yield Check(
        topic, "CPU time of threads", Status.OK, "readable: computing is told apart from being descheduled"
    )
    if Path("/proc/self/stat").is_file():
        yield Check(topic, "/proc", Status.OK, "readable")
    else:
        yield Check(
            topic, "/proc", Status.NOTE, "not readable: memory and time stolen by others are not known"
        )


def _processors() -> str:
    affinity = getattr(os, "sched_getaffinity", None)
    count = len(affinity(0)) if affinity else os.cpu_count() or 1
    return "1 processor" if count == 1 else f"{count} processors"


def _tick_ns() -> int:
    """Return the shortest time between two reads of the clock that differ."""
    reads = [time.perf_counter_ns() for _ in range(200)]
    return min(later - earlier for earlier, later in pairwise(reads) if later > earlier)
