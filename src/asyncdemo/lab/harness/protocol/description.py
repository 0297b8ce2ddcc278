"""An experiment as data: the contestants, the conditions, the checks beforehand, and the comparisons."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from asyncdemo.lab.harness import Knobs, Startable, Started
from asyncdemo.lab.results.comparison import Bound, Figure, Published
from asyncdemo.lab.results.setup import Arm, Extent, Setting
from asyncdemo.lab.results.trial import Load
from asyncdemo.load import Send


@dataclass(frozen=True, slots=True)
class Contestant:
    """What is measured: an arm, as in the record, and what to start for it.

    ``knobs`` override those of the condition.
    """

    arm: Arm
    served: Startable
    knobs: Knobs = field(default_factory=dict)
    rounds: int | None = None
    """Take part only in this many rounds, the first ones; None: in all."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What a check can look at. ``load`` is the last load that was sent, if any."""

    arm: Arm
    setting: Setting
    started: Started
    load: Load | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    words: str
    held: bool


class When(Enum):
    READY = auto()
    """After the start, before anything is sent."""
    LOADED = auto()
    """During the load; called once, and may take its time."""
    AFTER = auto()
    """After the load, which is in the scene."""


@dataclass(frozen=True, slots=True)
class Check:
    """Something to verify before measuring. An exception from ``look`` counts as a result."""

    what: str
    asked: str
    look: Callable[[Scene], Seen]
    when: When = When.READY
    arms: tuple[str, ...] = ()
    """Empty: for all arms."""
    always: bool = False
    """Repeat a READY check in each trial, whose outcome is a wrong answer if it fails."""


@dataclass(frozen=True, slots=True)
class Count:
    """A figure specific to this experiment, for ``Trial.counted``."""

    name: str
    look: Callable[[Scene], float]
    most: bool = True
    """True: look repeatedly during the load and keep the maximum. False: look once, after it."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A setting, and what it takes to set it up.

    The setting's ``sends`` and ``knobs`` are filled in from those here, and its ``duration_s`` from the size
    of the run if it has no ``requests``.
    """

    setting: Setting
    sends: tuple[Send, ...]
    knobs: Knobs = field(default_factory=dict)
    """Every contestant is started with these."""
    arms: tuple[str, ...] = ()
    """Empty: for all arms."""
    checks: tuple[Check, ...] = ()
    counts: tuple[Count, ...] = ()
    capacity: str = ""
    """For ``of_capacity`` or ``budget_ms``: the closed loop whose throughput is the capacity."""
    rounds: int | None = None
    """Measure only in this many rounds, the first ones; None: in all."""
    warm: bool = True
    """False: measure from the first request on, because the cost of starting up is the question."""

    def takes(self, arm: Arm) -> bool:
        """Treat a twin like its original."""
        return not self.arms or arm.name in self.arms or arm.twin_of in self.arms

    def checks_of(self, arm: Arm) -> tuple[Check, ...]:
        return tuple(
            check for check in self.checks if not check.arms or {arm.name, arm.twin_of} & {*check.arms}
        )

    def described(self, size: Size) -> Setting:
        window_s = size.windows_s.get(self.setting.name, size.window_s)
        lasts = None if self.setting.requests is not None else self.setting.duration_s or window_s
        return replace(
            self.setting,
            sends=tuple(f"{send.method} {send.path}" for send in self.sends),
            knobs={name: str(value) for name, value in self.knobs.items()},
            duration_s=lasts,
            warm_up_s=min(2, size.most_warm_ups) * size.warm_up_s if self.warm else None,
        )


@dataclass(frozen=True, slots=True)
class PlannedRow:
    """A row of the future report: ``comparison.Comparison`` without the measurements."""

    name: str
    figure: Figure
    arm: str
    base: str
    setting: str
    base_setting: str = ""
    base_value: float | None = None
    published: Published | None = None
    bound: Bound | None = None
    differs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Size:
    """How long a run is. ``settings`` and ``arms`` restrict it to those; empty for all."""

    rounds: int = 7
    window_s: float = 10.0
    warm_up_s: float = 1.0
    """The length of one warm-up window."""
    most_warm_ups: int = 10
    """With only one, nothing shows whether it was enough."""
    settings: tuple[str, ...] = ()
    arms: tuple[str, ...] = ()
    windows_s: Mapping[str, float] = field(default_factory=dict)
    """Settings with a different window length."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """``contestants`` are the arms. ``conditions`` are in the order in which each round measures them."""

    name: str
    title: str
    contestants: tuple[Contestant, ...]
    conditions: tuple[Condition, ...]
    rows: tuple[PlannedRow, ...]
    sizes: Mapping[Extent, Size]
    article: str = ""
    lesson: str = ""
    twin_of: str = ""
    """The arm to measure twice; by default the base of the first row."""
    packages: tuple[str, ...] = ()
    """Packages whose versions matter; those of the load client are always recorded."""
    programs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Name -> the command that prints its version."""
    missing: Mapping[str, str] = field(default_factory=dict)
    """What the article had but this run lacks -> what is done instead."""
    own_pids: Callable[[], Collection[int]] = tuple
    """Processes of its services: PostgreSQL, pgbouncer, nginx. Their CPU time is not foreign."""
    died: Callable[[], str] = str
    """Describes the unasked end of one of these services, which makes measuring impossible; else ""."""
    notes: tuple[str, ...] = ()

    def of(self, extent: Extent, tools: Collection[str] | None = None) -> Experiment:
        """Keep what a run of this extent measures, if only these load programs are there (None: all).

        What is left out is named in ``notes`` and ``missing``.
        """
        size = self.sizes[extent]
        arms = tuple(
            contestant
            for contestant in self.contestants
            if not size.arms or {contestant.arm.name, contestant.arm.twin_of} & {*size.arms}
        )
        chosen = [
            condition
            for condition in self.conditions
            if not size.settings or condition.setting.name in size.settings
        ]
        there = tuple(condition for condition in chosen if tools is None or condition.setting.tool in tools)
        gone_arms = {contestant.arm.name for contestant in self.contestants if contestant not in arms}
        gone = {condition.setting.name for condition in self.conditions if condition not in there}
        left_out = {
            "a run of this size": [
                contestant.arm.title for contestant in self.contestants if contestant not in arms
            ],
            f"a {extent.value} run": [
                condition.setting.title for condition in self.conditions if condition not in chosen
            ],
        }
        notes = [f"Not measured in {run}: {'; '.join(names)}." for run, names in left_out.items() if names]
        settings = [condition.setting for condition in chosen if condition not in there]
        missing = {setting.tool: f"not on PATH; left out: {setting.title}" for setting in settings}
        return replace(
            self,
            contestants=arms,
            conditions=there,
            rows=tuple(
                row
                for row in self.rows
                if not gone_arms & {row.arm, row.base} and not gone & {row.setting, row.base_setting}
            ),
            missing={**self.missing, **missing},
            notes=(*self.notes, *notes),
        )
