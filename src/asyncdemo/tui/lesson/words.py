"""The sentences of a lesson's result: the same on the screen and, after leaving it, below the prompt.

Not here: which figures there are (see ``analysis.metrics``), whole reports (see ``render``).
"""

from __future__ import annotations

from collections.abc import Iterator

from asyncdemo.analysis.metrics import Metrics
from asyncdemo.model import Run, RunOutcome
from asyncdemo.render.facts.runs import at_work, empty_words
from asyncdemo.render.words import count, duration, join, settings_words, status, title
from asyncdemo.tui.lesson.session import LessonRun, LessonSession


def figures(run: Run, metrics: Metrics, *, brief: bool = False) -> str:
    """ "3.00 s, at most 1 at the same time"; how it ended, unless normally.

    ``brief``: next to others of the same kind, so the words need no repetition.
    """
    parts = []
    requests = metrics.requests
    if run.rows:
        parts.append(duration(requests.wall_ns if requests.count else metrics.wall_ns))
    if run.lanes:
        parts.append(f"at most {metrics.peak:,}{'' if brief else f' {at_work(metrics)}'}")
    if requests.count:
        parts.append(f"slowest request {duration(requests.slowest_ns)}")
    if metrics.blocked_ns:
        parts.append(f"event loop held for {duration(metrics.blocked_ns)}")
    if run.outcome is not RunOutcome.OK:
        parts.append(status(run))
    return ", ".join(parts) or empty_words(run)


def all_figures(run: LessonRun) -> list[str]:
    """Return the figures of each program of a run."""
    return [figures(recorded, run.measured[recorded.name]) for recorded in run.runs]


def no_verdict(run: LessonRun) -> str:
    """Return why the answers are not judged by a run; "" if they are."""
    if run.interrupted:
        some = any(recorded.rows for recorded in run.runs)
        return f"Interrupted{': this is what was recorded until then' if some else ''}."
    return f"No prediction is judged: {join(run.odd)} did not end as the lesson intends." if run.odd else ""


def summary(session: LessonSession) -> Iterator[str]:
    """Yield what remains in the terminal after leaving the screen: a few lines without marks."""
    lesson = session.lesson
    yield f"Lesson {lesson.number}: {lesson.title}"
    if session.latest is None:
        yield session.missing or "There is no result."
        return
    for run in filter(None, (session.first, session.changed)):
        if run.settings:
            yield f"With {settings_words(run.settings)}:"
        width = max((len(title(recorded)) for recorded in run.runs), default=0)
        for recorded in run.runs:
            yield f"  {title(recorded):<{width}}  {figures(recorded, run.measured[recorded.name])}"
        if no_verdict(run):
            yield f"  {no_verdict(run)}"
    asked = [answer for answer in session.judged() if answer.right is not None]
    if asked:
        right = sum(bool(answer.right) for answer in asked)
        yield f"  {right} of {count(len(asked), 'prediction')} right"
    if session.note:
        yield session.note
