"""Whether an exercise that is right in the order in which it ran is right in other orders too.

Not here: making the runs (see ``serving.schedules``), or checking the original order (see ``judge``).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from pathlib import Path

from asyncdemo.analysis.schedules import Ending, ending_of
from asyncdemo.course.content.exercise import Exercise
from asyncdemo.course.judging.checking import Stopped, run_check
from asyncdemo.course.judging.verdict import Check
from asyncdemo.model import Evidence, Lane, Run, RunOutcome
from asyncdemo.recording.output_buffer import OutputBuffer
from asyncdemo.recording.runner import Options, Target
from asyncdemo.render.text.schedules import delay_words, group_token
from asyncdemo.render.words import RUN_OUTCOME_WORDS, count
from asyncdemo.serving.schedules import explore
from asyncdemo.testing.checks import CheckFailed, Seen

_MAIN = "main"


def judge_schedules(
    exercise: Exercise, file: Path, options: Options, check: Check | None, poll: Callable[[], bool]
) -> str:
    """Return the sentence that holds.

    Each run is checked by ``check``, which is ``check_schedule`` of check.py. Without one, each must do what
    the first did: finish, and return the same from ``main``, or else print the same.
    Raises CheckFailed with the smallest schedule that breaks it, Stopped, CourseError.
    """

    def look(run: Run, output: OutputBuffer) -> Hashable:
        if run.outcome is not RunOutcome.OK or check is None:
            return _what_came_out(run, ending_of(run, output.stdout, output.stderr))
        seen = Seen(
            run, stdout=output.stdout, stderr=output.stderr, rows=exercise.rows, functions=exercise.lanes
        )
        try:
            run_check(exercise.check, check, seen, poll)
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
        return f"The outcome was the same in {tried}, each with delays in other places."
    group = exploration.differing[0]
    differing = exploration.tried - exploration.groups[0].count
    run = group.example.run
    words = str(group.example.verdict).rstrip(".")
    settings = "".join(f" --set {name}={value}" for name, value in options.knobs.items())
    lanes = f" --lane {','.join(exercise.rows)}" if exercise.rows else ""
    raise CheckFailed(
        f"It is right by luck: in {differing} of {tried} it is wrong. For example: {words}. "
        f"{delay_words(run)} To see it: asyncdemo trace --schedule {group_token(group)}{settings}{lanes} "
        f"{file.name}",
        Evidence(
            run, _rows(exercise, run.lanes), run.lanes[0].start_ns, max(lane.end_ns for lane in run.lanes)
        )
        if run.lanes
        else None,
    )


def _what_came_out(run: Run, ending: Ending) -> str:
    """Return the result in words, the same for the same result."""
    if run.outcome is not RunOutcome.OK:
        return f"it {RUN_OUTCOME_WORDS[run.outcome]}" + f": {ending.error}" * bool(ending.error)
    found = f" ({', '.join(kind.replace('-', ' ') for kind in ending.findings)})" * bool(ending.findings)
    results = [lane.result for lane in run.lanes if lane.function == _MAIN]
    if results and results[-1] not in (None, "None"):
        return f"{_MAIN} returns {results[-1]}{found}"
    return f"it prints {', '.join(map(repr, ending.lines)) or 'nothing'}{found}"


def _rows(exercise: Exercise, lanes: tuple[Lane, ...]) -> tuple[int, ...]:
    return tuple(place for place, lane in enumerate(lanes) if lane.function in exercise.rows)
