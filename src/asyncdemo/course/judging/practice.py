"""An exercise in progress: when it is due for a check, and the result of the last one."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from asyncdemo.course.content.catalog import Heading
from asyncdemo.course.content.exercise import Exercise
from asyncdemo.course.content.lesson import load_lesson
from asyncdemo.course.judging.judge import Stopped, judge
from asyncdemo.course.judging.readiness import need
from asyncdemo.course.workspace.context import CourseContext, shown_path
from asyncdemo.course.workspace.next_step import following_exercise
from asyncdemo.course.workspace.progress import Record, now
from asyncdemo.course.workspace.workspace import Workspace
from asyncdemo.errors import AsyncdemoError, WorkspaceError
from asyncdemo.model import Run
from asyncdemo.model.verdict import Verdict
from asyncdemo.recording.runner import SpareChildren
from asyncdemo.serving import ServiceCache


class Practice:
    """One exercise of a workspace.

    Attributes:
        lesson: The exercise's lesson.
        file: The learner's file.
        exercise: None if the lesson's manifest can't be read; a check says why.
        due: Whether a check is due.
        verdict: The last check's; None before the first one, and if it failed to run.
        stale: Whether the file has changed since the verdict.
        trouble: What went wrong, instead of or besides a verdict; "" if nothing did.
        checked: When the last check ended.
        before: A run of the first check that failed; see ``record_before``.
    """

    def __init__(self, context: CourseContext, workspace: Workspace, lesson: Heading, reset: str) -> None:
        """``reset`` says, in words, how to get the file back if it is gone."""
        self.lesson = lesson
        self.file = workspace.file(lesson)
        self.due = True
        self.verdict: Verdict | None = None
        self.trouble = ""
        self.checked: datetime | None = None
        self._context, self._reset = context, reset
        self._saved = False
        """A check is due because of a save, so it counts as a try."""
        self._counts = False
        """The current check counts as a try."""
        self.stale = False
        self.before: Run | None = None
        self.exercise: Exercise | None = None
        with contextlib.suppress(AsyncdemoError):
            self.exercise = load_lesson(lesson.folder).exercise

    @property
    def run_count(self) -> int:
        """The maximum number of runs in a check."""
        return len(self.exercise.runs) if self.exercise else 1

    @property
    def record(self) -> Record:
        return self._context.record(self.lesson.id)

    @property
    def run(self) -> Run | None:
        """The run that the verdict is about, with the rows that its exercise names."""
        return self._rows(self.verdict.runs[-1]) if self.verdict and self.verdict.runs else None

    def saved(self) -> None:
        self.due = self._saved = True

    def changed(self) -> None:
        """Note that we changed the file, or that it is gone; ``resume`` makes it due for a check."""
        self.stale = True

    def resume(self) -> None:
        """Note that the learner is back: a check that was stopped, or never began, is due."""
        self.due = self.due or self.stale

    def begin(self) -> None:
        """Note that a check is about to start; later saves make another one due."""
        self.due, self.stale = False, True
        self._counts, self._saved = self._saved, False

    def check(
        self, spares: SpareChildren, service_cache: ServiceCache, keep_going: Callable[[], bool]
    ) -> bool:
        """After ``begin``: check the exercise and store the result. May be called in a thread.

        Args:
            spares: Where processes come from.
            service_cache: Where the services run.
            keep_going: Called often; if it returns False, the check stops.

        Returns:
            Whether the check was completed.
        """
        verdict, trouble = None, ""
        try:
            verdict = self._judge(spares, service_cache, keep_going)
        except Stopped:
            self._saved = self._saved or self._counts
            return False
        except AsyncdemoError as error:
            trouble = str(error)
        else:
            if self.before is None and not verdict.passed and verdict.runs:
                self.before = self._rows(verdict.runs[0])
            if self._counts or verdict.passed:
                passed = verdict.passed
                trouble = self._context.remember(
                    self.lesson.id, lambda record: record.after_check(passed, now())
                )
        self.stale = False
        self.verdict, self.trouble, self.checked = verdict, trouble, datetime.now()
        return True

    def record_before(self, service_cache: ServiceCache, keep_going: Callable[[], bool]) -> None:
        """Make sure that there is a run from before it passed: if necessary, of the original exercise."""
        if self.before is None and self.exercise is not None:
            with contextlib.suppress(AsyncdemoError, Stopped):
                given = judge(self.exercise, self.exercise.file, keep_going, None, service_cache)
                if given.runs:
                    self.before = self._rows(given.runs[0])

    def _judge(
        self, spares: SpareChildren, service_cache: ServiceCache, keep_going: Callable[[], bool]
    ) -> Verdict:
        """Raises Stopped, AsyncdemoError."""
        if self.exercise is None:
            self.exercise = load_lesson(self.lesson.folder).exercise
        if self.exercise is None:
            raise WorkspaceError(f"{self.lesson.folder}: its manifest does not mention an exercise.")
        if not self.file.is_file():
            raise WorkspaceError(f"{shown_path(self.file)} is missing. To restore it: {self._reset}")
        need(self.lesson, self.exercise.load, self.exercise.services)
        return judge(self.exercise, self.file, keep_going, spares, service_cache)

    def _rows(self, run: Run) -> Run:
        rows = self.exercise.rows if self.exercise else ()
        return replace(run, lanes=tuple(lane for lane in run.lanes if lane.function in rows) or run.lanes)


def following(context: CourseContext, lesson: Heading) -> Heading | None:
    """Return the exercise to do after this one; None if there is no other."""
    return following_exercise(context.course, context.records, lesson)
