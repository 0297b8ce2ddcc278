"""Latency against percentile, from the histograms of a record: what HdrHistogram's plots show.

An open loop knows when each request should have been sent, so its latencies are those of everybody who came.
Of a closed loop there is no such curve: it sends less while it waits. Pure; needs ``hdrhistogram``.
Not for: drawing (``spectrum_html``).
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Final

from asyncdemo.errors import LabFileError
from asyncdemo.lab.results.flags import RULES, FlagKind
from asyncdemo.lab.results.record import Record
from asyncdemo.lab.results.setup import Arm, Loop, Setting
from asyncdemo.lab.results.trial import Trial
from asyncdemo.load.histogram import Histogram, library

NEEDS: Final = (
    "There are latencies of an open loop, and to show their percentiles hdrhistogram is needed: "
    "pip install 'asyncdemo[course]'"
)
QUOTED: Final = (50.0, 90.0, 99.0, 99.9, 99.99)
_ENOUGH: Final = RULES[FlagKind.FEW_SAMPLES].limit or 0.0
_NS_A_MS: Final = 1e6
_A_DECADE: Final = 24
"""Points for each further nine of the percentile."""


@dataclass(frozen=True, slots=True)
class Curve:
    """One arm, all of its rounds together. points: (share of the answers beyond it, milliseconds)."""

    title: str
    answers: int
    points: tuple[tuple[float, float], ...]
    quoted: tuple[tuple[float, float], ...]
    """(percentile, milliseconds), of those of ``QUOTED`` with enough answers beyond; none if overloaded."""
    most_ms: float
    overloaded: bool = False
    """In some round less was served than was sent: then latency grows for as long as the run lasts."""

    @property
    def sure(self) -> float:
        """The least share beyond which there are enough answers to quote."""
        return min(1.0, _ENOUGH / self.answers)


@dataclass(frozen=True, slots=True)
class Spectrum:
    title: str
    curves: tuple[Curve, ...]


def has_spectra(record: Record) -> bool:
    """Whether ``spectra`` has something to decode."""
    return any(_latencies(record, arm, setting) for setting, arm in _places(record))


def spectra(record: Record) -> list[Spectrum]:
    """Of each open loop, in the order of the record.

    Raises MissingError without hdrhistogram, and LabFileError for a histogram that is none.
    """
    found: dict[str, list[Curve]] = {}
    titles = {setting.name: setting.title for setting in record.settings}
    for setting, arm in _places(record):
        latencies = _latencies(record, arm, setting)
        if latencies:
            together = reduce(Histogram.added, [_decoded(arm, encoded) for encoded in latencies])
            overloaded = _overloaded(record, arm, setting)
            found.setdefault(setting.name, []).append(_curve(arm, together, overloaded))
    return [Spectrum(titles[name], tuple(curves)) for name, curves in found.items()]


def percent_words(percent: float) -> str:
    return f"{percent:.10g} %"


def _places(record: Record) -> Iterator[tuple[Setting, Arm]]:
    """A twin is left out: it is the same contestant again."""
    for setting in record.settings:
        if setting.loop is Loop.OPEN:
            yield from ((setting, arm) for arm in record.arms if not arm.twin_of)


def _counting(record: Record, arm: Arm, setting: Setting) -> list[Trial]:
    """The one of each round whose latencies count; of a search, that of its last step within the budget."""
    rounds = {
        trial.round: trial
        for trial in record.trials
        if trial.arm == arm.name and trial.setting == setting.name and trial.counts
    }
    return list(rounds.values())


def _latencies(record: Record, arm: Arm, setting: Setting) -> list[str]:
    kept = (trial.histograms for trial in _counting(record, arm, setting))
    return [histograms.latency for histograms in kept if histograms and histograms.latency]


def _overloaded(record: Record, arm: Arm, setting: Setting) -> bool:
    trials = _counting(record, arm, setting)
    return any(flag.kind is FlagKind.OVERLOADED for trial in trials for flag in trial.flags)


def _curve(arm: Arm, latencies: Histogram, overloaded: bool) -> Curve:
    answers = latencies.count
    shares = [10 ** (-step / _A_DECADE) for step in range(int(_A_DECADE * math.log10(answers)) + 1)]
    found = latencies.percentiles_ns([100 * (1 - share) for share in shares])
    points = [(share, ns / _NS_A_MS) for share, ns in zip(shares, found.values(), strict=True)]
    most_ms = latencies.most_ns / _NS_A_MS
    sure = [percent for percent in QUOTED if answers * (100 - percent) / 100 >= _ENOUGH - 1e-6]
    quoted = {} if overloaded else latencies.percentiles_ns(sure)
    return Curve(
        title=arm.title,
        answers=answers,
        points=(*points, (1 / answers, most_ms)),
        quoted=tuple((percent, ns / _NS_A_MS) for percent, ns in quoted.items()),
        most_ms=most_ms,
        overloaded=overloaded,
    )


def _decoded(arm: Arm, encoded: str) -> Histogram:
    library()
    from hdrh.codec import HdrCookieException, HdrLengthException  # type: ignore[import-untyped]

    found = Histogram(encoded)
    try:
        answers = found.count
    except (ValueError, zlib.error, HdrCookieException, HdrLengthException) as error:
        raise LabFileError(f"latencies of {arm.title} are no histogram: {error}") from error
    if not answers:
        raise LabFileError(f"a histogram of {arm.title} is empty")
    return found
