"""The fences ``timeline`` and ``figures``: a lesson's recordings to be played, and what was measured.

Not for: how either looks (``render``).
"""

from __future__ import annotations

from typing import Final

from asyncdemo.course.content.catalog import find_course, load_course
from asyncdemo.course.content.lesson import Lesson, load_lesson
from asyncdemo.course.content.lookup import find_lesson
from asyncdemo.model import Run
from asyncdemo.render.facts.runs import Account, account_for
from asyncdemo.render.html.element import element_of
from asyncdemo.render.html.page import report_html
from asyncdemo.render.timeline.chart import charts
from asyncdemo.site.fence import formatter, settings
from asyncdemo.site.recordings import Recordings

_FOLLOW: Final = (
    '<p class="timeline-follow">While it plays, marks in the programs say who is at which line, '
    "and arrows who just made whom go on. Point at a line to see its bars, at a bar to see its line.</p>"
)


@formatter
def timeline(source: str) -> str:
    """``lesson: ID``, and ``covered: yes`` where a prediction comes first."""
    asked = settings(source, ("lesson", "covered"))
    lesson, runs = recorded_lesson(asked["lesson"])
    covered = asked.get("covered") == "yes"
    scale_ns, drawn = charts(runs)
    element = element_of(lesson_accounts(lesson, runs), scale_ns, drawn, covered=covered, ident=lesson.id)
    known = any(bar.line for chart in drawn for row in chart.rows for bar in row.bars)
    return f'<div class="timeline" data-search-exclude>{element}{_FOLLOW if known else ""}</div>'


@formatter
def figures(source: str) -> str:
    """``lesson: ID``. Closed at first: the figures would give the predictions away."""
    lesson, runs = recorded_lesson(settings(source, ("lesson",))["lesson"])
    report = report_html(lesson_accounts(lesson, runs))
    return (
        '<details class="figures" data-search-exclude><summary>What was measured and found in these runs'
        f"</summary>{report}</details>"
    )


def recorded_lesson(lesson_id: str) -> tuple[Lesson, tuple[Run, ...]]:
    """The lesson and its recordings. Raises MissingError, UsageError."""
    lesson = load_lesson(find_lesson(load_course(find_course()), lesson_id).folder)
    return lesson, Recordings().get(lesson.id)


def lesson_accounts(lesson: Lesson, runs: tuple[Run, ...]) -> tuple[Account, ...]:
    """What there is to tell of each run, compared with those that ended as the lesson means it."""
    expected = {variant.name: variant.expect for variant in lesson.variants}
    return account_for(runs, [run.name for run in runs if run.outcome == expected[run.name]])
