"""The fences ``timeline`` and ``figures``: a lesson's recordings to play, and its measurements."""

from __future__ import annotations

from html import escape
from typing import Final

from asyncdemo.analysis.metrics import measure
from asyncdemo.course.content.catalog import find_course, load_course
from asyncdemo.course.content.lesson import Lesson, load_lesson
from asyncdemo.course.content.lookup import find_lesson
from asyncdemo.model import Run
from asyncdemo.render.facts.runs import Account, account_for
from asyncdemo.render.html.page import element_html, report_html
from asyncdemo.render.timeline.chart import charts
from asyncdemo.site.fence import formatter, settings
from asyncdemo.site.recordings import Recordings

_FOLLOW: Final = (
    '<p class="timeline-follow">While it plays, marks in the programs say who is at which line, '
    "and arrows who just made whom go on. A step shows a program in which something has changed, if code "
    "and picture are side by side. Click a picture to see its program. Point at a line to see its bars, at a "
    "bar to see its line.</p>"
)


@formatter
def timeline(source: str) -> str:
    """Settings: ``lesson: ID``; ``covered: yes`` if a prediction comes first; ``programs: yes`` if the
    page shows them.
    """
    asked = settings(source, ("lesson", "covered", "programs"))
    lesson, runs = recorded_lesson(asked["lesson"])
    covered = asked.get("covered") == "yes"
    drawn = charts(lesson_accounts(lesson, runs))
    element = element_html(drawn, lesson.id, covered=covered)
    known = any(bar.line for chart in drawn for row in chart.rows for bar in row.bars)
    follows = known and asked.get("programs") == "yes"
    return f'<div class="timeline" data-search-exclude>{element}{_FOLLOW if follows else ""}</div>'


@formatter
def figures(source: str) -> str:
    """Settings: ``lesson: ID``. Initially closed: the figures would give the predictions away."""
    lesson, runs = recorded_lesson(settings(source, ("lesson",))["lesson"])
    report = report_html(lesson_accounts(lesson, runs))
    return (
        '<details class="figures" data-search-exclude><summary>What was measured and found in these runs'
        f"</summary>{report}</details>"
    )


@formatter
def durations(source: str) -> str:
    """A heading. Settings: ``lesson: ID``, and ``words``, in which ``{NAME}`` is how long that run took."""
    asked = settings(source, ("lesson", "words"))
    _, runs = recorded_lesson(asked["lesson"])
    took = {run.name: f"{measure(run).wall_ns / 1e9:.1f} s" for run in runs}
    return f"<h2>{escape(asked['words'].format_map(took))}</h2>"


def recorded_lesson(lesson_id: str) -> tuple[Lesson, tuple[Run, ...]]:
    """Return the lesson and its recordings. Raises MissingError, UsageError."""
    lesson = load_lesson(find_lesson(load_course(find_course()), lesson_id).folder)
    return lesson, Recordings().get(lesson.id)


def lesson_accounts(lesson: Lesson, runs: tuple[Run, ...]) -> tuple[Account, ...]:
    """Return an account of each run, compared with those that ended as the lesson intends."""
    expected = {variant.name: variant.expect for variant in lesson.variants}
    return account_for(runs, [run.name for run in runs if run.outcome == expected[run.name]])
