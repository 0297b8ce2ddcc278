"""``asyncdemo run``: predict, run every variant of a lesson, compare."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click

from asyncdemo.analysis.metrics import measure
from asyncdemo.analysis.metrics.requests import has_failed
from asyncdemo.cli.console import make_console, print_output, print_runs
from asyncdemo.cli.exercises import complete, locate_with_progress, next_words, program, report_trouble
from asyncdemo.cli.lesson_text import (
    ask,
    introduce,
    print_answers,
    print_code,
    print_section,
    say_how_to_measure,
)
from asyncdemo.cli.options import course_option, details_option, json_option, plain_option, set_option
from asyncdemo.cli.overwrite import check_recording
from asyncdemo.cli.recording import Recorded, record_quietly, save_run
from asyncdemo.cli.terminal import can_ask, can_draw, interactive, wrap, wrap_for
from asyncdemo.course.content import knobs as course_knobs
from asyncdemo.course.content.catalog import Heading
from asyncdemo.course.content.lesson import Lesson, Variant, load_lesson
from asyncdemo.course.content.lookup import find_lesson
from asyncdemo.course.content.predictions import fill
from asyncdemo.course.judging.answers import answerable, judge_answers, to_predicted
from asyncdemo.course.judging.lesson_jobs import LessonJobs, unexpected_runs
from asyncdemo.course.workspace.context import CourseContext, locate
from asyncdemo.course.workspace.next_step import first_unread
from asyncdemo.errors import (
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    EXIT_OK,
    UsageError,
)
from asyncdemo.model import Run, RunOutcome
from asyncdemo.recording.runner import Stdout
from asyncdemo.render.text.json_result import lesson_result
from asyncdemo.render.words import join
from asyncdemo.safe_text import json_text
from asyncdemo.serving import Job

_OUTPUT_LINES = 10
_TRACEBACK_LINES = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """What to run of a lesson, and how to show it."""

    lesson_name: str | None
    set_to: tuple[str, ...]
    chosen: tuple[str, ...]
    plain: bool
    details: bool
    as_json: bool
    save_to: Path | None
    show_code: bool
    no_predict: bool
    presenting: bool
    start_at: str | None
    timeout_s: float
    course_folder: Path | None


@click.command("run")
@click.argument(
    "lesson_name",
    metavar="LESSON",
    required=False,
    shell_complete=complete(lambda course: course.lessons),
)
@set_option
@click.option(
    "--variant",
    "chosen",
    metavar="NAME",
    multiple=True,
    help="Run only this variant. Can be repeated.",
)
@plain_option
@details_option
@json_option
@click.option(
    "--save",
    "save_to",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Save the recordings in DIR, one file for each variant, for `asyncdemo show`. "
    "An older recording is overwritten; any other file of that name is not.",
)
@click.option(
    "--code",
    "show_code",
    is_flag=True,
    help="Show the programs, with the lines that differ marked; with --variant, only that one. Runs nothing.",
)
@click.option(
    "--no-predict", is_flag=True, help="Don't ask for predictions, and leave them out of the report."
)
@click.option(
    "--present",
    "presenting",
    is_flag=True,
    help="For a class with a projector: full screen, large, one step per key. Progress is not saved.",
)
@click.option(
    "--from",
    "start_at",
    metavar="STEP",
    help="With --present: start at this step (predict, run, timeline, ...) or number. If the step shows what "
    "the programs did, they run first.",
)
@click.option(
    "--timeout",
    "timeout_s",
    metavar="SECONDS",
    type=click.FloatRange(min=0, min_open=True),
    default=60.0,
    show_default=True,
    help="Stop a variant that takes longer than this.",
)
@course_option
@click.pass_context
def command(click_context: click.Context, /, **request: Any) -> None:
    """Predict, run every variant of LESSON, compare.

    LESSON is an id (two-sleeps), a number (1) or a part of only one id. `asyncdemo list` shows them. By
    default, it is the first lesson that you have neither run nor passed. Without a terminal, no questions
    are asked.
    """
    wanted = RunRequest(**request)
    context = locate_with_progress(wanted.course_folder)
    course = context.course
    heading = _next(context) if wanted.lesson_name is None else find_lesson(course, wanted.lesson_name)
    lesson = load_lesson(heading.folder)
    if wanted.start_at and not wanted.presenting:
        raise UsageError("--from is a step of a presentation: use it with --present.")
    if wanted.show_code:
        console = make_console() if can_draw() and not wanted.plain else None
        print_code(lesson, lesson.chosen(wanted.chosen), console)
        return
    if wanted.presenting:
        _need_a_screen(wanted.plain or wanted.as_json)
    settings = course_knobs.settings(wanted.set_to)
    variants = lesson.chosen(wanted.chosen)
    if wanted.save_to is not None:
        _make_folder(wanted.save_to)
        for variant in variants:
            check_recording(_recording_file(lesson, variant.name, wanted.save_to), f"--save {wanted.save_to}")
    if interactive(wanted.plain, wanted.as_json) and not wanted.presenting:
        code, last = _on_screen(context, lesson, settings, wanted)
        _say_what_is_next(locate(wanted.course_folder), last)  # the workspace may be new
        click_context.exit(code)
    lesson_jobs = LessonJobs(lesson, wanted.timeout_s)
    click_context.call_on_close(lesson_jobs.close)
    values = lesson_jobs.values(settings)  # invalid settings are reported before anything starts
    lesson_jobs.begin()  # services start while the learner reads and types

    def jobs(stdout: Stdout) -> list[Job]:
        return lesson_jobs.make(variants, settings, stdout)

    predictions = () if wanted.no_predict else answerable(lesson, variants)
    if wanted.as_json:
        recorded = record_quietly(jobs(Stdout.TO_STDERR))
        broke_off = recorded.interrupted or unexpected_runs(variants, recorded.runs)
        measured = {run.name: measure(run) for run in recorded.runs}
        what_happened = [
            {"question": fill(answer.prediction.question, values), "happened": answer.was, "why": answer.why}
            for answer in (() if broke_off else judge_answers(predictions, {}, measured, values))
        ]
        click.echo(json_text(lesson_result(lesson.id, values, recorded.runs, what_happened)))
        _save(lesson, recorded.runs, wanted.save_to)
        click_context.exit(_exit_code(variants, recorded))

    changed = {name: values[name] for name in settings}
    if wanted.presenting:
        from asyncdemo.tui.app import run_application
        from asyncdemo.tui.present.lecture import Lecture
        from asyncdemo.tui.present.screen import PresentScreen

        lecture = Lecture(lesson, variants, predictions, values, changed)
        at = lecture.find(wanted.start_at) if wanted.start_at else 0
        code = run_application(
            context,
            lambda: PresentScreen(
                lecture, partial(lesson_jobs.make, variants, settings, Stdout.CAPTURE), lesson.race, at
            ),
        )
        _save(lesson, lecture.runs, wanted.save_to)
        click_context.exit(code or _exit_code(variants, Recorded(lecture.runs)))
    click_context.color = False
    introduce(context, lesson, changed)
    names = [variant.name for variant in variants]
    answers = ask(predictions, names, values) if predictions and can_ask() else {}
    recorded = record_quietly(jobs(Stdout.INHERIT), lambda job: click.echo(f"Running {job.name} ..."))
    click.echo()
    _print_output(recorded)
    unexpected = unexpected_runs(variants, recorded.runs)
    expected = [run.name for run in recorded.runs if run.name not in unexpected]
    print_runs(recorded.runs, None, expected, details=wanted.details, output_shown=True)
    if recorded.interrupted:
        some = any(run.lanes for run in recorded.runs)
        click.echo(f"\nInterrupted{': this is what was recorded until then' if some else ''}.")
    elif not unexpected:
        measured = {run.name: measure(run) for run in recorded.runs}
        judged = judge_answers(predictions, answers, measured, values)
        print_answers(judged, values, reasons=wanted.details)
        predicted = to_predicted(judged)
        report_trouble(context.remember(lesson.id, lambda record: record.after_run(predicted)))
    elif predictions:
        # The figures of an incomplete run can't answer questions.
        click.echo(
            "\n"
            + wrap(
                f"Predictions are not judged, because {join(unexpected)} did not end as the lesson intends."
            )
        )
    _save(lesson, recorded.runs, wanted.save_to)
    if not recorded.interrupted:
        if wanted.details:
            click.echo("\nChange it")
            print_section(lesson, "Change it", None)
            click.echo(f"The full text: {lesson.readme}")
        else:
            more = f"{program(context)} run {lesson.id} --details"
            click.echo(f"\nFor reasons, every row and what to change: {more}")
        say_how_to_measure(context, lesson)
        _say_what_is_next(context, lesson.id)
    click_context.exit(_exit_code(variants, recorded))


def _on_screen(
    context: CourseContext,
    lesson: Lesson,
    settings: Mapping[str, str],
    wanted: RunRequest,
) -> tuple[int, str]:
    """Run the lesson as a screen, which leaves a few lines in the terminal.

    Returns the exit code, and the id of the lesson that was run last; "" if none was.
    """
    from asyncdemo.tui.app import run_application
    from asyncdemo.tui.lesson.screen import LessonScreen
    from asyncdemo.tui.lesson.session import LessonSession, last_run, summary

    session = LessonSession(
        context,
        lesson.folder,
        settings=settings,
        variants=wanted.chosen,
        timeout_s=wanted.timeout_s,
        predict=not wanted.no_predict,
    )
    code = run_application(context, lambda: LessonScreen(session))
    last = last_run(session)
    for line in summary(last):
        click.echo(line)
    if session.latest is not None:
        _save(lesson, session.latest.runs, wanted.save_to)
    return code, last.lesson.id if last.latest is not None else ""


def _say_what_is_next(context: CourseContext, just_run: str) -> None:
    for line in next_words(context, just_run):
        click.echo(line)


def _print_output(recorded: Recorded) -> None:
    """Print the last output of servers; scripts have written to the terminal themselves."""
    if recorded.interrupted:  # mostly Python's reaction to Ctrl-C, once for each variant
        return
    for run, tail in zip(recorded.runs, recorded.output, strict=True):
        ended_well = run.outcome is RunOutcome.OK
        if not ended_well or any(map(has_failed, run.requests)):  # else a line for each request
            print_output(run.name, tail, None, _OUTPUT_LINES if ended_well else _TRACEBACK_LINES)


def _next(context: CourseContext) -> Heading:
    """Return the first lesson that is new, and announce it unless there is JSON output."""
    heading = first_unread(context.course, context.records)
    if heading is None:
        raise UsageError("You have run every lesson. To run one again, name it: `asyncdemo list` shows them.")
    words = f"The next lesson: {heading.number}, {heading.id}."
    click.echo(wrap_for(sys.stderr, words), err=True)
    return heading


def _need_a_screen(words_wanted: bool) -> None:
    if words_wanted:
        raise UsageError("--present uses the whole screen: leave out --plain and --json.")
    if not interactive():
        raise UsageError("--present needs a terminal: it uses the whole screen and waits for keys.")


def _exit_code(variants: Sequence[Variant], recorded: Recorded) -> int:
    if recorded.interrupted:
        return EXIT_INTERRUPTED
    return EXIT_FAILED if unexpected_runs(variants, recorded.runs) else EXIT_OK


def _make_folder(folder: Path) -> None:
    """Create it before the run, because afterwards the result would be lost."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--save {folder}: {error.strerror}.") from None


def _recording_file(lesson: Lesson, variant: str, folder: Path) -> Path:
    return folder / f"{lesson.id}-{variant}.jsonl"


def _save(lesson: Lesson, runs: Sequence[Run], folder: Path | None) -> None:
    if folder is not None:
        for run in runs:
            save_run(run, _recording_file(lesson, run.name, folder))
