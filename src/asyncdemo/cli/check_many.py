"""Checks many exercises, with results as data; for a folder of handed-in workspaces as one table.

Nothing is written into the workspaces.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from xml.etree import ElementTree

from asyncdemo.bounded import read_bytes
from asyncdemo.cli.exercises import load_exercise
from asyncdemo.course.content.catalog import Heading
from asyncdemo.course.judging.judge import Stopped, judge
from asyncdemo.course.judging.readiness import need
from asyncdemo.course.workspace.context import shown_path
from asyncdemo.course.workspace.handed_in import Submission
from asyncdemo.course.workspace.workspace import (
    MOST_BYTES,
    FileState,
    Workspace,
    explain_errors,
    leads_out,
    text_hash,
)
from asyncdemo.errors import AsyncdemoError, WorkspaceError
from asyncdemo.model import Lane, Request
from asyncdemo.model.verdict import Verdict
from asyncdemo.render.terminal.verdict import newest_lines
from asyncdemo.render.timeline.layout import open_ns
from asyncdemo.safe_text import cell, clean
from asyncdemo.serving import ServiceCache
from asyncdemo.testing.checks import Evidence

CSV_HEAD: Final = "workspace,passed"
JUNIT_HEAD: Final = "<testsuites"
_LONGEST_LINE: Final = 200
_TableOf = Mapping[str, Sequence["Checked"]]
"""Name of a submission -> each exercise, in the course's order."""


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

    service_cache: ServiceCache
    poll: Callable[[], bool]
    timeout_s: float | None = None
    seed: int | None = None

    def check_in(self, workspace: Workspace, lesson: Heading) -> Checked:
        """Check the learner's file, if it contains work of theirs. Raises Stopped."""
        file = workspace.file(lesson)
        try:
            if leads_out(workspace.folder, file):
                raise WorkspaceError(f"{file}: points outside the workspace.")
            state = workspace.state(lesson)
            with explain_errors(workspace.folder):
                edited = state is FileState.EDITED and _differs(file, lesson)
        except AsyncdemoError as error:
            return _unrun(lesson, file, Status.UNCHECKED, str(error), error)
        if not edited and state is not FileState.MISSING:
            return _untouched(lesson, file)
        return self.check_file(lesson, file)

    def check_submission(self, submission: Submission, lesson: Heading) -> Checked:
        """Check a file that was handed in. Whatever goes wrong is this row's. Raises Stopped.

        Its text is copied and runs elsewhere, in its own folder: nothing beside it is used or changed.
        """
        file = submission.workspace.folder
        try:
            place, text = submission.read(lesson)
            file /= place
            if text is None:
                return _missing(lesson, file)
            read = text_hash(text)
            if submission.workspace.was_given(lesson, read) or read == text_hash(_given(lesson)):
                return _untouched(lesson, file)
            with TemporaryDirectory(prefix="asyncdemo-") as folder:
                own = Path(folder).resolve()
                copy = own / f"{lesson.folder.name}.py"
                copy.write_bytes(text)
                return replace(self.check_file(lesson, copy, own), file=file)
        except Stopped:
            raise
        except Exception as error:  # noqa: BLE001 - one submission must not stop the others
            words = str(error) if isinstance(error, AsyncdemoError) else f"{type(error).__name__}: {error}"
            trouble = error if isinstance(error, AsyncdemoError) else None
            return _unrun(lesson, file, Status.UNCHECKED, words, trouble)

    def check_file(self, lesson: Heading, file: Path, folder: Path | None = None) -> Checked:
        """Check the file, run in a folder. Raises Stopped."""
        if not file.is_file():
            return _missing(lesson, file)
        try:
            exercise = load_exercise(lesson)
            if self.timeout_s is not None:
                exercise = replace(exercise, timeout_s=self.timeout_s)
            need(lesson, exercise.load, exercise.services)
            cache, seed = self.service_cache, self.seed
            verdict = judge(exercise, file, self.poll, service_cache=cache, seed=seed, folder=folder)
        except AsyncdemoError as error:
            return _unrun(lesson, file, Status.UNCHECKED, str(error), error)
        status = Status.PASSED if verdict.passed else Status.FAILED
        return Checked(lesson, file, status, exercise.task, verdict)


def _differs(file: Path, lesson: Heading) -> bool:
    return text_hash(read_bytes(file, MOST_BYTES)) != text_hash(_given(lesson))


def _given(lesson: Heading) -> bytes:
    return (lesson.folder / "exercise.py").read_bytes()


def _untouched(lesson: Heading, file: Path) -> Checked:
    return _unrun(lesson, file, Status.UNTOUCHED, "It has not been edited.")


def _missing(lesson: Heading, file: Path) -> Checked:
    words = (
        f"{shown_path(file)} is missing. If it was renamed, give it this name again; "
        f"for a fresh copy: asyncdemo reset {lesson.id}"
    )
    return _unrun(lesson, file, Status.MISSING, words)


def _unrun(
    lesson: Heading, file: Path, status: Status, why: str, trouble: AsyncdemoError | None = None
) -> Checked:
    return Checked(lesson, file, status, "", Verdict((), {}, "", why), trouble)


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


def words_of(name: str, checked: Sequence[Checked]) -> str:
    """Return "ada: 3 passed, 1 failed (upload-gate), 22 untouched"."""
    if all(item.status is Status.MISSING for item in checked):
        return f"{clean(name)}: no exercise found, neither in this folder nor in a folder directly in it"
    parts = []
    for status in Status:
        items = _having(checked, status)
        names = ", ".join(item.lesson.id for item in items)
        if status in (Status.PASSED, Status.UNTOUCHED):
            names = ""
        if items or status is Status.PASSED:
            parts.append(f"{len(items)} {status}" + (f" ({names})" if names else ""))
    return f"{clean(name)}: {', '.join(parts)}"


def table_as_csv(people: _TableOf, lessons: Sequence[Heading]) -> str:
    """Return one line each: name, how many passed, and the status of each exercise."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow([*CSV_HEAD.split(","), *(lesson.id for lesson in lessons)])
    for name, checked in people.items():
        passed = len(_having(checked, Status.PASSED))
        table.writerow([cell(name), passed, *(item.status for item in checked)])
    return text.getvalue()


def table_as_junit(people: _TableOf) -> str:
    """Return a test suite for each workspace, with a test for each exercise; untouched ones are skipped."""
    root = ElementTree.Element(JUNIT_HEAD.removeprefix("<"))
    for folder, checked in people.items():
        name = clean(folder)
        counts = {
            "tests": len(checked),
            "failures": len(_having(checked, Status.FAILED, Status.MISSING)),
            "errors": len(_having(checked, Status.UNCHECKED)),
            "skipped": len(_having(checked, Status.UNTOUCHED)),
        }
        attributes = {"name": name} | {count: str(number) for count, number in counts.items()}
        suite = ElementTree.SubElement(root, "testsuite", attributes)
        for item in checked:
            case = ElementTree.SubElement(suite, "testcase", {"classname": name, "name": item.lesson.id})
            if item.status in _ELEMENTS:
                message = item.verdict.message or ""
                ElementTree.SubElement(case, _ELEMENTS[item.status], {"message": message})
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=False) + "\n"


def table_as_data(people: _TableOf) -> list[dict[str, Any]]:
    return [
        {"name": name, "exercises": [as_data(item) for item in checked]} for name, checked in people.items()
    ]


_ELEMENTS: Final = {
    Status.FAILED: "failure",
    Status.MISSING: "failure",
    Status.UNCHECKED: "error",
    Status.UNTOUCHED: "skipped",
}


def _having(checked: Sequence[Checked], *statuses: Status) -> list[Checked]:
    return [item for item in checked if item.status in statuses]
