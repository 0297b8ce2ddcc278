"""An exercise that somebody works on: when it is to be checked, and what the last check said.

Not for: judging (``judge``), noticing saves (``workspace.saves``), or showing it (``cli.watch``, ``tui``).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from asyncdemo.course.content.catalog import Heading
from asyncdemo.course.content.exercise import Exercise
from asyncdemo.course.content.lesson import load_lesson
from asyncdemo.course.judging.judge import Stopped, Verdict, judge
from asyncdemo.course.judging.needs import need
from asyncdemo.course.workspace.context import CourseContext, shown_path
from asyncdemo.course.workspace.next_step import exercises, following_exercise
from asyncdemo.course.workspace.progress import Record, now
from asyncdemo.course.workspace.workspace import Workspace
from asyncdemo.errors import AsyncdemoError, WorkspaceError
from asyncdemo.model import Run
from asyncdemo.recording.runner import SpareChildren
from asyncdemo.serving import ServiceCache


class Practice:
    """One exercise of a workspace.

    Attributes:
        lesson: Which one.
        file: The learner's.
        exercise: None if the lesson's manifest cannot be read; a check says why.
        due: It is to be checked.
        verdict: Of the last check; None before the first, and if that could not be done.
        stale: There is no verdict on what is in the file now.
        trouble: What went wrong, in place of a verdict or beside it; empty if nothing did.
        checked: When the last check was over.
        before: A run of the first check that failed; see ``look_back``.
    """

    def __init__(self, context: CourseContext, workspace: Workspace, lesson: Heading, reset: str) -> None:
        """reset: in words, how to get the file again if it is gone."""
        self.lesson = lesson
        self.file = workspace.file(lesson)
        self.due = True
        self.verdict: Verdict | None = None
        self.trouble = ""
        self.checked: datetime | None = None
        self._context, self._reset = context, reset
        self._saved = False
        """It is to be checked because it was saved, so that this counts as a try."""
        self._counts = False
        """The check that is running does."""
        self.stale = False
        self.before: Run | None = None
        self.exercise: Exercise | None = None
        with contextlib.suppress(AsyncdemoError):
            self.exercise = load_lesson(lesson.folder).exercise

    @property
    def run_count(self) -> int:
        """How many runs a check of it has at most."""
        return len(self.exercise.runs) if self.exercise else 1

    @property
    def record(self) -> Record:
        return record_of(self._context, self.lesson)

    @property
    def run(self) -> Run | None:
        """The one that the verdict tells of, with the rows that its exercise names."""
        return self._rows(self.verdict.runs[-1]) if self.verdict and self.verdict.runs else None

    def saved(self) -> None:
        self.due = self._saved = True

    def changed(self) -> None:
        """By us, or it is gone: checked when somebody comes back to it."""
        self.stale = True

    def come_back(self) -> None:
        """Somebody looks at it again: a check that was ended, or not begun, is due."""
        self.due = self.due or self.stale

    def begin(self) -> None:
        """A check is about to start; what is saved from now on makes another one due."""
        self.due, self.stale = False, True
        self._counts, self._saved = self._saved, False

    def check(self, spares: SpareChildren, kept: ServiceCache, goes_on: Callable[[], bool]) -> bool:
        """After ``begin``: check it, and write down what comes out. May be called in a thread.

        Args:
            spares: Where the processes are taken from.
            kept: Where the services are.
            goes_on: Asked often; once it is False the check ends.

        Returns:
            Whether it came to an end.
        """
        verdict, trouble = None, ""
        try:
            verdict = self._judge(spares, kept, goes_on)
        except Stopped:
            self._saved = self._saved or self._counts
            return False
        except AsyncdemoError as error:
            trouble = str(error)
        else:
            if self.before is None and not verdict.passed and verdict.runs:
                self.before = self._rows(verdict.runs[0])
            if self._counts or verdict.passed:
                trouble = self._remember(verdict.passed)
        self.stale = False
        self.verdict, self.trouble, self.checked = verdict, trouble, datetime.now()
        return True

    def look_back(self, kept: ServiceCache, goes_on: Callable[[], bool]) -> None:
        """See to it that there is a run from ``before`` it passed: if need be, of what was given."""
        if self.before is None and self.exercise is not None:
            with contextlib.suppress(AsyncdemoError, Stopped):
                given = judge(self.exercise, self.exercise.file, goes_on, None, kept)
                if given.runs:
                    self.before = self._rows(given.runs[0])

    def _judge(self, spares: SpareChildren, kept: ServiceCache, goes_on: Callable[[], bool]) -> Verdict:
        """Raises Stopped, AsyncdemoError."""
        if self.exercise is None:
            self.exercise = load_lesson(self.lesson.folder).exercise
        if self.exercise is None:
            raise WorkspaceError(f"{self.lesson.folder}: its manifest says nothing of an exercise.")
        if not self.file.is_file():
            raise WorkspaceError(f"{shown_path(self.file)} is not there. To get it again: {self._reset}.")
        need(self.lesson, self.exercise.load, self.exercise.services)
        return judge(self.exercise, self.file, goes_on, spares, kept)

    def _rows(self, run: Run) -> Run:
        rows = self.exercise.rows if self.exercise else ()
        return replace(run, lanes=tuple(lane for lane in run.lanes if lane.function in rows) or run.lanes)

    def _remember(self, passed: bool) -> str:
        """Returns why it could not be kept, if so: the verdict is not less true."""
        if self._context.progress is None:
            return ""
        try:
            self._context.progress.update(self.lesson.id, lambda record: record.after_check(passed, now()))
        except WorkspaceError as error:
            return str(error)
        return ""


def following(context: CourseContext, lesson: Heading) -> Heading | None:
    """The exercise to go to from this one; None if there is no other."""
    records = {other.id: record_of(context, other) for other in exercises(context.course)}
    return following_exercise(context.course, records, lesson)


def record_of(context: CourseContext, lesson: Heading) -> Record:
    """An empty one if it cannot be read: work goes on, and a check says so when it is written down."""
    try:
        return context.progress.of(lesson.id) if context.progress else Record()
    except WorkspaceError:
        return Record()
