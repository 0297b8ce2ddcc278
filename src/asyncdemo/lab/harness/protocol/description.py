"""An experiment as data: who is measured, under what, what is looked at first, and what is compared.

Not for: measuring it (``running``), or what comes out (``record``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from asyncdemo.lab.harness import Startable, Started
from asyncdemo.lab.results.comparison import Bound, Figure, Published
from asyncdemo.lab.results.setup import Arm, Extent, Loop, Setting
from asyncdemo.lab.results.trial import Load, check_figure
from asyncdemo.load import Send

Knob = int | float | str


@dataclass(frozen=True, slots=True)
class Contestant:
    """What is measured: an arm, as the record calls it, with what is started for it.

    knobs: its own, beside those of the condition; they win.
    """

    arm: Arm
    served: Startable
    knobs: Mapping[str, Knob] = field(default_factory=dict)
    rounds: int | None = None
    """In the first so many of the run; in all if there is no such limit."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What a check may look at. load: of what was sent last, if anything was."""

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
    """It has started, and nothing was sent yet."""
    LOADED = auto()
    """While it is loaded; the check takes its own time, and is asked once."""
    AFTER = auto()
    """The scene has the load."""


@dataclass(frozen=True, slots=True)
class Check:
    """Something to verify before anything is measured. An exception of ``look`` is what was seen."""

    what: str
    asked: str
    look: Callable[[Scene], Seen]
    when: When = When.READY
    arms: tuple[str, ...] = ()
    """Of all if there are none."""
    always: bool = False
    """Of those when it is ready: asked again in each trial, which ends as a wrong answer if it fails."""


@dataclass(frozen=True, slots=True)
class Count:
    """A figure of this experiment alone, for ``Trial.counted``."""

    name: str
    look: Callable[[Scene], float]
    most: bool = True
    """Looked at again and again while the load runs, and the most is kept; else once, after it."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A setting, with what is needed to bring it about.

    ``sends`` and ``knobs`` of the setting are written from those here, and ``duration_s`` from the size of
    the run, if it has no ``requests``.
    """

    setting: Setting
    sends: tuple[Send, ...]
    knobs: Mapping[str, Knob] = field(default_factory=dict)
    """What every contestant is started with."""
    arms: tuple[str, ...] = ()
    """Of all if there are none."""
    checks: tuple[Check, ...] = ()
    counts: tuple[Count, ...] = ()
    capacity: str = ""
    """With ``of_capacity`` or ``budget_ms``: the closed loop whose throughput is the capacity."""
    rounds: int | None = None
    """In the first so many of the run; in all if there is no such limit."""
    warm: bool = True
    """Else the first request is measured: what starting up costs is the question."""

    def takes(self, arm: Arm) -> bool:
        """A twin goes wherever its other half does."""
        return not self.arms or arm.name in self.arms or arm.twin_of in self.arms

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
class Asked:
    """A row of the report to be: ``comparison.Comparison`` without what is measured."""

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
    """rounds, and how long a window is; settings, arms: only these, all if there are none."""

    rounds: int = 7
    window_s: float = 10.0
    warm_up_s: float = 1.0
    """Of one window of warming up."""
    most_warm_ups: int = 10
    """With one, nothing says whether it was enough."""
    settings: tuple[str, ...] = ()
    arms: tuple[str, ...] = ()
    windows_s: Mapping[str, float] = field(default_factory=dict)
    """Of settings whose window is another one."""


QUICK, DEFAULT, FULL = Size(3, 2.0, 0.5, 4), Size(), Size(7, 30.0, 2.0)


def _sizes() -> Mapping[Extent, Size]:
    return {Extent.QUICK: QUICK, Extent.DEFAULT: DEFAULT, Extent.FULL: FULL}


@dataclass(frozen=True, slots=True)
class Experiment:
    """contestants: the arms. conditions: in the order in which each round goes through them."""

    name: str
    title: str
    contestants: tuple[Contestant, ...]
    conditions: tuple[Condition, ...]
    asked: tuple[Asked, ...]
    article: str = ""
    lesson: str = ""
    sizes: Mapping[Extent, Size] = field(default_factory=_sizes)
    twin_of: str = ""
    """The arm that is measured twice; by default the base of the first row."""
    packages: tuple[str, ...] = ()
    """Whose versions matter; those of the load client are always told."""
    programs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Name -> the command that says its version."""
    missing: Mapping[str, str] = field(default_factory=dict)
    """What the article had and this run has not -> what is done instead."""
    own_pids: Callable[[], Collection[int]] = tuple
    """Of services that belong to it: PostgreSQL, pgbouncer, nginx. What they use is not foreign."""
    died: Callable[[], str] = str
    """In words, if one of these has ended unasked: then there is nothing left to measure with."""
    notes: tuple[str, ...] = ()

    def of(self, size: Size) -> Experiment:
        """With its arms only, and the rows that are about them; a twin goes with its other half."""
        if not size.arms:
            return self
        contestants = tuple(
            item for item in self.contestants if {item.arm.name, item.arm.twin_of} & {*size.arms}
        )
        arms = {item.arm.name for item in contestants}
        asked = tuple(row for row in self.asked if {row.arm, row.base} <= arms)
        left = ", ".join(item.arm.title for item in self.contestants if item not in contestants)
        notes = (*self.notes, f"Not measured in a run of this size: {left}.") if left else self.notes
        return replace(self, contestants=contestants, asked=asked, notes=notes)

    def conditions_of(self, size: Size) -> tuple[Condition, ...]:
        return tuple(
            condition
            for condition in self.conditions
            if not size.settings or condition.setting.name in size.settings
        )


def check_experiment(experiment: Experiment, conditions: Sequence[Condition]) -> None:
    """conditions: that are measured. Raises ValueError if it names what it has not."""
    closed = {item.setting.name for item in conditions if item.setting.loop is Loop.CLOSED}
    for item in conditions:
        setting = item.setting
        needs = setting.loop is Loop.OPEN and setting.rate_per_s is None
        if (needs or item.capacity) and item.capacity not in closed:
            raise ValueError(
                f"{experiment.name}: the setting {setting.name} needs the capacity of a closed loop, and "
                f"{item.capacity!r} is none of its settings"
            )
        if not any(item.takes(contestant.arm) for contestant in experiment.contestants):
            raise ValueError(f"{experiment.name}: no arm is measured under {setting.name}")
    arms = {contestant.arm.name for contestant in experiment.contestants}
    settings = {item.setting.name for item in experiment.conditions}
    for row in experiment.asked:
        check_figure(row.figure.key)
        unknown = {row.arm, row.base} - arms | {row.setting, row.base_setting or row.setting} - settings
        if unknown:
            names = ", ".join(sorted(unknown))
            raise ValueError(f"{experiment.name}: {row.name} is about what is not there: {names}")
