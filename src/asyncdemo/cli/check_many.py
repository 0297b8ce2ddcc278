"""Checks exercises one after another, with results as data: for ``check``, and for handed-in workspaces.

Not here: judging (see ``course.judging``), or printing the results (see ``check``, ``handed_in``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from asyncdemo.cli.exercises import load_exercise
from asyncdemo.course.content.catalog import Heading
from asyncdemo.course.judging.judge import Failure, Verdict, judge
from asyncdemo.course.judging.readiness import need
from asyncdemo.course.workspace.context import shown_path
from asyncdemo.course.workspace.workspace import FileState, Workspace, text_hash
from asyncdemo.errors import AsyncdemoError
from asyncdemo.model import Lane, Request
from asyncdemo.render.terminal.verdict import newest_lines
from asyncdemo.render.timeline.layout import open_ns
from asyncdemo.serving import ServiceCache
from asyncdemo.testing.checks import Evidence

_LONGEST_LINE: Final = 200


class Status(StrEnum):
    """The result for an exercise. An untouched one, with its original text, is not run."""

    PASSED = "passed"
    FAILED = "failed"
    UNTOUCHED = "untouched"
    MISSING = "missing"
    UNCHECKED = "not checked"


@dataclass(frozen=True, slots=True)
class Checked:
    """An exercise, the checked file, and the result.

    ``task`` is the exercise's; "" if it was not run: then the verdict's message says why. ``trouble`` is why
    it could not be checked, unless the file is at fault.
    """

    lesson: Heading
    file: Path
    status: Status
    task: str
    verdict: Verdict
    trouble: AsyncdemoError | None = None


@dataclass(frozen=True, slots=True)
class Checker:
    """``poll`` is as in ``judge``. ``timeout_s`` replaces the exercise's own. ``seed`` is for knobs."""

    kept: ServiceCache
    poll: Callable[[], bool]
    timeout_s: float | None = None
    seed: int | None = None

    def check_in(self, workspace: Workspace, lesson: Heading) -> Checked:
        """Check the learner's file, if it contains work of theirs. Raises Stopped."""
        file = workspace.file(lesson)
        try:
            state = workspace.state(lesson)
            if state is FileState.EDITED and _hash(file) == _hash(lesson.folder / "exercise.py"):
                state = FileState.AS_GIVEN
        except AsyncdemoError as error:
            return _unrun(lesson, file, Status.UNCHECKED, str(error), error)
        if state is FileState.AS_GIVEN:
            return _unrun(lesson, file, Status.UNTOUCHED, "It has not been edited.")
        return self.check_file(lesson, file)

    def check_file(self, lesson: Heading, file: Path) -> Checked:
        """Raises Stopped."""
        if not file.is_file():
            words = f"{shown_path(file)} is missing. `asyncdemo reset {lesson.id}` restores it."
            return _unrun(lesson, file, Status.MISSING, words)
        try:
            exercise = load_exercise(lesson)
            if self.timeout_s is not None:
                exercise = replace(exercise, timeout_s=self.timeout_s)
            need(lesson, exercise.load, exercise.services)
            verdict = judge(exercise, file, self.poll, kept=self.kept, seed=self.seed)
        except AsyncdemoError as error:
            return _unrun(lesson, file, Status.UNCHECKED, str(error), error)
        status = Status.PASSED if verdict.passed else Status.FAILED
        return Checked(lesson, file, status, exercise.task, verdict)


def _unrun(
    lesson: Heading, file: Path, status: Status, why: str, trouble: AsyncdemoError | None = None
) -> Checked:
    return Checked(lesson, file, status, "", Verdict((), Failure(why, None), (), {}, ""), trouble)


def _hash(file: Path) -> str:
    return text_hash(file.read_bytes())


def as_data(item: Checked) -> dict[str, Any]:
    """Return an entry of ``asyncdemo.check/1``."""
    evidence = item.verdict.evidence
    return {
        "id": item.lesson.id,
        "number": item.lesson.number,
        "title": item.lesson.title,
        "file": str(item.file),
        "status": str(item.status),
        "passed": item.verdict.passed,
        "held": list(item.verdict.held),
        "message": item.verdict.message,
        "knobs": dict(item.verdict.knobs),
        "seed": item.verdict.seed,
        "evidence": _evidence_data(evidence) if evidence else None,
        "output": [line[:_LONGEST_LINE] for line in newest_lines(item.verdict.output)],
    }


def _evidence_data(evidence: Evidence) -> dict[str, Any]:
    """Return the evidence, in seconds from the opening of the run's first row, as everywhere."""
    run, zero_ns = evidence.run, open_ns(evidence.run)

    def seconds(time_ns: int) -> float:
        return round((time_ns - zero_ns) / 1e9, 6)

    def row_data(row: Lane | Request) -> dict[str, Any]:
        start_s, end_s = seconds(row.start_ns), seconds(row.end_ns)
        return {"name": row.name, "start_s": start_s, "end_s": end_s, "outcome": str(row.outcome)}

    return {
        "start_s": seconds(evidence.start_ns),
        "end_s": seconds(evidence.end_ns),
        "lanes": [row_data(run.lanes[index]) for index in evidence.lanes],
        "requests": [row_data(run.requests[index]) for index in evidence.requests],
    }
