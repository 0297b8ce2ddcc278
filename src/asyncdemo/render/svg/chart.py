"""One run as part of an SVG: name, figures, rows, pools, memory.

Not here: a single row (see ``rows``), the document (see ``picture``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rich.cells import cell_len

from asyncdemo.render.facts.runs import Account, empty_words, summary_words
from asyncdemo.render.svg.rows import (
    CHAR,
    LETTER,
    MARGIN,
    ROW,
    Frame,
    curve_shape,
    label_of,
    row_shapes,
    text,
    ticks,
)
from asyncdemo.render.timeline.chart import Chart, ChartPool
from asyncdemo.render.timeline.curves import Curve
from asyncdemo.render.timeline.legend import HEIGHT_WORDS
from asyncdemo.render.words import count, duration, fit, size, status

WIDTH = 960
GAP = 14
_DENSE_ROW, _DENSEST_ROW = 13, 10
"""Heights of a row with more than ``_MANY`` rows in total, and with more than ``_VERY_MANY``."""
_MANY, _VERY_MANY = 45, 90
_FEW = 8
_FIGURES = 134
"""Letters of the figures that fit into a line."""
_HEAD = 44
"""Room above the rows of a chart, for its name and figures."""
_PART = 26
"""Room above a pool or a curve, for its name."""
_QUEUE, _CURVE = 14, 44
"""Heights of curves: waiters for a pool, and memory."""


def frame_for(scale_ns: int, drawn: Sequence[Chart], ident: str, *, tips: bool) -> Frame:
    """Return one frame for all charts, to align their times and names."""
    rows = sum(len(chart.rows) + sum(len(pool.rows) for pool in chart.pools) for chart in drawn)
    row = ROW if rows <= _MANY else _DENSE_ROW if rows <= _VERY_MANY else _DENSEST_ROW
    labels = [label_of(row) for chart in drawn for row in (*chart.rows, *chart.connections)]
    longest = max(map(cell_len, labels), default=4)
    if any(chart.curves for chart in drawn):
        longest = max(longest, len("99.9 MB"))
    left = round(MARGIN + min(longest * CHAR * max(row / ROW, 8 / LETTER) + 10, 230))
    return Frame(scale_ns, left, WIDTH - MARGIN - left, row, ident, tips)


def chart_height(chart: Chart, frame: Frame) -> int:
    """Return the height, including the name and all that is below the rows."""
    height = _HEAD + max(len(chart.rows), 1) * frame.row + (ROW if chart.folded else 0)
    height += sum(_pool_height(pool, frame) for pool in chart.pools)
    return height + len(chart.curves) * (_PART + _CURVE)


def chart_shapes(
    chart: Chart, account: Account, top: int, frame: Frame, most: Mapping[str, int]
) -> Iterator[str]:
    """Yield the shapes. ``most`` has the maximum of each curve in any run, where its axis ends."""
    figures, warning = figures_of(account)
    figures = fit(figures, _FIGURES - len(warning))
    warn = f' <tspan class="warn">{text(warning)}</tspan>' if warning else ""
    yield f'<text class="name" x="{MARGIN}" y="{top + 14}">{text(fit(chart.name, 60))}</text>'
    yield f'<text class="figures" x="{MARGIN}" y="{top + 33}">{text(figures)}{warn}</text>'
    first, bottom = top + _HEAD, top + chart_height(chart, frame)
    lines = "".join(f"M{x:.1f} {first - 4}V{bottom + 4}" for _, x in ticks(frame))
    yield f'<path class="grid" d="{lines}"/>'
    if not chart.rows:
        yield f'<text class="dim" x="{frame.left:g}" y="{first + 13}">{empty_words(chart.run)}</text>'
    yield f'<g font-size="{frame.letter:g}">'
    at = first
    for row in chart.rows:
        yield from row_shapes(row, at, frame)
        at += frame.row
    yield "</g>"
    at = max(at, first + frame.row)
    if chart.folded:
        yield _folded(folded_note(chart.folded, chart.fold, chart.noun), at, frame)
        at += ROW
    for pool in chart.pools:
        yield from _pool(pool, chart, at, frame)
        at += _pool_height(pool, frame)
    for curve in chart.curves:
        yield from _curve(curve, most[curve.label], chart, at, frame)
        at += _PART + _CURVE


def axis(frame: Frame, y: int) -> Iterator[str]:
    for at, (words, x) in enumerate(ticks(frame)):
        anchor = "start" if at == 0 else "end" if x > frame.left + frame.width - 20 else "middle"
        yield f'<text class="dim" x="{x:.1f}" y="{y}" text-anchor="{anchor}">{text(words)}</text>'


def figures_of(account: Account) -> tuple[str, str]:
    """Return (key figures for comparison, most important warnings)."""
    figures = summary_words(account.run, account.metrics) or status(account.run)
    blocked = account.metrics.blocked_ns
    return figures, f"loop blocked for {duration(blocked)}" if blocked else ""


def folded_note(folded: int, fold: int, noun: str) -> str:
    return f"+{count(folded, noun)} folded, up to {fold:,} to a row: {HEIGHT_WORDS}"


def _pool_height(pool: ChartPool, frame: Frame) -> int:
    height = _PART + len(pool.rows) * _pool_frame(pool, frame).row
    return height + (ROW if pool.folded else 0) + (_QUEUE + 4 if pool.queued else 0)


def _pool(pool: ChartPool, chart: Chart, top: int, frame: Frame) -> Iterator[str]:
    yield _part(pool.title, pool.about, top)
    at, letter = top + _PART, frame.letter
    frame = _pool_frame(pool, frame)
    yield f'<g font-size="{letter:g}">'
    for row in pool.rows:
        yield from row_shapes(row, at, frame)
        at += frame.row
    yield "</g>"
    if pool.folded:
        yield _folded(folded_note(pool.folded, pool.fold, "connection"), at, frame)
        at += ROW
    if pool.queued:
        most = max(level for _, level in pool.queued)
        where = f'x="{MARGIN}" y="{at + 12}" font-size="{letter:g}"'
        yield f'<text class="dim" {where}>queued {most:,}</text>'
        yield curve_shape(pool.queued, most, at + 2, _QUEUE, frame, chart.length_ns, "line")


def _pool_frame(pool: ChartPool, frame: Frame) -> Frame:
    """Return a frame with rows high enough for the names of holders, even if the rows above are dense."""
    return replace(frame, row=ROW if len(pool.rows) <= _FEW else min(frame.row, _DENSE_ROW))


def _curve(curve: Curve, most: int, chart: Chart, top: int, frame: Frame) -> Iterator[str]:
    yield _part(f"{curve.label} memory", curve.words, top)
    at = top + _PART
    for words, y in ((size(most), at + 9), ("0", at + _CURVE - 4)):
        where = f'x="{frame.left - 6:g}" y="{y}" text-anchor="end"'
        yield f'<text class="dim" {where} font-size="{frame.letter:g}">{words}</text>'
    yield curve_shape(curve.points, most, at, _CURVE - 4, frame, chart.length_ns, "curve")


def _part(name: str, words: str, top: int) -> str:
    about = f'<tspan class="figures" dx="10">{text(fit(words, 120))}</tspan>'
    return f'<text class="part" x="{MARGIN}" y="{top + 19}">{text(fit(name, 60))}{about}</text>'


def _folded(words: str, y: int, frame: Frame) -> str:
    return f'<text class="dim" x="{frame.left:g}" y="{y + 13}">{words}</text>'
