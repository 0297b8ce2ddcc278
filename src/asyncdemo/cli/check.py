"""``asyncdemo check``: what the check says of your exercises, and the timeline that shows it.

Not for: judging (``course.judging``), or how a verdict looks (``render.terminal.verdict``).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from asyncdemo.cli.exercises import (
    exercise_argument,
    find_exercise,
    load_exercise,
    need_workspace,
    next_words,
)
from asyncdemo.cli.options import course_option, json_option, plain_option
from asyncdemo.cli.signals import signals_noted
from asyncdemo.cli.terminal import can_draw, wrapped
from asyncdemo.course.content.catalog import Heading
from asyncdemo.course.content.exercise import Exercise
from asyncdemo.course.judging.judge import Failure, Stopped, Verdict, judge
from asyncdemo.course.judging.needs import need
from asyncdemo.course.workspace.context import CourseContext, locate, shown_path
from asyncdemo.course.workspace.next_step import current_exercise, exercises
from asyncdemo.course.workspace.progress import now
from asyncdemo.errors import (
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    EXIT_OK,
    AsyncdemoError,
    UsageError,
    WorkspaceError,
)
from asyncdemo.model import Lane, Request
from asyncdemo.render.terminal.verdict import verdict_lines, verdict_text
from asyncdemo.render.timeline.layout import open_ns
from asyncdemo.serving import ServiceCache
from asyncdemo.testing.checks import Evidence

__all__ = ["command"]

FORMAT = "asyncdemo.check/1"


@dataclass(frozen=True, slots=True)
class _Checked:
    """An exercise, the file that was checked, and what came out.

    task: as the exercise says it; None if it could not be checked: then the verdict's message says why.
    """

    lesson: Heading
    file: Path
    task: str | None
    verdict: Verdict


@click.command("check")
@exercise_argument()
@click.option(
    "--all",
    "check_all",
    is_flag=True,
    help="Every exercise, each in a line or two. "
    "One that cannot be checked counts as failed; the others are checked.",
)
@click.option(
    "--file",
    "own_file",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Check this file as EX. Needs no workspace, and leaves your progress as it is.",
)
@click.option(
    "--timeout",
    "timeout_s",
    metavar="SECONDS",
    type=click.FloatRange(min=0, min_open=True),
    help="End a run that takes longer; without it the exercise says how long.",
)
@click.option(
    "--seed",
    metavar="NUMBER",
    type=click.IntRange(min=0),
    help="Draw the values that an exercise is checked with from this number, as a failed check says it.",
)
@plain_option
@json_option
@course_option
@click.pass_context
def command(
    click_context: click.Context,
    exercise_name: str | None,
    check_all: bool,
    own_file: Path | None,
    timeout_s: float | None,
    seed: int | None,
    plain: bool,
    as_json: bool,
    course_folder: Path | None,
) -> None:
    """Run the exercise EX and say what its check sees.

    EX is an id, a number, a part of an id, or the file. Without it: the first that has not passed, or, if all
    have, all of them. Exit code 1 if one does not pass. This runs the exercise and code of the course.
    """
    if check_all and (exercise_name or own_file):
        raise UsageError("--all checks every exercise of the workspace: leave out EX and --file.")
    if own_file is not None and exercise_name is None:
        raise UsageError(
            f"Which exercise is {own_file} to be checked as? asyncdemo check --file {own_file} EX"
        )
    context = locate(course_folder)
    if own_file is None:
        need_workspace(context)
    records = context.progress.all() if context.progress else {}
    all_passed = exercise_name is None and current_exercise(context.course, records) is None
    chosen = (
        exercises(context.course) if check_all or all_passed else (find_exercise(context, exercise_name),)
    )
    if not chosen:
        find_exercise(context, None)  # says that there are none
    alone = len(chosen) == 1 and not check_all
    if plain:
        click_context.color = False
    checked: list[_Checked] = []
    with ServiceCache() as kept, signals_noted() as signals:
        for lesson in chosen:
            file = own_file or need_workspace(context).file(lesson)
            try:
                exercise = _exercise(lesson, timeout_s)
                need(lesson, exercise.load, exercise.services)
                verdict = _verdict(exercise, file, lambda: not signals, kept, seed)
                if verdict.repeat and own_file is not None:
                    verdict = replace(verdict, repeat=f"{verdict.repeat} --file {own_file}")
                item = _Checked(lesson, file, exercise.task, verdict)
            except Stopped:
                break
            except AsyncdemoError as error:
                if alone:
                    raise
                # One exercise that cannot be checked is no reason to say nothing of the others.
                item = _Checked(lesson, file, None, Verdict((), Failure(str(error), None), (), {}, ""))
            checked.append(item)
            if own_file is None and item.task is not None and (alone or _is_tried(item)):
                _remember(context, item)
            if as_json:
                click.echo(item.verdict.output, nl=False, err=True)
            elif alone:
                _print(item, plain=plain)
            else:
                _print_brief(item)
    if signals:
        if not as_json:
            click.echo("Interrupted.")
        click_context.exit(EXIT_INTERRUPTED)
    passed = all(item.verdict.passed for item in checked)
    if as_json:
        click.echo(json.dumps(_as_data(checked)))
    elif own_file is None:
        _conclude(context, checked, alone=alone)
    click_context.exit(EXIT_OK if passed else EXIT_FAILED)


def _exercise(lesson: Heading, timeout_s: float | None) -> Exercise:
    exercise = load_exercise(lesson)
    return exercise if timeout_s is None else replace(exercise, timeout_s=timeout_s)


def _verdict(
    exercise: Exercise, file: Path, poll: Callable[[], bool], kept: ServiceCache, seed: int | None
) -> Verdict:
    """Raises Stopped, CourseError."""
    if file.is_file():
        return judge(exercise, file, poll, kept=kept, seed=seed)
    words = f"{shown_path(file)} is not there. `asyncdemo reset {exercise.lesson_id}` gives it again."
    return Verdict((), Failure(words, None), (), {}, "")


def _is_tried(item: _Checked) -> bool:
    """Whether its text is not just the one that was given."""
    try:
        return item.file.read_bytes() != (item.lesson.folder / "exercise.py").read_bytes()
    except OSError:
        return True


def _remember(context: CourseContext, item: _Checked) -> None:
    if context.progress is None:
        return
    try:
        context.progress.update(item.lesson.id, lambda record: record.after_check(item.verdict.passed, now()))
    except WorkspaceError as error:  # the verdict is not less true
        click.echo(str(error), err=True)


def _print(item: _Checked, *, plain: bool) -> None:
    verdict = item.verdict
    title = f"Exercise {item.lesson.number}, {item.lesson.title}"
    click.echo(wrapped(f"{title}: {item.task}", rest="  ").replace(title, click.style(title, bold=True), 1))
    click.echo(f"{shown_path(item.file)}\n")
    message = verdict.failure.message if verdict.failure else None
    evidence = verdict.failure.evidence if verdict.failure else None
    if plain or not can_draw():
        for line in verdict_text(verdict.held, message, evidence, **_details(verdict)):
            click.echo(line)
    else:
        from asyncdemo.cli.console import make_console
        from asyncdemo.render.terminal.draw import Lines
        from asyncdemo.render.terminal.theme import theme_for

        console = make_console()
        lines = verdict_lines(
            verdict.held,
            message,
            evidence,
            theme_for(console.encoding),
            console.width,
            **_details(verdict),
        )
        console.print(Lines(lines), soft_wrap=True, highlight=False)
    click.echo()


def _details(verdict: Verdict) -> dict[str, Any]:
    return {"knobs": verdict.knobs, "output": verdict.output, "repeat": verdict.repeat}


def _print_brief(item: _Checked) -> None:
    failure = item.verdict.failure
    word, colour = ("failed", "yellow") if failure else ("passed", "green")
    head = f"{word}  {item.lesson.number:>2} {item.lesson.id}"
    again = f" Again with the same values: {item.verdict.repeat}" if item.verdict.repeat else ""
    text = wrapped(failure.message + again, f"{head}: ", " " * 11) if failure else head
    click.echo(text.replace(word, click.style(word, fg=colour), 1))
    sys.stdout.flush()


def _conclude(context: CourseContext, checked: Sequence[_Checked], *, alone: bool) -> None:
    if not alone:
        passed = sum(item.verdict.passed for item in checked)
        click.echo(f"\n{passed} of {len(checked)} exercises passed.")
    elif checked[0].verdict.passed:
        click.echo(click.style("Passed.", fg="green", bold=True))
    else:
        lesson = checked[0].lesson
        click.echo(wrapped(f"Not passed yet. If you are stuck: asyncdemo hint {lesson.id}", rest="  "))
        return
    for line in next_words(context):
        click.echo(line)


def _as_data(checked: Sequence[_Checked]) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "passed": all(item.verdict.passed for item in checked),
        "exercises": [_exercise_data(item) for item in checked],
    }


def _exercise_data(item: _Checked) -> dict[str, Any]:
    failure = item.verdict.failure
    return {
        "id": item.lesson.id,
        "number": item.lesson.number,
        "title": item.lesson.title,
        "file": str(item.file),
        "passed": item.verdict.passed,
        "held": list(item.verdict.held),
        "message": failure.message if failure else None,
        "knobs": dict(item.verdict.knobs),
        "seed": item.verdict.seed,
        "evidence": _evidence_data(failure.evidence) if failure and failure.evidence else None,
    }


def _evidence_data(evidence: Evidence) -> dict[str, Any]:
    """Seconds from the opening of the run's first row, as everywhere."""
    run, zero_ns = evidence.run, open_ns(evidence.run)

    def seconds(time_ns: int) -> float:
        return round((time_ns - zero_ns) / 1e9, 6)

    def row_data(row: Lane | Request) -> dict[str, Any]:
        start_s, end_s = seconds(row.start_ns), seconds(row.end_ns)
        return {"name": row.name, "start_s": start_s, "end_s": end_s, "outcome": str(row.outcome)}

    return {
        "start_s": seconds(evidence.start_ns),
        "end_s": seconds(evidence.end_ns),
        "lanes": [row_data(run.lanes[index]) for index in evidence.lanes],
        "requests": [row_data(run.requests[index]) for index in evidence.requests],
    }
