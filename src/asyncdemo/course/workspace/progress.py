"""What a learner has done, lesson by lesson: runs, predictions, checks, hints.

Not for: results of runs (``--save`` and ``store`` keep those), or where the files lie (``context``).
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from asyncdemo.course.workspace.database import reading, writing
from asyncdemo.errors import WorkspaceError

_HINTS: Final = 3
_TABLES: Final = """
CREATE TABLE lessons (
    id TEXT PRIMARY KEY, runs INTEGER, asked INTEGER, "right" INTEGER, checks INTEGER, passed TEXT,
    hints INTEGER, solution_asked INTEGER, solution_shown INTEGER
);
CREATE TABLE predictions (
    lesson TEXT, question TEXT, place INTEGER, answer TEXT, happened TEXT, "right" INTEGER, asked INTEGER,
    times_right INTEGER, PRIMARY KEY (lesson, question)
)
"""
"""The columns stand in the order of the fields."""
_OPEN_ANSWERS: Final = """
CREATE TABLE IF NOT EXISTS open_answers (
    lesson TEXT, question TEXT, answer TEXT, PRIMARY KEY (lesson, question)
)
"""
"""The file of an older asyncdemo has no such table."""


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
    open_answers: (question as it was asked, what was typed) of answers that no run has been held against yet.
    """

    runs: int = 0
    asked: int = 0
    right: int = 0
    checks: int = 0
    passed: str = ""
    hints: int = 0
    solution_asked: int = 0
    solution_shown: bool = False
    predictions: tuple[Predicted, ...] = ()
    open_answers: tuple[tuple[str, str], ...] = ()

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
            open_answers=(),
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
            open_answers=newer.open_answers,
        )


def now() -> str:
    """For the record: UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True, slots=True)
class Progress:
    """The records in a database, which several processes may change at the same time.

    renamed: former id of a lesson -> its id. Every method raises WorkspaceError.
    """

    file: Path
    renamed: Mapping[str, str] = field(default_factory=dict)

    def of(self, lesson_id: str) -> Record:
        """An empty record if there is none."""
        return self.all().get(lesson_id, Record())

    def all(self) -> dict[str, Record]:
        """Lesson id -> record, for every lesson that has one."""
        with reading(self.file) as database:
            return {} if database is None else self._read(database)

    def update(self, lesson_id: str, change: Callable[[Record], Record]) -> Record:
        """The record after the change, which is on the disk now."""
        try:
            with writing(self.file, _TABLES) as database:
                record = change(self._read(database).get(lesson_id, Record()))
                _write(database, lesson_id, record)
        except WorkspaceError as error:
            raise WorkspaceError(f"Your progress could not be kept: {error}") from None
        return record

    def keep_answers(self, lesson_id: str, answers: tuple[tuple[str, str], ...]) -> None:
        """Before a run, so that a kill loses none."""
        self.update(lesson_id, lambda record: replace(record, open_answers=answers))

    def _read(self, database: sqlite3.Connection) -> dict[str, Record]:
        predictions = defaultdict(list)
        for row in database.execute("SELECT * FROM predictions ORDER BY place"):
            lesson_id, question, place, answer, happened, right, asked, times_right = row
            predictions[lesson_id].append(
                Predicted(question, place, answer, happened, bool(right), asked, times_right)
            )
        open_answers = defaultdict(list)
        if database.execute("SELECT 1 FROM sqlite_master WHERE name = 'open_answers'").fetchone():
            for lesson_id, *answer in database.execute("SELECT * FROM open_answers ORDER BY rowid"):
                open_answers[lesson_id].append(tuple(answer))
        records: dict[str, Record] = {}
        for lesson_id, *values, shown in database.execute("SELECT * FROM lessons ORDER BY id"):
            record = replace(
                Record(*values),
                solution_shown=bool(shown),
                predictions=tuple(predictions[lesson_id]),
                open_answers=tuple(open_answers[lesson_id]),
            )
            current = self.renamed.get(lesson_id, lesson_id)
            records[current] = record.joined(records.get(current, Record()))
        return records


def _write(database: sqlite3.Connection, lesson_id: str, record: Record) -> None:
    *values, predictions, open_answers = astuple(record)
    database.execute(f"REPLACE INTO lessons VALUES ({_places(values)})", (lesson_id, *values))
    database.execute("DELETE FROM predictions WHERE lesson = ?", (lesson_id,))
    for prediction in predictions:
        database.execute(f"INSERT INTO predictions VALUES ({_places(prediction)})", (lesson_id, *prediction))
    database.execute(_OPEN_ANSWERS)
    database.execute("DELETE FROM open_answers WHERE lesson = ?", (lesson_id,))
    for answer in open_answers:
        database.execute("INSERT INTO open_answers VALUES (?, ?, ?)", (lesson_id, *answer))


def _places(values: Sequence[object]) -> str:
    """One more than there are values: the id of the lesson comes first."""
    return ", ".join("?" * (len(values) + 1))
