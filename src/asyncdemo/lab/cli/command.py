"""``asyncdemo lab``: the experiments as a list; or one, measured on real servers, with a report."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import click
from click.shell_completion import CompletionItem

from asyncdemo.cli.console import make_console
from asyncdemo.cli.options import course_option, json_option, plain_option
from asyncdemo.cli.terminal import can_ask, can_draw, wrap
from asyncdemo.course.content.catalog import Course
from asyncdemo.course.content.lookup import find_lesson, nearest
from asyncdemo.course.workspace.context import locate
from asyncdemo.errors import CourseError, UsageError
from asyncdemo.lab.cli import result_files
from asyncdemo.lab.cli.measuring import Order, measure
from asyncdemo.lab.experiments import EXPERIMENTS, Entry
from asyncdemo.lab.harness.machine import find
from asyncdemo.lab.results.setup import Extent
from asyncdemo.safe_text import json_text

FORMAT: Final = "asyncdemo.lab-list/1"


def _complete(context: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:  # noqa: ARG001
    return [CompletionItem(entry.name, help=entry.title) for entry in EXPERIMENTS if typed in entry.name]


@click.command("lab", short_help="Measure real servers.")
@click.argument("name", metavar="[LESSON|EXPERIMENT]", required=False, shell_complete=_complete)
@click.option("--quick", is_flag=True, help="About a minute: few rounds and settings, and nothing is ranked.")
@click.option("--full", is_flag=True, help="Longer windows, more settings. Under an hour.")
@plain_option
@json_option
@click.option(
    "--save",
    "save_to",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Save the record (.json) and its page (.html) in DIR. An older record is overwritten, unless it is "
    "complete and the new one ended early; no other file is overwritten. By default, they are saved in a new "
    "folder, which is named at the end.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    metavar="N",
    help="The seed for the order of the contestants in each round.",
)
@click.option(
    "--set",
    "set_to",
    metavar="KNOB=VALUE",
    multiple=True,
    help="For twenty-one-pairs: measure two of its pairs under this setting, beside the article's own. The "
    "knobs are WORKERS, SESSIONS, DELAY_MS and CLIENTS. PAIRS=A,B chooses the pairs; by default, they are "
    "flask-gunicorn,starlette-uvicorn. Can be repeated.",
)
@click.option("--fresh", is_flag=True, help="Start over, even if an earlier run could continue.")
@click.option("--no-predict", is_flag=True, help="Don't ask for a prediction.")
@course_option
@click.pass_context
def command(
    context: click.Context,
    name: str | None,
    quick: bool,
    full: bool,
    plain: bool,
    as_json: bool,
    save_to: Path | None,
    seed: int | None,
    set_to: tuple[str, ...],
    fresh: bool,
    no_predict: bool,
    course_folder: Path | None,
) -> None:
    """Measure an experiment on real servers, and report our ratios beside the published ones.

    Without a name, this lists the experiments. A LESSON, given as in other commands, stands for its
    experiment.
    If a run ends early, by Ctrl-C or otherwise, start it again to continue it.
    Run nothing else on the machine in the meantime.
    """
    measures = bool(quick or full or save_to or fresh or seed is not None or set_to)
    if name is None:
        if measures:
            raise UsageError("Name an experiment: asyncdemo lab NAME. To list them: asyncdemo lab")
        click.echo(json_text(_as_data())) if as_json else _print_list()
        return
    if quick and full:
        raise UsageError("Give --quick or --full, not both.")
    course_context = locate(course_folder)
    entry = _find_entry(course_context.course, name)
    apps = _apps_of(entry, course_context.course)
    if set_to:
        entry = entry.with_settings(set_to)
    if save_to is not None:
        result_files.check_target(save_to, entry.name)
    console = make_console() if can_draw() and not (plain or as_json) else None
    if console is None:
        context.color = False
    order = Order(
        entry,
        Extent.QUICK if quick else Extent.FULL if full else Extent.DEFAULT,
        apps,
        course_folder,
        seed,
        save_to,
        console,
        as_json,
        asks=can_ask() and not (no_predict or as_json or quick),
    )
    with result_files.measuring_alone():
        context.exit(measure(order, fresh=fresh))


# -- the list ------------------------------------------------------------------------------------------------


def _as_data() -> dict[str, Any]:
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
            for entry in EXPERIMENTS
        ],
    }


def _print_list() -> None:
    click.echo(wrap("Real servers under real load. The minutes are for --quick, the default and --full."))
    width = max(len(entry.name) for entry in EXPERIMENTS)
    for entry in EXPERIMENTS:
        head = f"{entry.name:<{width}}  "
        minutes = " / ".join(f"{entry.minutes[extent]:g}" for extent in Extent)
        words = wrap(f"{entry.title}, {minutes} min", head, " " * len(head))
        click.echo("\n" + words.replace(entry.name, click.style(entry.name, bold=True), 1))
        for line in _about(entry):
            click.echo(wrap(line, " " * len(head), " " * len(head)).lstrip("\n"))
    click.echo("\n" + wrap("To measure: asyncdemo lab NAME, or the lesson's id or number"))
    click.echo(wrap("To see what is missing: asyncdemo doctor --all"))


def _about(entry: Entry) -> Iterable[str]:
    lessons = entry.lessons or (entry.home,)
    yield f"{'lesson' if len(lessons) == 1 else 'lessons'} {', '.join(lessons)}"
    if entry.needs:
        missing = [program for program in entry.needs if find(program) is None]
        here = f"not here: {', '.join(missing)}" if missing else "all there"
        yield f"better with {' and '.join(entry.needs)} ({here})"


# -- which one is meant --------------------------------------------------------------------------------------


def _find_entry(course: Course, typed: str) -> Entry:
    """Return the experiment. Raises UsageError with a suggestion.

    It is the one with this name, of this lesson (id or number), or the only one whose name contains the text.
    """
    word = typed.strip().lower().replace("_", "-").replace(" ", "-")
    names = {name: entry for entry in reversed(EXPERIMENTS) for name in (*entry.lessons, entry.name)}
    if word.isdecimal():
        word = find_lesson(course, word).id
    elif word not in names:
        fitting = [name for name in names if word and word in name]
        found = {names[name].name: name for name in fitting}
        if len(found) == 1:
            (word,) = found
        elif found:
            raise UsageError(f"{typed!r} matches more than one experiment: {', '.join(sorted(found))}.")
    if word in names:
        return names[word]
    if any(lesson.id == word for lesson in course.lessons):
        led = ", ".join(name for entry in EXPERIMENTS for name in entry.lessons)
        raise UsageError(f"The lesson {word} has no experiment. These have one: {led}.")
    near = nearest(word, names)
    hint = f"Did you mean {near!r}?" if near else "`asyncdemo lab` lists them."
    raise UsageError(f"There is no experiment {word!r}. {hint}")


def _apps_of(entry: Entry, course: Course) -> Path:
    for lesson in course.lessons:
        if lesson.id == entry.home and (lesson.folder / "apps").is_dir():
            return lesson.folder / "apps"
    raise CourseError(
        f"{course.folder}: the apps of {entry.name} belong to the lesson {entry.home}, which is missing."
    )
