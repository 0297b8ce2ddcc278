"""Runs one of your functions in many schedules; fails with the smallest that has a different result."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from asyncdemo.analysis.schedules import (
    Attempt,
    Exploration,
    first_difference,
    parse_token,
)
from asyncdemo.errors import UsageError
from asyncdemo.model import Evidence, Run
from asyncdemo.recording.output_buffer import OutputBuffer
from asyncdemo.recording.runner import Options, Stdout, record
from asyncdemo.render.text.schedules import (
    conclusion,
    delay_words,
    difference_words,
    group_lines,
    group_token,
)
from asyncdemo.serving.schedules import LIMIT_S, MOST_SCHEDULES, explore
from asyncdemo.testing.checks import CheckFailed
from asyncdemo.testing.observe import Observed, make_observed, target_of

__tracebackhide__ = True
"""pytest shows the line of the test, not ours."""


def observe_schedules(
    function: Callable[..., Any],
    *arguments: Any,
    schedules: int = 50,
    schedule: str | None = None,
    check: Callable[[Observed], object] | None = None,
    lanes: Iterable[Callable[..., Any] | str] = (),
    timeout_s: float = LIMIT_S,
) -> Exploration | Observed:
    """Call ``function(*arguments)`` in virtual time, once without a delay and then in other schedules.

    Args:
        function: As for ``observe``, like ``arguments`` and ``lanes``.
        schedules: The number of runs.
        schedule: Run only this one, as named by a failure, and return what was seen of it.
        check: Called with what was seen of each run; raises AssertionError if that is wrong. By default, each
            run must end, return and print the same, whatever the order of the lines.
        timeout_s: The limit in real time for each run.

    Raises:
        UsageError: As for ``observe``; if the schedule is invalid; if other schedules cannot be tried.
        CheckFailed: If a run is not as it should be, with the smallest known schedule.
    """
    if not 1 <= schedules <= MOST_SCHEDULES:
        raise UsageError(f"schedules: from 1 to {MOST_SCHEDULES:,}, not {schedules}.")
    target = target_of(function, arguments, lanes)
    name = function.__qualname__
    options = Options(name=name, virtual=True, timeout_s=timeout_s, stdin=False, stdout=Stdout.CAPTURE)

    def look(run: Run, output: OutputBuffer) -> str | None:
        if check is None:
            return None
        seen = make_observed(target, run, output)
        try:
            seen.ends_well()
            check(seen)
        except AssertionError as failed:
            return str(failed) or type(failed).__name__
        return ""

    if schedule is not None:
        output = OutputBuffer()
        run = record(target, replace(options, delays=parse_token(schedule)), output)
        seen = make_observed(target, run, output)
        if check is not None:
            seen.ends_well()
            check(seen)
        return seen
    exploration = explore(target, options, schedules, look=look)
    _raise_if_wrong(name, exploration, checked=check is not None)
    return exploration


def _raise_if_wrong(name: str, exploration: Exploration, *, checked: bool) -> None:
    first = exploration.groups[0].example
    if checked and first.verdict != "":
        raise CheckFailed(f"{name} is wrong even without a delay: {first.verdict}", _evidence(first))
    if not exploration.differing:
        if exploration.unexplored:
            raise UsageError(f"{name} was not tried in other schedules. {exploration.unexplored}")
        return
    group = exploration.differing[0]
    example = group.example
    words = [conclusion(name, exploration)]
    words += [str(example.verdict)] if checked else [f"  {line}" for line in group_lines(exploration)]
    words.append(delay_words(example.run))
    words.append(difference_words(first_difference(first.run, example.run)))
    words.append(f'To repeat it: schedule="{group_token(group)}"')
    raise CheckFailed("\n".join(words), _evidence(example))


def _evidence(attempt: Attempt) -> Evidence | None:
    lanes = attempt.run.lanes
    if not lanes:
        return None
    start_ns, end_ns = min(lane.start_ns for lane in lanes), max(lane.end_ns for lane in lanes)
    return Evidence(attempt.run, tuple(range(len(lanes))), start_ns, end_ns)
