"""The exercise of a lesson, read from the lesson's manifest: its files, and how they are run."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from asyncdemo.course.content.constants import constants
from asyncdemo.course.content.load import Load, read_load
from asyncdemo.course.content.manifest import Knobs, Table, Value
from asyncdemo.course.content.overlay import WRONG
from asyncdemo.course.content.text import sections
from asyncdemo.services import NAMES

_MOST_SCHEDULES: Final = 200
HINT_HEADINGS: Final = ("Where to look", "The cause", "Nearly the answer")
"""The headings of hints.md: three levels, each closer to the answer."""


@dataclass(frozen=True, slots=True)
class Exercise:
    """An exercise as the manifest describes it.

    Attributes:
        task: What to do, in one sentence.
        lanes: The functions whose calls are recorded.
        rows: The lanes that are drawn.
        virtual: Time jumps instead of passing.
        timeout_s: The limit for each run, in real time.
        threshold_s: A step longer than this counts as blocking.
        runs: The knobs of each run. From a sequence, each check draws a new value.
        right, wrong: Other programs that must pass too, and overlays that must fail: the files of the folders
            of these names. An installed course has none.
        untested: Parts of its text, verbatim, that no wrong solution breaks, and why.
        services, memory, load: As in a lesson; the exercise has only its own.
        schedules: How many schedules must give the same result (see ``judging.judge``); 0: no delays.
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
    right: tuple[Path, ...] = ()
    wrong: tuple[Path, ...] = ()
    untested: Mapping[str, str] = field(default_factory=dict)
    services: tuple[str, ...] = ()
    memory: bool = False
    load: Load | None = None
    schedules: int = 0

    def knobs(self, seed: int) -> tuple[Knobs, ...]:
        """Return the knobs of each run. A value that ``seed`` draws is never the one in the file."""
        draw = random.Random(seed)
        drawn = any(map(self.draws, range(len(self.runs))))
        written = constants(self.file) if drawn and self.file.is_file() else {}
        written |= self.load.knobs if self.load else {}
        return tuple(
            {name: _drawn(value, draw, written.get(name)) for name, value in run.items()} for run in self.runs
        )

    def draws(self, place: int) -> bool:
        """Return whether the run at ``place``, counted from 0, has drawn values."""
        return any(len(_choices(value)) > 1 for value in self.runs[place].values())

    def drawn_with(self, seeds: Iterable[int]) -> Exercise:
        """Return a copy without drawing: a run with drawn values is repeated, once for each seed."""
        sets = [self.knobs(seed) for seed in seeds]
        runs = [
            knobs
            for place in range(len(self.runs))
            for knobs in ([each[place] for each in sets] if self.draws(place) else [sets[0][place]])
        ]
        return replace(self, runs=tuple(runs))

    @property
    def file(self) -> Path:
        """The exercise as learners get it: broken."""
        return self.folder / "exercise.py"

    @property
    def solution(self) -> Path:
        return self.folder / "solution.py"

    @property
    def check(self) -> Path:
        return self.folder / "check.py"

    @property
    def hints(self) -> tuple[str, ...]:
        """One text for each level, "" if it is missing. Raises CourseError."""
        found = sections(self.folder / "hints.md")
        return tuple(found.get(heading, "") for heading in HINT_HEADINGS)


def read_exercise(table: Table, lesson_id: str, folder: Path) -> Exercise:
    """Read the table ``[exercise]`` of a manifest. Raises CourseError with the file and the field."""
    lanes = table.texts("lanes")
    rows = table.texts("rows", lanes)
    unknown = sorted(set(rows) - set(lanes))
    if unknown:
        raise table.error("rows", f"{unknown[0]!r} is not one of the lanes")
    load, services = table.table("load"), read_services(table)
    sockets = load is not None or bool(services)
    clock = table.choice("clock", ("virtual", "real"), "real" if sockets else "virtual")
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
        runs=table.each("runs", Table.drawn) or ({},),
        right=tuple(sorted((folder / "right").glob("*.py"))),
        wrong=tuple(sorted((folder / WRONG).glob("*.py"))),
        untested=table.by_name("untested", Table.text),
        services=services,
        memory=table.flag("memory", False),
        load=None if load is None else read_load(load),
        schedules=schedules,
    )
    table.close()
    return exercise


def _drawn(value: Value | Sequence[Value], draw: random.Random, written: Value | None) -> Value:
    """Return a value. A fixed one uses no random number, so it doesn't affect the other values.

    The written value is never drawn: a learner who hard-codes it would pass by luck.
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
    """Read the field ``services`` of a lesson or its exercise. Raises CourseError."""
    services = table.texts("services", ())
    for name in services:
        if name not in NAMES:
            raise table.error("services", f"must be of {', '.join(NAMES)}, not {name!r}")
    if len(set(services)) < len(services):
        raise table.error("services", "names one of them twice")
    return services
