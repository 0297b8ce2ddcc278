"""The rules for lessons, for their authors: what is wrong, in which file and line.

Nothing here prints, and nothing changes a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from asyncdemo.course.rules import (
    exercises,
    manifests,
    plain,
    references,
    scripts,
    sentences,
    solutions,
    texts,
)
from asyncdemo.course.rules.lesson_source import Fault, LessonSource, Problem, Rule
from asyncdemo.course.rules.side_by_side import problems_of, problems_side_by_side
from asyncdemo.course.rules.survey import Survey, survey

__all__ = [
    "RULES",
    "SLOW_RULES",
    "Fault",
    "LessonSource",
    "Problem",
    "Rule",
    "Survey",
    "fast_problems",
    "slow_problems",
    "survey",
]

RULES: Final[tuple[Rule, ...]] = (
    *manifests.RULES,
    *texts.RULES,
    *references.RULES,
    *scripts.RULES,
    *exercises.RULES,
    *sentences.RULES,
)
"""The rules that run nothing."""

SLOW_RULES: Final[tuple[Rule, ...]] = (*solutions.RULES, *plain.RULES)
"""The rules that run scripts, except those about claims: ``runs.problems_of_runs``, which takes knobs."""

_IN_THE_WAY: Final = {"python", "knobs", "claims"}
"""A lesson that breaks these can't be run as intended."""


def fast_problems(source: LessonSource) -> Iterator[Problem]:
    """Yield a lesson's problems that can be found without running anything."""
    for rule in RULES:
        yield from rule.problems(source)


def slow_problems(
    sources: Sequence[LessonSource], every: bool = True, on_progress: Callable[[str], None] = lambda _: None
) -> Iterator[Problem]:
    """Yield problems with the runs of lessons as they are found; none for a lesson that can't be run.

    Args:
        sources: The lessons.
        every: Judge every solution of several lessons, not only a few of each. Of one, all are judged.
        on_progress: Called with what is in progress.
    """
    sound = [
        source
        for source in sources
        if not any(problem.rule in _IN_THE_WAY for problem in fast_problems(source))
    ]
    if len(sound) > 1:
        yield from problems_side_by_side(sound, every, on_progress)
        return
    for source in sound:
        on_progress(f"running {source.lesson.id} ...")
        yield from problems_of(source)
