"""The exercise of a lesson, read from the lesson's manifest: which files, and how they are run.

Not for: running it (``judging``), or the copy that a learner edits (``workspace``).
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from asyncdemo.course.content.knobs import constants
from asyncdemo.course.content.load import Load, read_load
from asyncdemo.course.content.manifest import Knobs, Table, Value
from asyncdemo.course.content.text import sections
from asyncdemo.services import NAMES

HINT_HEADINGS: Final = ("Where to look", "The cause", "Nearly the answer")
"""The headings of hints.md: three levels, each nearer to the answer."""

_CLOCKS: Final = ("virtual", "real")
_MOST_SCHEDULES: Final = 200
"""More would have a learner wait."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """A solution of the wrong shape. fault: occurs verbatim in the message that it fails with."""

    path: Path
    fault: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """Of the text of exercise.py, verbatim; also a part of one. wrong: solutions that break it, and only it.

    told: why it needs none, as it demands nothing.
    """

    text: str
    wrong: tuple[Path, ...]
    told: str


@dataclass(frozen=True, slots=True)
class Exercise:
    """task: one sentence, what is to be done. lanes: the functions whose calls are recorded.

    rows: those of them that are drawn. virtual: time jumps instead of passing. timeout_s: of real
    time, for each run. threshold_s: from when on a step counts as blocking. runs: the knobs of each;
    one value of a sequence is drawn anew for each check.
    right: solutions of another shape than ``solution``, which pass as well. sentences: what judges its text.
    services, memory, load: as of a lesson; the exercise has only its own. schedules: in so many of them it
    must come to the same (``judging.schedules``); 0: it is run without delays only.
    """

    lesson_id: str
    folder: Path
    task: str
    lanes: tuple[str, ...]
    rows: tuple[str, ...]
    virtual: bool
    timeout_s: float
    threshold_s: float
    runs: tuple[Mapping[str, Value | Sequence[Value]], ...]
    wrong: tuple[Wrong, ...]
    right: tuple[Path, ...] = ()
    sentences: tuple[Sentence, ...] = ()
    services: tuple[str, ...] = ()
    memory: bool = False
    load: Load | None = None
    schedules: int = 0

    def knobs(self, seed: int) -> tuple[Knobs, ...]:
        """Of each run, with the values that this seed draws; none that the exercise is written with."""
        draw = random.Random(seed)
        drawn = any(map(self.draws, range(len(self.runs))))
        written = constants(self.file) if drawn and self.file.is_file() else {}
        written |= self.load.knobs if self.load else {}
        return tuple(
            {name: _drawn(value, draw, written.get(name)) for name, value in run.items()} for run in self.runs
        )

    def draws(self, place: int) -> bool:
        """Whether values of a run are drawn. place: from 0."""
        return any(len(_choices(value)) > 1 for value in self.runs[place].values())

    def drawn_with(self, seeds: Iterable[int]) -> Exercise:
        """Nothing is drawn any more: a run of which values were is there once for each of the seeds."""
        sets = [self.knobs(seed) for seed in seeds]
        runs = [
            knobs
            for place in range(len(self.runs))
            for knobs in ([each[place] for each in sets] if self.draws(place) else [sets[0][place]])
        ]
        return replace(self, runs=tuple(runs))

    @property
    def file(self) -> Path:
        """As it is given to learners: broken."""
        return self.folder / "exercise.py"

    @property
    def solution(self) -> Path:
        return self.folder / "solution.py"

    @property
    def check(self) -> Path:
        return self.folder / "check.py"

    @property
    def hints(self) -> tuple[str, ...]:
        """One text a level, "" where it is missing. Raises CourseError."""
        found = sections(self.folder / "hints.md")
        return tuple(found.get(heading, "") for heading in HINT_HEADINGS)


def read_exercise(table: Table, lesson_id: str, folder: Path) -> Exercise:
    """The table ``[exercise]`` of a manifest. Raises CourseError with the file and the field."""
    lanes = table.texts("lanes")
    rows = table.texts("rows", lanes)
    unknown = sorted(set(rows) - set(lanes))
    if unknown:
        raise table.error("rows", f"{unknown[0]!r} is not one of the lanes")
    load, services = table.table("load"), read_services(table)
    sockets = load is not None or bool(services)
    clock = table.choice("clock", _CLOCKS, "real" if sockets else "virtual")
    if sockets and clock == "virtual":
        raise table.error("clock", "must be real: time cannot jump over what a server or a service does")
    schedules = table.whole("schedules", 0)
    if schedules and clock == "real":
        raise table.error("schedules", "needs virtual time")
    if not 0 <= schedules <= _MOST_SCHEDULES:
        raise table.error("schedules", f"must be from 0 to {_MOST_SCHEDULES}")
    exercise = Exercise(
        lesson_id=lesson_id,
        folder=folder,
        task=table.text("task"),
        lanes=lanes,
        rows=rows,
        virtual=clock == "virtual",
        timeout_s=table.number("timeout_s", 10.0),
        threshold_s=table.number("threshold_ms", 50.0) / 1000,
        runs=tuple(table.drawn_tables("runs")) or ({},),
        wrong=tuple(_wrong(entry, folder) for entry in table.tables("wrong")),
        right=tuple(_right(entry, folder) for entry in table.tables("right")),
        sentences=tuple(_sentence(entry, folder) for entry in table.tables("sentences")),
        services=services,
        memory=table.flag("memory", False),
        load=None if load is None else read_load(load),
        schedules=schedules,
    )
    table.close()
    return exercise


def _sentence(entry: Table, folder: Path) -> Sentence:
    wrong = tuple(folder / file for file in entry.texts("wrong", ()))
    sentence = Sentence(entry.text("text"), wrong, entry.text("told", ""))
    entry.close()
    return sentence


def _drawn(value: Value | Sequence[Value], draw: random.Random, written: Value | None) -> Value:
    """What is given takes nothing from the drawing: the other values are the same without it.

    written: is not drawn, or who writes the number instead of its name would pass by luck.
    """
    choices = _choices(value)
    if all(choice == choices[0] for choice in choices[1:]):
        return choices[0]
    drawn = draw.choice(choices)
    while drawn == written:
        drawn = draw.choice(choices)
    return drawn


def _choices(value: Value | Sequence[Value]) -> Sequence[Value]:
    return value if isinstance(value, Sequence) and not isinstance(value, str) else (value,)


def read_services(table: Table) -> tuple[str, ...]:
    """The field ``services`` of a lesson or its exercise. Raises CourseError."""
    services = table.texts("services", ())
    for name in services:
        if name not in NAMES:
            raise table.error("services", f"must be of {', '.join(NAMES)}, not {name!r}")
    if len(set(services)) < len(services):
        raise table.error("services", "name one twice")
    return services


def _wrong(entry: Table, folder: Path) -> Wrong:
    wrong = Wrong(folder / entry.text("file"), entry.text("fault"))
    entry.close()
    return wrong


def _right(entry: Table, folder: Path) -> Path:
    right = folder / entry.text("file")
    entry.close()
    return right
