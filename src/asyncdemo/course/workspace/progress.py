"""What a learner has done, lesson by lesson: runs, predictions, checks, hints.

Not for: results of runs (``--save`` and ``store`` keep those), or where the files lie (``context``).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final, TypeVar

from asyncdemo.course.workspace import revisions
from asyncdemo.errors import WorkspaceError

__all__ = ["FORMAT", "Predicted", "Progress", "Record", "read_first_format"]

FORMAT: Final = "asyncdemo.progress/2"
_FIRST_FORMAT: Final = "asyncdemo.progress/1"
_HINTS: Final = 3
_Kind = TypeVar("_Kind", "Predicted", "Record")


@dataclass(frozen=True, slots=True)
class Predicted:
    """The latest answer to one question of a lesson, in words, and how often it was answered.

    question: as the manifest has it, which tells it from the others; place: among them, from 1.
    """

    question: str
    place: int
    answer: str
    happened: str
    right: bool
    asked: int = 1
    times_right: int = 0

    def after(self, earlier: Predicted) -> Predicted:
        """This answer, counted on top of the earlier ones."""
        return replace(
            self, asked=earlier.asked + self.asked, times_right=earlier.times_right + self.times_right
        )


@dataclass(frozen=True, slots=True)
class Record:
    """runs: of the lesson's variants. asked, right: predictions of the latest run in which any was answered.

    checks: how often the exercise was checked. passed: when it first passed, "" if it has not; an ISO date.
    hints: how many were shown. solution_asked: how often. solution_shown: whether it has been.
    """

    runs: int = 0
    asked: int = 0
    right: int = 0
    predictions: tuple[Predicted, ...] = ()
    checks: int = 0
    passed: str = ""
    hints: int = 0
    solution_asked: int = 0
    solution_shown: bool = False

    def after_run(self, answered: Iterable[Predicted] = ()) -> Record:
        """answered: the predictions that were answered before this run."""
        newest = tuple(answered)
        if not newest:
            return replace(self, runs=self.runs + 1)
        known = {item.question: item for item in self.predictions}
        for item in newest:
            known[item.question] = item.after(known[item.question]) if item.question in known else item
        return replace(
            self,
            runs=self.runs + 1,
            asked=len(newest),
            right=sum(item.right for item in newest),
            predictions=tuple(sorted(known.values(), key=lambda item: item.place)),
        )

    def after_check(self, passed: bool, now: str) -> Record:
        return replace(self, checks=self.checks + 1, passed=self.passed or (now if passed else ""))

    def after_hint(self) -> Record:
        return replace(self, hints=min(self.hints + 1, _HINTS))

    def after_asking_for_solution(self) -> Record:
        """It is shown after a pass, or to who asks a second time."""
        shown = self.solution_shown or bool(self.passed) or self.solution_asked > 0
        return replace(self, solution_asked=self.solution_asked + 1, solution_shown=shown)

    def joined(self, other: Record) -> Record:
        """What is in either; joining twice changes nothing, so a join can be repeated after a crash."""
        newer = self if self.runs >= other.runs else other
        known = {item.question: item for item in other.predictions}
        for item in self.predictions:
            if item.question not in known or item.asked >= known[item.question].asked:
                known[item.question] = item
        return Record(
            runs=newer.runs,
            asked=newer.asked,
            right=newer.right,
            predictions=tuple(sorted(known.values(), key=lambda item: item.place)),
            checks=max(self.checks, other.checks),
            passed=min(filter(None, (self.passed, other.passed)), default=""),
            hints=max(self.hints, other.hints),
            solution_asked=max(self.solution_asked, other.solution_asked),
            solution_shown=self.solution_shown or other.solution_shown,
        )


@dataclass(frozen=True, slots=True)
class Progress:
    """The records in a folder. Several processes may change them at once (``revisions``).

    renamed: former id of a lesson -> its id. earlier: records from before there were files in the folder.
    """

    folder: Path
    renamed: Mapping[str, str] = field(default_factory=dict)
    earlier: Mapping[str, Record] = field(default_factory=dict)

    def of(self, lesson_id: str) -> Record:
        """An empty record if there is none that can be read: what is only shown may be missing."""
        try:
            return self._read(lesson_id, revisions.newest(self.folder, lesson_id))
        except OSError:
            return Record()

    def all(self) -> dict[str, Record]:
        """Lesson id -> record, for every lesson that has one."""
        try:
            names = revisions.names(self.folder)
        except OSError:
            names = set()
        ids = {self.renamed.get(name, name) for name in names | set(self.earlier)}
        records = {lesson_id: self.of(lesson_id) for lesson_id in sorted(ids)}
        return {lesson_id: record for lesson_id, record in records.items() if record != Record()}

    def update(self, lesson_id: str, change: Callable[[Record], Record]) -> Record:
        """The record after the change, which is on the disk now. Raises WorkspaceError."""

        def changed(data: revisions.Data | None) -> revisions.Data:
            if data is not None and _is_newer(data):
                raise WorkspaceError(
                    f"{self.folder}: your progress in {lesson_id} was written by a newer asyncdemo, and is "
                    "left as it is. Upgrade asyncdemo."
                )
            return {
                "format": FORMAT,
                "lesson": lesson_id,
                **asdict(change(self._read(lesson_id, data))),
            }

        try:
            return _record(revisions.update(self.folder, lesson_id, changed))
        except OSError as error:
            reason = error.strerror or error
            raise WorkspaceError(f"Your progress could not be kept: {self.folder}: {reason}.") from None

    def _read(self, lesson_id: str, data: revisions.Data | None) -> Record:
        """The record in the data. If there is none yet: what was recorded before, or under a former id."""
        if data is not None:
            return _record(data)
        record = self.earlier.get(lesson_id, Record())
        for former, current in self.renamed.items():
            if current == lesson_id:
                before = revisions.newest(self.folder, former)
                record = record.joined(self.earlier.get(former, Record()))
                record = record.joined(_record(before) if before is not None else Record())
        return record


def read_first_format(file: Path) -> dict[str, Record]:
    """Lesson id -> record, from the one file of asyncdemo.progress/1. Empty if there is no such file."""
    try:
        data = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return {}
    lessons = data.get("lessons") if isinstance(data, dict) and data.get("format") == _FIRST_FORMAT else None
    if not isinstance(lessons, dict):
        return {}
    return {name: _record(entry) for name, entry in lessons.items() if isinstance(entry, dict)}


def _is_newer(data: revisions.Data) -> bool:
    name, _, version = str(data.get("format")).partition("/")
    return name == FORMAT.partition("/")[0] and version.isdecimal() and int(version) > 2


def _record(data: Mapping[str, Any]) -> Record:
    """Fields that are missing, or hold what they cannot hold, have their first value."""
    predictions = data.get("predictions")
    items = predictions if isinstance(predictions, list) else []
    return replace(
        _known(Record(), {**data, "predictions": None}),
        predictions=tuple(
            _known(Predicted("", 0, "", "", False), item) for item in items if isinstance(item, dict)
        ),
    )


def _known(default: _Kind, data: Mapping[str, Any]) -> _Kind:
    values = {
        item.name: data[item.name]
        for item in fields(default)
        if type(data.get(item.name)) is type(getattr(default, item.name))
    }
    return replace(default, **values)
