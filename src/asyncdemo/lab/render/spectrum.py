"""Latency by percentile, from the histograms of a record: as values, words, and curves on a page.

An open loop knows when each request should have been sent, so its latencies are those of all users. There is
no such curve for a closed loop, which sends less while it waits. Needs ``hdrhistogram``.
As in ``bars``, positions are in percent and sizes in pixels, so letters keep their shape at any width.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from html import escape
from itertools import product
from typing import Final

from asyncdemo.errors import LabFileError, MissingError
from asyncdemo.lab.render.bars import CURVES, mark_svg
from asyncdemo.lab.render.tables import table
from asyncdemo.lab.results.audit import number
from asyncdemo.lab.results.flags import RULES, FlagKind
from asyncdemo.lab.results.record import Record
from asyncdemo.lab.results.setup import Arm, Loop, Setting
from asyncdemo.lab.results.trial import Trial
from asyncdemo.load.histogram import Histogram, library
from asyncdemo.render.timeline.scales import Scale

_NEEDS: Final = (
    "There are latencies of an open loop, and to show their percentiles hdrhistogram is needed: "
    "pip install 'asyncdemo[course]'"
)
QUOTED: Final = (50.0, 90.0, 99.0, 99.9, 99.99)
_ENOUGH: Final = RULES[FlagKind.FEW_SAMPLES].limit
_NS_A_MS: Final = 1e6
_A_DECADE: Final = 24
"""Points for each further nine of the percentile."""
_HEIGHT: Final = 300
_NINES: Final = 7
"""The axis has ticks at 90 %, 99 %, ... up to this many nines."""


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
    except (IndexError, ValueError, zlib.error, HdrCookieException, HdrLengthException) as error:
        raise LabFileError(f"latencies of {arm.title} are not a histogram: {error}") from error
    if not answers:
        raise LabFileError(f"a histogram of {arm.title} is empty")
    return found


# -- as HTML -------------------------------------------------------------------------------------------------


def spectra_html(record: Record) -> str:
    """Return a figure and a table for each open loop, "" if there are none, or why they are unavailable."""
    found, problem = spectra(record)
    return f"<p>{escape(problem)}</p>" if problem else "".join(map(spectrum_html, found))


def spectrum_html(spectrum: Spectrum) -> str:
    curves = spectrum.curves
    scale = Scale.around([ms for curve in curves for _, ms in curve.points if ms > 0], logarithmic=True)
    decades = max(1.0, math.log10(max(curve.answers for curve in curves)))
    kinds = [CURVES[place % len(CURVES)] for place in range(len(curves))]
    title = f"{spectrum.title}: latency at each percentile"
    legend = "".join(map(_key, kinds, curves))
    drawn = "".join(
        part
        for kind, curve in zip(kinds, curves, strict=True)
        for part in _drawn(kind, curve, scale, decades)
    )
    inner = f"{_grid(scale, decades)}{drawn}{_letters(scale)}"
    return (
        f'<figure class="bars spectrum" data-search-exclude><figcaption><b>{escape(title)}</b> '
        "(ms, from the intended send; both axes logarithmic)</figcaption>"
        f'<p class="bars-legend">{legend}</p>'
        f'<svg class="spectrum-plot" width="100%" height="{_HEIGHT}" role="img"><title>{escape(title)}. '
        f"The table below has the figures.</title>{inner}</svg>{_axis(decades)}"
        f"</figure>{_table(title, curves)}{_remarks(curves)}"
    )


def _grid(scale: Scale, decades: float) -> str:
    across = "".join(
        f'<line class="bars-line" x1="0" x2="100%" y1="{100 - scale.percent(value):.2f}%" '
        f'y2="{100 - scale.percent(value):.2f}%"/>'
        for value in scale.lines
    )
    down = "".join(
        f'<line class="bars-line" x1="{place:.2f}%" x2="{place:.2f}%" y1="0" y2="100%"/>'
        for place, _ in _ticks(decades)
    )
    return across + down


def _letters(scale: Scale) -> str:
    return "".join(
        f'<text x="3" y="{100 - scale.percent(value):.2f}%" dy="-3">{escape(number(value))}</text>'
        for value in scale.lines
    )


def _axis(decades: float) -> str:
    texts = "".join(
        f'<text x="{place:.2f}%" y="13" text-anchor="'
        f'{"start" if place < 4 else "end" if place > 92 else "middle"}">{words}</text>'
        for place, words in _ticks(decades)
    )
    return f'<svg class="spectrum-axis" width="100%" height="18" aria-hidden="true">{texts}</svg>'


def _ticks(decades: float) -> Iterator[tuple[float, str]]:
    """Yield (place in percent, words)."""
    for nines in range(min(_NINES, math.floor(decades)) + 1):
        yield 100 * nines / decades, percent_words(100 * (1 - 10.0**-nines))


def _drawn(kind: str, curve: Curve, scale: Scale, decades: float) -> Iterator[str]:
    """Yield lines: thin where too few answers are above to quote the percentile, and if overloaded."""
    places = [
        (share, -100 * math.log10(share) / decades, 100 - scale.percent(ms))
        for share, ms in curve.points
        if ms > 0
    ]
    sure = [] if curve.overloaded else [place for place in places if place[0] >= curve.sure]
    rest = places[max(len(sure) - 1, 0) :]
    yield '<svg viewBox="0 0 100 100" preserveAspectRatio="none" width="100%" height="100%">'
    for part, few in ((sure, ""), (rest, " spectrum-few")):
        if len(part) > 1:
            steps = "L".join(f"{x:.2f},{y:.2f}" for _, x, y in part)
            yield f'<path class="spectrum-line spectrum-{kind}{few}" d="M{steps}"/>'
    yield "</svg>"
    for percent, ms in curve.quoted:
        if ms > 0:
            place = -100 * math.log10(1 - percent / 100) / decades
            yield mark_svg(kind, f"{place:.2f}%", round(100 - scale.percent(ms), 2))


def _key(kind: str, curve: Curve) -> str:
    few = " spectrum-few" if curve.overloaded else ""
    line = f'<path class="spectrum-line spectrum-{kind}{few}" d="M0,8H36"/>'
    mark = "" if curve.overloaded else mark_svg(kind, "50%")
    words = f"{curve.title}, overloaded" if curve.overloaded else curve.title
    return (
        f'<span class="bars-key"><svg width="36" height="16" aria-hidden="true">{line}{mark}</svg>'
        f"{escape(words)}</span>"
    )


def _table(title: str, curves: Sequence[Curve]) -> str:
    head = ["contestant", *map(percent_words, QUOTED), "most", "answers"]
    return table(head, map(_row, curves), f"{title}: figures in milliseconds")


def _row(curve: Curve) -> list[str]:
    quoted = dict(curve.quoted)
    cells = [f"{number(quoted[percent])} ms" if percent in quoted else "not quoted" for percent in QUOTED]
    return [escape(curve.title), *cells, f"{number(curve.most_ms)} ms", f"{curve.answers:,}"]


def _remarks(curves: Sequence[Curve]) -> str:
    words = ["A thin line has fewer than 100 answers beyond it: it may be chance."]
    if any(curve.overloaded for curve in curves):
        words.append(
            "An overloaded contestant answered less than was sent, so its latency grew for as long as the "
            "run lasted: its curve shows that, and none of its percentiles may be quoted."
        )
    return f'<p class="published-note">{" ".join(words)}</p>'
