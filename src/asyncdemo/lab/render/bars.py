"""Horizontal bars, intervals and marks on one axis, as HTML: of published figures, and of our own.

A row is a label, its value as text, and a strip of SVG. Positions in strips are in percent and sizes in
pixels: strips are as wide as the page, and letters keep their shape on a narrow one. Colours are in the style
sheet (``measure.css``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Final
from zlib import crc32

from asyncdemo.lab.results.audit import number
from asyncdemo.render.timeline.scales import Scale

_HEIGHT: Final = 28
_MIDDLE: Final = _HEIGHT / 2
_THICK: Final = 14
_SHAPES: Final = {
    "published": "M0,-7L6,0L0,7L-6,0Z",
    "first": "M-5,0A5,5 0 1 0 5,0A5,5 0 1 0 -5,0Z",
    "second": "M-5,-5H5V5H-5Z",
    "third": "M0,-6L6,5H-6Z",
    "fourth": "M-6,-2H-2V-6H2V-2H6V2H2V6H-2V2H-6Z",
    "fifth": "M0,6L6,-5H-6Z",
}
"""Each kind of mark has its own shape, so that colour is not the only difference."""
SERIES: Final = ("first", "second", "third")
"""Kinds of marks for series that are neither ours nor published."""
CURVES: Final = (*SERIES, "fourth", "fifth")
"""Kinds of marks on curves; a picture may have more curves than bars."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark. ``kind`` is ``published``, ``first``, ``second`` or ``third``."""

    kind: str
    value: float


@dataclass(frozen=True, slots=True)
class Bar:
    """One row. ``text`` is the visible value; ``description`` is all of it in a sentence, for screen readers.

    ``bar`` is the end of the bar, ``least`` and ``most`` of the interval. ``bound`` is the upper limit.
    """

    label: str
    text: str
    description: str
    bar: float | None = None
    least: float | None = None
    most: float | None = None
    marks: tuple[Mark, ...] = ()
    bound: float | None = None

    @property
    def values(self) -> Iterator[float]:
        for value in (self.bar, self.least, self.most, self.bound, *(mark.value for mark in self.marks)):
            if value is not None:
                yield value


@dataclass(frozen=True, slots=True)
class Bars:
    """A chart. Bars begin at ``origin``: 0, or 1 for ratios on a log axis. ``legend``: kinds and words."""

    title: str
    unit: str
    rows: tuple[Bar, ...]
    legend: tuple[tuple[str, str], ...] = ()
    origin: float = 0.0
    logarithmic: bool = False
    kind: str = "ours"
    """The kind of the bars: ``ours`` or ``theirs``."""


def bars_html(chart: Bars) -> str:
    """Return a ``figure``. Raises ValueError if there is nothing to draw."""
    values = [value for row in chart.rows for value in row.values]
    if not values:
        raise ValueError(f"{chart.title}: there is nothing to draw")
    origin = [chart.origin] if chart.logarithmic and chart.origin else []
    scale = Scale.around([*values, *origin], logarithmic=chart.logarithmic)
    ident = f"bars-{crc32(repr(chart).encode()):08x}"
    axis = "logarithmic axis" if chart.logarithmic else ""
    return (
        f'<figure class="bars" data-search-exclude>{_pattern(ident, chart.kind)}'
        f"<figcaption><b>{escape(chart.title)}</b> {escape(_in_brackets(chart.unit, axis))}</figcaption>"
        f"{_legend(chart, ident)}"
        f'<div class="bars-rows">{"".join(_row(row, chart, scale, ident) for row in chart.rows)}'
        f"{_axis(scale)}</div></figure>"
    )


def _legend(chart: Bars, ident: str) -> str:
    words = "".join(
        f'<span class="bars-key">{_key(kind, ident)}{escape(meaning)}</span>'
        for kind, meaning in chart.legend
    )
    return f'<p class="bars-legend">{words}</p>' if words else ""


def _row(row: Bar, chart: Bars, scale: Scale, ident: str) -> str:
    return (
        f'<div class="bars-row"><span class="bars-label" aria-hidden="true">{escape(row.label)}</span>'
        f'<span class="bars-text" aria-hidden="true">{escape(row.text)}</span>'
        f'<svg class="bars-strip" width="100%" height="{_HEIGHT}" role="img">'
        f"<title>{escape(row.description)}</title>"
        f"{''.join(_lines(scale, chart.origin))}{''.join(_drawn(row, chart, scale, ident))}</svg></div>"
    )


def _lines(scale: Scale, origin: float) -> Iterator[str]:
    for value in scale.lines:
        kind = "bars-origin" if value == origin else "bars-line"
        yield f'<line class="{kind}" {_across(scale.percent(value))} y1="0" y2="100%"/>'


def _drawn(row: Bar, chart: Bars, scale: Scale, ident: str) -> Iterator[str]:
    if row.bound is not None:
        yield f'<line class="bars-bound" {_across(scale.percent(row.bound))} y1="1" y2="{_HEIGHT - 1}"/>'
    if row.bar is not None:
        ends = sorted((scale.percent(chart.origin) if chart.origin else 0.0, scale.percent(row.bar)))
        yield (
            f'<rect class="bars-bar" x="{ends[0]:.2f}%" width="{ends[1] - ends[0]:.2f}%" '
            f'y="{_MIDDLE - _THICK / 2:g}" height="{_THICK}" fill="url(#{ident})"/>'
        )
    if row.least is not None and row.most is not None:
        left, right = scale.percent(row.least), scale.percent(row.most)
        caps = f'y1="{_MIDDLE - 4:g}" y2="{_MIDDLE + 4:g}"'
        for kind in ("bars-halo", "bars-interval"):
            yield (
                f'<g class="{kind}"><line x1="{left:.2f}%" x2="{right:.2f}%" y1="50%" y2="50%"/>'
                f"<line {_across(left)} {caps}/><line {_across(right)} {caps}/></g>"
            )
    for mark in row.marks:
        # Several marks on one strip have different heights, so that none hides another.
        height = 32 + 18 * SERIES.index(mark.kind) if len(row.marks) > 1 else 50
        yield mark_svg(mark.kind, f"{scale.percent(mark.value):.2f}%", height)


def mark_svg(kind: str, place: str, height: float = 50) -> str:
    """Return a mark. ``place`` is from the left, with a unit; ``height`` from the top, in percent."""
    path = f'<path d="{_SHAPES[kind]}"/>'
    return f'<svg class="bars-mark bars-{kind}" x="{place}" y="{height:g}%" overflow="visible">{path}</svg>'


def _axis(scale: Scale) -> str:
    def letters(value: float) -> str:
        percent = scale.percent(value)
        anchor = "start" if percent < 4 else "end" if percent > 96 else "middle"
        return f'<text x="{percent:.2f}%" y="13" text-anchor="{anchor}">{escape(number(value))}</text>'

    texts = "".join(map(letters, scale.lines))
    return (
        '<div class="bars-row bars-axis" aria-hidden="true"><svg class="bars-strip" width="100%" height="18">'
        f"{texts}</svg></div>"
    )


def _key(kind: str, ident: str) -> str:
    """Return the legend's symbol for a kind."""
    if kind in _SHAPES:
        inner = mark_svg(kind, "50%")
    elif kind == "bound":
        inner = '<line class="bars-bound" x1="50%" x2="50%" y1="0" y2="100%"/>'
    elif kind == "interval":
        ends = '<line x1="2" x2="2" y1="4" y2="12"/><line x1="22" x2="22" y1="4" y2="12"/>'
        inner = f'<g class="bars-interval"><line x1="2" x2="22" y1="8" y2="8"/>{ends}</g>'
    else:
        inner = f'<rect class="bars-bar" width="100%" y="2" height="12" fill="url(#{ident})"/>'
    return f'<svg width="24" height="16" aria-hidden="true">{inner}</svg>'


def _across(percent: float) -> str:
    return f'x1="{percent:.2f}%" x2="{percent:.2f}%"'


def _in_brackets(*words: str) -> str:
    description = ", ".join(filter(None, words))
    return f"({description})" if description else ""


def _pattern(ident: str, kind: str) -> str:
    """Return stripes for ours, dots for theirs."""
    ours = kind == "ours"
    turned = ' patternTransform="rotate(45)"' if ours else ""
    shape = '<rect width="3" height="6"/>' if ours else '<circle cx="3" cy="3" r="1.4"/>'
    size = 'width="6" height="6"'
    return (
        f'<svg class="bars-defs" width="0" height="0" aria-hidden="true"><defs><pattern id="{ident}" '
        f'class="bars-{kind}" {size} patternUnits="userSpaceOnUse"{turned}><rect class="bars-ground" {size}/>'
        f'<g class="bars-figure">{shape}</g></pattern></defs></svg>'
    )
