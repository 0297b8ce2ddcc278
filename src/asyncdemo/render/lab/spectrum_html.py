"""Percentile spectra as HTML: curves of latency over HdrHistogram's logarithmic percentile axis.

As in ``bars``, positions are in percent and sizes in pixels, so letters keep their shape at any width.
Not here: computing the curves (see ``spectrum``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from asyncdemo.lab.results.audit import number
from asyncdemo.lab.results.record import Record
from asyncdemo.render.html.bars import CURVES, mark_svg
from asyncdemo.render.lab.spectrum import QUOTED, Curve, Spectrum, percent_words, spectra
from asyncdemo.render.lab.tables import table
from asyncdemo.render.timeline.scales import Scale

_HEIGHT: Final = 300
_NINES: Final = 7
"""The axis has ticks at 90 %, 99 %, ... up to this many nines."""


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
    """Return the labels of the vertical axis, over the curves."""
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
