"""The exercise that is worked on in watch mode: whether it is to be checked, and what the last check said.

Not for: which exercise that is and what ends a check (``watch``), judging (``course.judging``), what is to
be done next (``guidance``).
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from asyncdemo.cli.board import Sheet
from asyncdemo.cli.exercises import need_workspace
from asyncdemo.cli.guidance import Guide
from asyncdemo.course.content.catalog import Heading
from asyncdemo.course.content.exercise import Exercise
from asyncdemo.course.content.lesson import load_lesson
from asyncdemo.course.judging.judge import Stopped, Verdict, judge
from asyncdemo.course.judging.needs import need
from asyncdemo.course.workspace.context import CourseContext, shown_path
from asyncdemo.course.workspace.progress import now
from asyncdemo.errors import AsyncdemoError, WorkspaceError
from asyncdemo.model import Run
from asyncdemo.recording.runner import SpareChildren
from asyncdemo.serving import ServiceCache

__all__ = ["ExerciseView"]


class ExerciseView:
    """due: it is to be checked. sheet: what is to be shown of it. runs: of the last check."""

    def __init__(self, context: CourseContext, lesson: Heading, guide: Guide, note: str = "") -> None:
        """note: why it is this one."""
        self.lesson = lesson
        self.file = need_workspace(context).file(lesson)
        self.due = True
        self.runs: tuple[Run, ...] = ()
        self._context = context
        self._guide = guide
        self._saved = False
        """It is to be checked because it was saved, so that this counts as a try."""
        self._stale = False
        """There is no verdict on what is in the file now."""
        self._exercise: Exercise | None = None
        with contextlib.suppress(AsyncdemoError):  # the check will say so
            self._exercise = load_lesson(lesson.folder).exercise
        self.sheet = Sheet(
            title=f"Exercise {lesson.number}, {lesson.title}",
            task=self._exercise.task if self._exercise else "",
            file=shown_path(self.file),
            note=f"{note} {guide.on_coming(lesson)}".strip(),
        )

    @property
    def rows(self) -> tuple[str, ...]:
        """The functions whose calls are drawn, () for all."""
        return self._exercise.rows if self._exercise else ()

    @property
    def run_count(self) -> int:
        """How many runs a check of it has at most."""
        return len(self._exercise.runs) if self._exercise else 1

    def saved(self) -> None:
        self.due = self._saved = True

    def changed(self, changed: bool) -> None:
        """By us, or without a word: checked when somebody comes back to it (``come_back``)."""
        self._stale = self._stale or changed

    def come_back(self) -> None:
        """Somebody looks at it again: a check that was ended, or not begun, is due."""
        self.due = self.due or self._stale

    def note(self, words: str) -> None:
        self.sheet = replace(self.sheet, note=words)

    def check(
        self,
        spares: SpareChildren,
        kept: ServiceCache,
        show: Callable[[Sheet], None],
        goes_on: Callable[[], bool],
    ) -> None:
        """show: called with each new sheet. goes_on: asked often; once it is False the check ends."""
        self.due, self._stale = False, True
        saved, self._saved = self._saved, False
        self.sheet = replace(
            self.sheet,
            file=shown_path(self.file),
            checking=f"Checking {self.file.name} ...",
            verdict=None,
            trouble="",
            end="",
        )
        show(self.sheet)
        verdict, trouble = None, ""
        try:
            verdict = self._verdict(spares, kept, self._timed(show, goes_on))
        except Stopped:
            self._saved = saved
            self.sheet = replace(
                self.sheet, checking="", trouble="This check was ended. Enter starts it again."
            )
            return
        except AsyncdemoError as error:
            trouble, end = str(error), self._guide.without_verdict()
        else:
            self.runs = verdict.runs
            if saved or verdict.passed:
                trouble = self._remember(verdict.passed)
            following = self._guide.on_pass if verdict.passed else self._guide.on_failure
            end = following(self.lesson)
        self._stale = False
        self.sheet = replace(
            self.sheet,
            file=f"{shown_path(self.file)}, checked at {datetime.now():%H:%M:%S}",
            checking="",
            verdict=verdict,
            trouble=trouble,
            end=end,
        )
        show(self.sheet)

    def _verdict(self, spares: SpareChildren, kept: ServiceCache, goes_on: Callable[[], bool]) -> Verdict:
        """Raises Stopped, AsyncdemoError."""
        if self._exercise is None:
            self._exercise = load_lesson(self.lesson.folder).exercise
        if self._exercise is None:
            raise WorkspaceError(f"{self.lesson.folder}: its manifest says nothing of an exercise.")
        if not self.file.is_file():
            raise WorkspaceError(self._guide.without_file(self.lesson))
        need(self.lesson, self._exercise.load, self._exercise.services)
        return judge(self._exercise, self.file, goes_on, spares, kept)

    def _timed(self, show: Callable[[Sheet], None], goes_on: Callable[[], bool]) -> Callable[[], bool]:
        """As ``goes_on``; shows how long a check has taken that takes long."""
        began_s = time.monotonic()
        shown_s = 0

        def timed() -> bool:
            nonlocal shown_s
            elapsed_s = int(time.monotonic() - began_s)
            if elapsed_s > shown_s:
                shown_s = elapsed_s
                limit = f"; a run is ended after {self._exercise.timeout_s:g} s" if self._exercise else ""
                words = f"Checking {self.file.name} ... {elapsed_s} s{limit}"
                self.sheet = replace(self.sheet, checking=words)
                show(self.sheet)
            return goes_on()

        return timed

    def _remember(self, passed: bool) -> str:
        """Returns why it could not be kept, if so: the verdict is not less true."""
        if self._context.progress is None:
            return ""
        try:
            self._context.progress.update(self.lesson.id, lambda record: record.after_check(passed, now()))
        except WorkspaceError as error:
            return str(error)
        return ""
