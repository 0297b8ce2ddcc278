"""Runs an exercise under the tracer, each run in its own process, and checks it; in other schedules, too."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

from asyncdemo.analysis.schedules import Ending, ending_of
from asyncdemo.course.content.exercise import Exercise
from asyncdemo.course.content.manifest import Knobs
from asyncdemo.course.content.overlay import program_file
from asyncdemo.course.judging.checking import Stopped, load_checks
from asyncdemo.course.judging.lesson_jobs import make_run_context
from asyncdemo.course.judging.verdict import Check, make_verdict, options_of
from asyncdemo.model import Answer, Evidence, Run, RunOutcome
from asyncdemo.model.verdict import Verdict
from asyncdemo.recording.output_buffer import OutputBuffer
from asyncdemo.recording.runner import Options, SpareChildren, Target
from asyncdemo.render.text.schedules import delay_words, group_token
from asyncdemo.render.words import RUN_OUTCOME_WORDS, count
from asyncdemo.serving import ServiceCache, Session, open_recording
from asyncdemo.serving.schedules import explore
from asyncdemo.testing.checks import CheckFailed, Seen

__all__ = ["Stopped", "judge"]

_POLL_S = 0.01
_ANSWER_BYTES = 1 << 16
"""How much of each response's body is kept for checks to read."""
_MAIN = "main"


def judge(
    exercise: Exercise,
    file: Path,
    poll: Callable[[], bool] = lambda: True,
    spares: SpareChildren | None = None,
    service_cache: ServiceCache | None = None,
    seed: int | None = None,
    folder: Path | None = None,
) -> Verdict:
    """Run the file once for each of the exercise's runs and check each, until one fails.

    An overlay in ``wrong/`` is laid over the solution first; lines in the verdict are those of that program.

    Args:
        poll: Called about every 10 ms. If it returns False, the script is ended and Stopped raised.
        spares: Where processes come from. By default, each is started when needed.
        service_cache: Where services run, and stay. By default, they start now and stop at the end.
        seed: Seed for drawing knobs. By default, a new one.
        folder: Where the file runs, which must be absolute then. By default, in the current folder.

    Raises:
        UsageError: There is no such file.
        CourseError: The check itself does not work, or an overlay cannot be laid over the solution.
        MissingError, ServiceError: A service is missing or fails.
    """
    with program_file(file, exercise.solution) as program:
        return _judge(exercise, program, poll, spares, service_cache, seed, folder)


def _judge(
    exercise: Exercise,
    file: Path,
    poll: Callable[[], bool],
    spares: SpareChildren | None,
    service_cache: ServiceCache | None,
    seed: int | None,
    folder: Path | None,
) -> Verdict:
    with ExitStack() as stack:
        cache = stack.enter_context(ServiceCache()) if service_cache is None else service_cache
        if exercise.services:
            cache.begin(exercise.services)

        def record(knobs: Knobs, output: OutputBuffer) -> tuple[Run, list[Answer]]:
            services = cache.get(exercise.services, poll) if exercise.services else None
            if exercise.services and services is None:
                raise Stopped
            options = options_of(exercise, file, knobs, folder)
            run_context = make_run_context(exercise.load, services, knobs, _ANSWER_BYTES)
            child = None if spares is None else spares.take()
            with closing(
                open_recording(Target(str(file)), options, output, child=child, run_context=run_context)
            ) as recording:
                recording.start()
                recording.go()
                while recording.poll(_POLL_S):
                    if not poll():
                        raise Stopped
                return recording.result(), recording.answers if isinstance(recording, Session) else []

        check, check_schedule = load_checks(exercise.check, poll)
        verdict = make_verdict(exercise, file, check, record, seed)
    if not exercise.schedules or not verdict.passed:
        return verdict
    options = options_of(exercise, file, verdict.knobs, folder)
    try:
        held = _judge_schedules(exercise, file, options, check_schedule, poll)
    except CheckFailed as failed:
        return replace(verdict, message=failed.message, evidence=failed.evidence)
    return replace(verdict, held=(*verdict.held, held))


def _judge_schedules(
    exercise: Exercise, file: Path, options: Options, check: Check | None, poll: Callable[[], bool]
) -> str:
    """Return the sentence that holds: it is right in other orders than the one in which it ran, too.

    Each run is checked by ``check``, which is ``check_schedule`` of check.py. Without one, each must do what
    the first did: finish, and return the same from ``main``, or else print the same.
    Raises CheckFailed with the smallest schedule that breaks it, Stopped, CourseError.
    """

    def look(run: Run, output: OutputBuffer) -> Hashable:
        seen = Seen(
            run, stdout=output.stdout, stderr=output.stderr, rows=exercise.rows, functions=exercise.lanes
        )
        if run.outcome is RunOutcome.OK:
            seen.ends_well()
        if run.outcome is not RunOutcome.OK or check is None:
            return _result_words(run, ending_of(run, output.stdout, output.stderr))
        try:
            check(seen)
        except CheckFailed as failed:
            return failed.message
        return ""

    exploration = explore(Target(str(file)), options, exercise.schedules, poll, look)
    if exploration.interrupted:
        raise Stopped
    tried = count(exploration.tried, "schedule")
    if not exploration.differing:
        if exploration.unexplored:
            return f"Other schedules could not be tried. {exploration.unexplored}"
        return f"The outcome was the same in {tried}, each with different delays."
    group = exploration.differing[0]
    differing = exploration.tried - exploration.groups[0].count
    run = group.example.run
    words = str(group.example.verdict).rstrip(".")
    settings = "".join(f" --set {name}={value}" for name, value in options.knobs.items())
    lanes = f" --lane {','.join(exercise.rows)}" if exercise.rows else ""
    rows = tuple(place for place, lane in enumerate(run.lanes) if lane.function in exercise.rows)
    raise CheckFailed(
        f"It is right by luck: it fails in {differing} of {tried}. For example: {words}. "
        f"{delay_words(run)} To see it: asyncdemo trace --schedule {group_token(group)}{settings}{lanes} "
        f"{file.name}",
        Evidence(run, rows, run.lanes[0].start_ns, max(lane.end_ns for lane in run.lanes))
        if run.lanes
        else None,
    )


def _result_words(run: Run, ending: Ending) -> str:
    """Return the result in words, the same for the same result."""
    if run.outcome is not RunOutcome.OK:
        return f"it {RUN_OUTCOME_WORDS[run.outcome]}" + f": {ending.error}" * bool(ending.error)
    found = f" ({', '.join(kind.replace('-', ' ') for kind in ending.findings)})" * bool(ending.findings)
    results = [lane.result for lane in run.lanes if lane.function == _MAIN]
    if results and results[-1] not in (None, "None"):
        return f"{_MAIN} returns {results[-1]}{found}"
    return f"it prints {', '.join(map(repr, ending.lines)) or 'nothing'}{found}"
