"""Latency by percentile, from the histograms of a record: what HdrHistogram's plots show.

An open loop knows when each request should have been sent, so its latencies are those of all users. There is
no such curve for a closed loop, which sends less while it waits. Pure; needs ``hdrhistogram``.
Not here: drawing (see ``spectrum_html``).
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from functools import reduce
from itertools import product
from typing import Final

from asyncdemo.errors import LabFileError, MissingError
from asyncdemo.lab.results.flags import RULES, FlagKind
from asyncdemo.lab.results.record import Record
from asyncdemo.lab.results.setup import Arm, Loop, Setting
from asyncdemo.lab.results.trial import Trial
from asyncdemo.load.histogram import Histogram, library

_NEEDS: Final = (
    "There are latencies of an open loop, and to show their percentiles hdrhistogram is needed: "
    "pip install 'asyncdemo[course]'"
)
QUOTED: Final = (50.0, 90.0, 99.0, 99.9, 99.99)
_ENOUGH: Final = RULES[FlagKind.FEW_SAMPLES].limit
_NS_A_MS: Final = 1e6
_A_DECADE: Final = 24
"""Points for each further nine of the percentile."""


@dataclass(frozen=True, slots=True)
class Curve:
    """One arm, with all its rounds together. ``points``: (share of the answers above, milliseconds)."""

    title: str
    answers: int
    points: tuple[tuple[float, float], ...]
    quoted: tuple[tuple[float, float], ...]
    """(percentile, milliseconds) of those in ``QUOTED`` with enough answers above; empty if overloaded."""
    most_ms: float
    overloaded: bool = False
    """In some round, less was served than was sent. Then latency grows for as long as the run lasts."""

    @property
    def sure(self) -> float:
        """The smallest share with enough answers above to quote."""
        return min(1.0, _ENOUGH / self.answers)


@dataclass(frozen=True, slots=True)
class Spectrum:
    title: str
    curves: tuple[Curve, ...]


def spectra(record: Record) -> tuple[list[Spectrum], str]:
    """Return the spectra of each open loop, in the order of the record; or why they are unavailable."""
    found: dict[tuple[str, str], list[Curve]] = {}
    try:
        for setting, arm in product(record.settings, record.arms):
            if setting.loop is not Loop.OPEN or arm.twin_of:  # a twin repeats a contestant
                continue
            trials = _counting(record, arm, setting)
            kept = [trial.histograms.latency for trial in trials if trial.histograms]
            if latencies := list(filter(None, kept)):
                together = reduce(Histogram.added, [_decoded(arm, encoded) for encoded in latencies])
                overloaded = FlagKind.OVERLOADED in {flag.kind for trial in trials for flag in trial.flags}
                found.setdefault((setting.name, setting.title), []).append(_curve(arm, together, overloaded))
    except MissingError:
        return [], _NEEDS
    except LabFileError as error:
        return [], str(error)
    return [Spectrum(title, tuple(curves)) for (_, title), curves in found.items()], ""


def percent_words(percent: float) -> str:
    return f"{percent:.10g} %"


def _counting(record: Record, arm: Arm, setting: Setting) -> list[Trial]:
    """Return the trial of each round that counts; of a search, that of its last step within the budget."""
    place = (arm.name, setting.name)
    counting = (trial for trial in record.trials if (trial.arm, trial.setting) == place and trial.counts)
    return list({trial.round: trial for trial in counting}.values())


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
        raise LabFileError(f"latencies of {arm.title} are not a histogram: {error}") from error
    if not answers:
        raise LabFileError(f"a histogram of {arm.title} is empty")
    return found
