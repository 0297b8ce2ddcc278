"""The slow rules of many lessons, in as little time as possible: most of it is waiting.

First comes everything that judges exercises, or looks at how scripts end, several lessons at a time: a
verdict is the same on a busy machine. Then come the variants of lessons that claim a time, fewer at a time. A
failure there may be a disturbance: it is measured again, alone, and only that counts. Each lesson is in only
one process at a time, because of its services.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Final

from asyncdemo.course.content.lesson import Lesson, load_lesson
from asyncdemo.course.rules import plain, runs, solutions
from asyncdemo.course.rules.lesson_source import LessonSource, Problem
from asyncdemo.errors import EXIT_INTERRUPTED
from asyncdemo.recording.runner import SpareChildren
from asyncdemo.serving import ServiceCache

_TIMES: Final = ("_s", "_ms")
"""Endings of the names of figures that are a time or a rate."""


def problems_of(source: LessonSource, *, scripts: bool = True, variants: bool = True) -> Iterator[Problem]:
    """Yield problems with a lesson's runs as they are found. The lesson must be runnable.

    Args:
        source: The lesson.
        scripts: Judge its exercise, and look at how its variants end under plain Python.
        variants: Record its variants, and check the claims about them.
    """
    with ServiceCache() as source.service_cache, SpareChildren() as source.spares:
        for rule in (*solutions.RULES, *plain.RULES) if scripts else ():
            yield from rule.problems(source)
        for settings in runs.knob_sets(source) if variants else ():
            yield from runs.problems_of_runs(source, settings)
    source.service_cache = source.spares = None


def problems_side_by_side(
    sources: Sequence[LessonSource], every: bool, on_progress: Callable[[str], None]
) -> Iterator[Problem]:
    """Yield the problems of many runnable lessons. ``on_progress`` is called with what is in progress.

    Without ``every``, only a few solutions of each exercise are judged.
    """
    at_once = os.cpu_count() or 1
    timed = [source for source in sources if measures_time(source.lesson)]
    with _pool(3 * at_once) as pool:
        # The longest first: one that came last would run alone.
        judged = {
            source.lesson.id: pool.submit(
                problems_here, source.lesson.folder, source.course_folder, every, variants=source not in timed
            )
            for source in sorted(sources, key=_judging_time, reverse=True)
        }
        for source in sources:
            on_progress(f"judging {source.lesson.id} ...")
            yield from judged[source.lesson.id].result()
    with _pool(2 * at_once) as pool:
        measured = [
            pool.submit(problems_here, source.lesson.folder, source.course_folder, every, scripts=False)
            for source in timed
        ]
        disturbed = []
        for source, problems in zip(timed, measured, strict=True):
            on_progress(f"measuring {source.lesson.id} ...")
            if problems.result():
                disturbed.append(source)
    for source in disturbed:
        on_progress(f"measuring {source.lesson.id} alone ...")
        yield from problems_of(source, scripts=False)


def _judging_time(source: LessonSource) -> float:
    """Return a measure of how long its solutions take: in real time, how long they may."""
    exercise = source.lesson.exercise
    if exercise is None or exercise.virtual:
        return 0.0
    return exercise.timeout_s * (len(exercise.right) + len(exercise.wrong))


def measures_time(lesson: Lesson) -> bool:
    """Return whether its texts claim or ask for a time or a rate."""
    conditions = [claim.condition for claim in lesson.claims]
    conditions += [choice.condition for asked in lesson.predictions for choice in asked.choices]
    names = [condition.metric for condition in conditions]
    names += [str(condition.value).partition(".")[2] for condition in conditions]
    names += [asked.metric for asked in lesson.predictions]
    return any(name.partition("(")[0].endswith(_TIMES) for name in names)


def _pool(at_once: int) -> ProcessPoolExecutor:
    """Return a pool that spawns: forks of a program with threads may hang, and recordings use threads.

    A worker that is idle when Ctrl-C is pressed ends at once, and then the whole pool does.
    """
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(at_once, context, signal.signal, (signal.SIGINT, signal.SIG_DFL))


def problems_here(folder: Path, course_folder: Path, every: bool, **what: bool) -> list[Problem]:
    """Return the problems of a lesson, in a process of its own; ``what`` is as for ``problems_of``.

    On Ctrl-C, end this process after the lesson's services, and begin no other lesson.
    """
    lesson = load_lesson(folder)
    if lesson.exercise is not None and not every:
        lesson = replace(lesson, exercise=solutions.typical(lesson.exercise, right=1, wrong=3))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return list(problems_of(LessonSource(lesson, course_folder), **what))
    except KeyboardInterrupt:
        os._exit(EXIT_INTERRUPTED)
    finally:
        signal.signal(signal.SIGINT, before)
