"""What a learner has done, lesson by lesson: runs, predictions, checks, hints.

All of it is in one file of the user's folder for state, for every course and workspace.
"""

from __future__ import annotations

import os
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from asyncdemo.course.workspace.database import reading, writing
from asyncdemo.course.workspace.files import state_folder
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
"""The columns are in the order of the fields."""
_LESSON: Final = (str, int, int, int, int, str, int, int, int)
_PREDICTION: Final = (str, str, int, str, str, int, int, int)
_OPEN_ANSWER: Final = (str, str, str)
"""The types of the columns: SQLite itself keeps any value in any column."""
_OPEN_ANSWERS: Final = """
CREATE TABLE IF NOT EXISTS open_answers (
    lesson TEXT, question TEXT, answer TEXT, PRIMARY KEY (lesson, question)
)
"""
_READ_IN: Final = "CREATE TABLE IF NOT EXISTS read_in (file BLOB PRIMARY KEY, changed_ns INTEGER)"
"""An older asyncdemo's file does not have these tables."""


@dataclass(frozen=True, slots=True)
class Predicted:
    """The latest answer to one question of a lesson, in words, and how often it was answered.

    ``question`` is as in the manifest, and identifies it; ``place`` is its number, from 1.
    """

    question: str
    place: int
    answer: str
    happened: str
    right: bool
    asked: int = 1
    times_right: int = 0

    def after(self, earlier: Predicted) -> Predicted:
        """Return this answer, with the counts of the earlier ones added."""
        return replace(
            self, asked=earlier.asked + self.asked, times_right=earlier.times_right + self.times_right
        )


@dataclass(frozen=True, slots=True)
class Record:
    """What a learner has done in one lesson.

    Attributes:
        runs: How often its variants were run.
        asked, right: Counts of predictions in the latest run with answers.
        checks: How often the exercise was checked.
        passed: When it first passed, as an ISO date; "" if it has not.
        hints: How many were shown.
        solution_asked, solution_shown: How often the solution was requested, and whether it was shown.
        open_answers: (question as asked, text typed) of answers that still have no run.
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
        """``answered`` has the predictions that were answered before this run."""
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
        """Return the record with the solution shown if the exercise has passed, or on the second request."""
        shown = self.solution_shown or bool(self.passed) or self.solution_asked > 0
        return replace(self, solution_asked=self.solution_asked + 1, solution_shown=shown)

    def joined(self, other: Record) -> Record:
        """Return the union of both: the earliest pass, and the larger of two counts.

        Counts are not added, since ``start`` used to copy them from one file to another. So joining twice
        changes nothing.
        """
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
    """Return the time for the record: UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True, slots=True)
class Progress:
    """The records of a course in a database, which several processes may change at the same time.

    ``course`` is the title of an external course, so that another one's lessons may have the same ids; "" for
    the built-in one. Every method raises WorkspaceError.
    """

    file: Path
    course: str = ""

    def of(self, lesson_id: str) -> Record:
        """Return the lesson's record; an empty one if there is none."""
        return self.all().get(lesson_id, Record())

    def all(self) -> dict[str, Record]:
        """Return all records by lesson id."""
        with reading(self.file) as database:
            return {} if database is None else self._read(database)

    def update(self, lesson_id: str, change: Callable[[Record], Record]) -> Record:
        """Change a record. Returns the new one, which is on disk."""
        try:
            with writing(self.file, _TABLES) as database:
                record = change(self._read(database).get(lesson_id, Record()))
                _write(database, self._key(lesson_id), record)
        except WorkspaceError as error:
            raise WorkspaceError(f"Your progress could not be saved: {error}") from None
        return record

    def read_in(self, earlier: Path) -> None:
        """Join the records of an earlier workspace's own file, unless that was done since it changed."""
        try:
            state = os.fsencode(earlier), earlier.stat().st_mtime_ns
        except OSError:  # there is none, or it may not be seen
            return
        with reading(self.file) as database:
            if database is not None and _was_read_in(database, state):
                return
        records = Progress(earlier).all()
        with writing(self.file, _TABLES) as database:
            known = self._read(database)
            for lesson_id, record in records.items():
                joined = known[lesson_id].joined(record) if lesson_id in known else record
                _write(database, self._key(lesson_id), joined)
            database.execute(_READ_IN)
            database.execute("REPLACE INTO read_in VALUES (?, ?)", state)

    def _key(self, lesson_id: str) -> str:
        """Return how the file names a lesson. An id is the name of a folder, so it has no slash."""
        return f"{self.course}/{lesson_id}" if self.course else lesson_id

    def _read(self, database: sqlite3.Connection) -> dict[str, Record]:
        named = ((name.rpartition("/"), record) for name, record in _read(database, self.file).items())
        return {lesson_id: record for (course, _, lesson_id), record in named if course == self.course}


def personal_progress(course: str) -> Progress:
    """Return this user's progress in a course. Raises WorkspaceError without a folder for it."""
    return Progress(state_folder() / "progress.sqlite3", course)


def _has_table(database: sqlite3.Connection, name: str) -> bool:
    return database.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (name,)).fetchone() is not None


def _was_read_in(database: sqlite3.Connection, state: tuple[bytes, int]) -> bool:
    same = "SELECT 1 FROM read_in WHERE file = ? AND changed_ns = ?"
    return _has_table(database, "read_in") and database.execute(same, state).fetchone() is not None


def _read(database: sqlite3.Connection, file: Path) -> dict[str, Record]:
    """Return all records. Raises WorkspaceError if they have values that no asyncdemo writes."""

    def rows(query: str, kinds: tuple[type, ...]) -> Iterator[tuple[Any, ...]]:
        for row in database.execute(query):
            if tuple(map(type, row)) != kinds or any(type(value) is int and value < 0 for value in row):
                raise WorkspaceError(
                    f"{file}: is damaged: it has a value of the wrong kind. "
                    "Move it elsewhere, and asyncdemo goes on without it."
                )
            yield row

    predictions = defaultdict(list)
    for row in rows("SELECT * FROM predictions ORDER BY place", _PREDICTION):
        lesson_id, question, place, answer, happened, right, asked, times_right = row
        predictions[lesson_id].append(
            Predicted(question, place, answer, happened, bool(right), asked, times_right)
        )
    open_answers = defaultdict(list)
    if _has_table(database, "open_answers"):
        for lesson_id, question, answer in rows("SELECT * FROM open_answers ORDER BY rowid", _OPEN_ANSWER):
            open_answers[lesson_id].append((question, answer))
    return {
        lesson_id: replace(
            Record(*values),
            solution_shown=bool(shown),
            predictions=tuple(predictions[lesson_id]),
            open_answers=tuple(open_answers[lesson_id]),
        )
        for lesson_id, *values, shown in rows("SELECT * FROM lessons ORDER BY id", _LESSON)
    }


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
    """Return one placeholder more than there are values: the lesson's id comes first."""
    return ", ".join("?" * (len(values) + 1))
