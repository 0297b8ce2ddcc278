"""Lesson 9 with runs made up for it, for tests of what the site asks about a lesson and judges.

It has all kinds of questions. Blocking: one upload at a time; threaded and awaited: five, and equally quick.
"""

from __future__ import annotations

from dataclasses import replace

from asyncdemo.analysis.metrics import Metrics, measure
from asyncdemo.course.content.catalog import find_course, load_course
from asyncdemo.course.content.lesson import Lesson, load_lesson
from asyncdemo.course.content.lookup import find_lesson
from asyncdemo.model import Run
from tests.support.runs import Story


def predicted_lesson() -> Lesson:
    return load_lesson(find_lesson(load_course(find_course()), "upload-gate").folder)


def predicted_runs() -> tuple[Run, ...]:
    return (_run("blocking", 1, 100), _run("threaded", 5, 101), _run("awaited", 5, 100))


def _run(name: str, at_once: int, upload_ms: float) -> Run:
    story = Story()
    for number in range(10):
        began = number // at_once * upload_ms
        story.task(f"upload({number})", at=began).sleeps(upload_ms).returns()
    return story.run(name=name)


def metrics(wall_s: float = 1.0, peak: int = 1) -> Metrics:
    """Metrics of a run in which one lane slept, with these two figures instead of its own."""
    story = Story()
    story.task("lane").sleeps(100).returns()
    return replace(measure(story.run()), wall_ns=round(wall_s * 1e9), peak=peak)
