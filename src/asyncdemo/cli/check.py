"""``asyncdemo check``: the verdicts on your exercises, and the timeline that shows each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

import click

from asyncdemo.cli.check_many import (
    CSV_HEAD,
    JUNIT_HEAD,
    Checked,
    Checker,
    Status,
    as_data,
    table_as_csv,
    table_as_data,
    table_as_junit,
    words_of,
)
from asyncdemo.cli.exercises import (
    exercise_argument,
    find_exercise,
    need_workspace,
    next_words,
    report_trouble,
)
from asyncdemo.cli.options import course_option, json_option, plain_option
from asyncdemo.cli.output import say_last
from asyncdemo.cli.overwrite import check_table, explain_unwritable
from asyncdemo.cli.signals import noting_signals
from asyncdemo.cli.terminal import can_draw, wrap
from asyncdemo.course.judging.judge import Stopped
from asyncdemo.course.workspace.context import CourseContext, locate, shown_path
from asyncdemo.course.workspace.files import replace as replace_file
from asyncdemo.course.workspace.handed_in import find_submissions
from asyncdemo.course.workspace.next_step import current_exercise, exercises
from asyncdemo.course.workspace.progress import now
from asyncdemo.errors import EXIT_FAILED, EXIT_OK, UsageError
from asyncdemo.render.terminal.verdict import verdict_text, verdict_to_fit
from asyncdemo.safe_text import json_text
from asyncdemo.serving import ServiceCache

FORMAT = "asyncdemo.check/1"
_WIDEST: Final = max(map(len, Status))
_BELOW: Final = 4
"""Lines below a verdict: two empty ones, the conclusion, the prompt."""


@click.command("check")
@exercise_argument()
@click.option(
    "--all",
    "check_all",
    is_flag=True,
    help="Check every exercise that you have edited, in a line or two each. "
    "If one cannot be checked, that is reported, and the others are still checked.",
)
@click.option(
    "--handed-in",
    "handed_in",
    metavar="FOLDER",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="With --all: check every workspace in FOLDER, and put the results in one table.",
)
@click.option(
    "--csv",
    "csv_file",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="With --handed-in: write the table to FILE as CSV, one line per workspace.",
)
@click.option(
    "--junit",
    "junit_file",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="With --handed-in: write the table to FILE as JUnit XML, which CI servers can show.",
)
@click.option(
    "--file",
    "own_file",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Check this file as EX. Needs no workspace, and does not change your progress.",
)
@click.option(
    "--timeout",
    "timeout_s",
    metavar="SECONDS",
    type=click.FloatRange(min=0, min_open=True),
    help="Stop a run that takes longer than this. By default, the exercise sets the limit.",
)
@click.option(
    "--seed",
    metavar="NUMBER",
    type=click.IntRange(min=0),
    help="The seed for the check's random values, as reported by a failed check.",
)
@plain_option
@json_option
@course_option
@click.pass_context
def command(
    click_context: click.Context,
    exercise_name: str | None,
    check_all: bool,
    handed_in: Path | None,
    csv_file: Path | None,
    junit_file: Path | None,
    own_file: Path | None,
    timeout_s: float | None,
    seed: int | None,
    plain: bool,
    as_json: bool,
    course_folder: Path | None,
) -> None:
    """Run the exercise EX and report what its check sees.

    EX is an id, a number, a part of an id, or the file. Without EX, this checks the first exercise that has
    not passed, or, if all have passed, all of them. Exit code 1 if one does not pass. A check runs the
    exercise and code of the course.
    """
    if check_all and (exercise_name or own_file):
        raise UsageError("--all checks every exercise of the workspace. Leave out EX and --file.")
    if handed_in is not None and not check_all:
        raise UsageError(f"--handed-in needs --all: asyncdemo check --all --handed-in {handed_in}")
    if handed_in is None and (csv_file or junit_file):
        raise UsageError(
            "--csv and --junit write the table that --handed-in FOLDER makes. Add --handed-in FOLDER."
        )
    if own_file is not None and exercise_name is None:
        raise UsageError(f"Which exercise is {own_file}? Name it: asyncdemo check --file {own_file} EX")
    context = locate(course_folder)
    if handed_in is not None:
        code = _check_handed_in(context, handed_in, csv_file, junit_file, timeout_s, seed, as_json)
        click_context.exit(code)
    if own_file is None:
        report_trouble(context.prepare_progress())
        need_workspace(context)
    lessons = exercises(context.course)
    all_passed = exercise_name is None and current_exercise(context.course, context.records) is None
    if not (lessons and (check_all or all_passed)):
        lessons = (find_exercise(context, exercise_name),)
    alone = len(lessons) == 1 and not check_all
    if plain:
        click_context.color = False
    checked: list[Checked] = []
    with _interruptible(quiet=as_json), ServiceCache() as service_cache:
        for lesson in lessons:
            with _stoppable(service_cache, timeout_s, seed) as checker:
                if own_file is not None:
                    item = checker.check_file(lesson, own_file)
                    if item.verdict.repeat:
                        repeat = f"{item.verdict.repeat} --file {own_file}"
                        item = replace(item, verdict=replace(item.verdict, repeat=repeat))
                elif not alone:
                    item = checker.check_in(need_workspace(context), lesson)
                else:
                    item = checker.check_file(lesson, need_workspace(context).file(lesson))
                if alone and item.trouble is not None:
                    raise item.trouble
                checked.append(item)
            if not as_json:
                _print(item, plain=plain) if alone else _print_brief(item)
            if own_file is None and item.status in (Status.PASSED, Status.FAILED):
                report_trouble(_remember(context, item))  # after the verdict, because it may have to wait
    passed = all(item.verdict.passed for item in checked)
    if as_json:
        data = {"format": FORMAT, "passed": passed, "exercises": [as_data(item) for item in checked]}
        click.echo(json_text(data))
    elif own_file is None:
        _conclude(context, checked, alone=alone)
    click_context.exit(EXIT_OK if passed else EXIT_FAILED)


@contextmanager
def _interruptible(*, quiet: bool, more: str = "") -> Iterator[None]:
    """Say that the command was interrupted, unless ``quiet``, with ``more`` words."""
    try:
        yield
    except KeyboardInterrupt:
        if not quiet:
            say_last(f"Interrupted.{more}")
        raise


@contextmanager
def _stoppable(service_cache: ServiceCache, timeout_s: float | None, seed: int | None) -> Iterator[Checker]:
    """Stop a check in order if a signal arrives; only then raise KeyboardInterrupt."""
    with noting_signals() as signals, suppress(Stopped):
        yield Checker(service_cache, lambda: not signals, timeout_s, seed)
    if signals:
        raise KeyboardInterrupt


def _remember(context: CourseContext, item: Checked) -> str:
    """Return why it can't be remembered, or ""."""
    passed = item.verdict.passed
    return context.remember(item.lesson.id, lambda record: record.after_check(passed, now()))


def _print(item: Checked, *, plain: bool) -> None:
    title = f"Exercise {item.lesson.number}, {item.lesson.title}"
    task = f"{title}: {item.task}" if item.task else title
    head = wrap(task, rest="  ").replace(title, click.style(title, bold=True), 1)
    head += f"\n{shown_path(item.file)}\n"
    click.echo(head)
    if plain or not can_draw():
        for line in verdict_text(item.verdict):
            click.echo(line)
    else:
        from asyncdemo.cli.console import make_console
        from asyncdemo.render.terminal.draw import Lines
        from asyncdemo.render.terminal.theme import theme_for

        console = make_console()
        room = console.height - len(head.splitlines()) - _BELOW
        lines = verdict_to_fit(item.verdict, theme_for(console.encoding), console.width, room)
        console.print(Lines(lines), soft_wrap=True, highlight=False)
    click.echo()


def _print_brief(item: Checked) -> None:
    colour = {Status.PASSED: "green", Status.UNTOUCHED: "bright_black"}.get(item.status, "yellow")
    head = f"{item.status:<{_WIDEST}}  {item.lesson.number:>2} {item.lesson.id}"
    text = head
    if item.status not in (Status.PASSED, Status.UNTOUCHED):
        again = f" To repeat this check: {item.verdict.repeat}" if item.verdict.repeat else ""
        text = wrap(f"{item.verdict.message}{again}", f"{head}: ", " " * (_WIDEST + 5))
    click.echo(text.replace(item.status, click.style(item.status, fg=colour), 1))


def _check_handed_in(
    context: CourseContext,
    folder: Path,
    csv_file: Path | None,
    junit_file: Path | None,
    timeout_s: float | None,
    seed: int | None,
    as_json: bool,
) -> int:
    """Return the exit code."""
    if csv_file is not None:
        check_table(csv_file, CSV_HEAD.encode(), f"--csv {csv_file}")
    if junit_file is not None:
        check_table(junit_file, JUNIT_HEAD.encode(), f"--junit {junit_file}")
    lessons = exercises(context.course)
    people: dict[str, list[Checked]] = {}
    no_table = " No table was written." if csv_file or junit_file else ""
    with _interruptible(quiet=as_json, more=no_table), ServiceCache() as service_cache:
        for submission in find_submissions(folder, lessons):
            name = submission.name
            with _stoppable(service_cache, timeout_s, seed) as checker:
                people[name] = [checker.check_submission(submission, lesson) for lesson in lessons]
            if not as_json:
                click.echo(wrap(words_of(name, people[name]), rest="  "))
    if csv_file is not None:
        _write(csv_file, table_as_csv(people, lessons))
    if junit_file is not None:
        _write(junit_file, table_as_junit(people))
    passed = all(item.verdict.passed for checked in people.values() for item in checked)
    if as_json:
        click.echo(json_text({"format": FORMAT, "passed": passed, "workspaces": table_as_data(people)}))
    return EXIT_OK if passed else EXIT_FAILED


def _write(file: Path, text: str) -> None:
    with explain_unwritable(file):
        replace_file(file, text.encode())


def _conclude(context: CourseContext, checked: Sequence[Checked], *, alone: bool) -> None:
    if not alone:
        passed = sum(item.verdict.passed for item in checked)
        untouched = sum(item.status is Status.UNTOUCHED for item in checked)
        more = f", {untouched} untouched" if untouched else ""
        click.echo(f"\n{passed} of {len(checked)} exercises passed{more}.")
    elif checked[0].verdict.passed:
        click.echo(click.style("Passed.", fg="green", bold=True))
    else:
        lesson = checked[0].lesson
        click.echo(wrap(f"Not passed yet. If you're stuck: asyncdemo hint {lesson.id}", rest="  "))
        return
    for line in next_words(context):
        click.echo(line)
