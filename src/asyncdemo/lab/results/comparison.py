"""One row of a report: what was published, predicted and measured, and the verdict."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from asyncdemo.lab.results.flags import LATENCY, Flag, refuses
from asyncdemo.lab.results.ratio import Ratio, Reproduction


class Better(StrEnum):
    MORE = "more"
    LESS = "less"


@dataclass(frozen=True, slots=True)
class Published:
    """What the article says. ``ratio`` is None if it gives only words or a chart."""

    words: str
    """Where the ratio comes from: "4,907.53 / 346.15 per s"."""
    ratio: float | None = None


@dataclass(frozen=True, slots=True)
class Bound:
    """The ratio if only waiting counted, predicted before the run, with its arithmetic."""

    ratio: float
    words: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """One row of the report: an arm's figure as a multiple of the base's, round by round."""

    name: str
    figure: str
    """Its path in a trial: ``load.throughput_per_s``, ``load.latency_ms.99``, ``counted.db_sessions``."""
    title: str
    unit: str
    better: Better
    arm: str
    base: str
    setting: str
    base_setting: str = ""
    base_value: float | None = None
    """The ratio is relative to this constant, not to a figure of a trial; then ``base`` is the arm itself."""
    published: Published | None = None
    bound: Bound | None = None
    measured: Ratio | None = None
    arm_median: float | None = None
    base_median: float | None = None
    """Medians of the rounds, in ``unit``: not to be compared with other machines."""
    verdict: Reproduction | None = None
    """None if nothing is published."""
    differs: tuple[str, ...] = ()
    flags: tuple[Flag, ...] = ()

    def __post_init__(self) -> None:
        if self.base_value is not None and (
            self.base_value <= 0 or self.base != self.arm or self.base_setting
        ):
            raise ValueError(f"{self.name}: a base_value is above 0, and has the arm as base, in its setting")
        if (self.verdict is None) != (self.published is None):
            raise ValueError(f"{self.name}: there is a verdict if, and only if, something is published")
        if refuses(self.flags, self.figure) and self.measured is not None:
            raise ValueError(f"{self.name}: a flag withdraws the figure, so measured must be left out")
        if self.measured is None and not refuses(self.flags, self.figure):
            raise ValueError(f"{self.name}: nothing is measured, and no flag says why")
        if self.verdict is not None and (self.verdict is Reproduction.REFUSED) != (self.measured is None):
            raise ValueError(f"{self.name}: the verdict is refused if, and only if, nothing is measured")


@dataclass(frozen=True, slots=True)
class Figure:
    """``key`` is its path in a trial, such as ``load.latency_ms.99``. ``unit`` is "" for plain numbers."""

    key: str
    title: str
    unit: str
    better: Better


def latency(percent: str) -> Figure:
    title = "Median latency" if percent == "50" else f"Latency, {percent} %"
    return Figure(f"{LATENCY}{percent}", title, "ms", Better.LESS)


THROUGHPUT: Final = Figure("load.throughput_per_s", "Requests per second", "/s", Better.MORE)
MEAN_LATENCY: Final = Figure(f"{LATENCY}mean", "Mean latency", "ms", Better.LESS)
