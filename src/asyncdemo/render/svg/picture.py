"""Runs as one self-contained SVG on one time scale: for a README, a page, a slide.

It has textures as well as colours, light and dark schemes, a title and a description for screen readers, and
no external references.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from rich.cells import cell_len

from asyncdemo.model import Run
from asyncdemo.render.facts.runs import Account, account_for, empty_words, summary_words
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
from asyncdemo.render.svg.textures import CLASSES, HEIGHTS, SCHEMES, STYLE, patterns, strokes
from asyncdemo.render.terminal.theme import UNICODE
from asyncdemo.render.timeline.chart import Chart, charts
from asyncdemo.render.timeline.curves import most_of
from asyncdemo.render.timeline.layout import ChartRow, scale_ns
from asyncdemo.render.timeline.legend import HEIGHT_WORDS, LEGEND, LEGEND_OF_CAUSES, SHADE_WORDS
from asyncdemo.render.timeline.pools import PoolSection
from asyncdemo.render.words import count, duration, end_words, fit, join, size, status
from asyncdemo.safe_text import clean

_WIDTH = 960
_GAP = 14
_AXIS = 28
"""Room below a chart, for the times."""
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


def render_svg(runs: Sequence[Run]) -> str:
    """Return all runs in one picture, with tooltips on the bars, as a standalone file."""
    drawn, ident = charts(account_for(runs)), "asyncdemo"
    frame = frame_for(drawn, ident, tips=True)
    most = most_of([chart.curves for chart in drawn])
    body: list[str] = []
    bottom = MARGIN - _GAP
    for chart in drawn:
        shapes, bottom = _chart(chart, bottom + _GAP, frame, most)
        body += shapes
    body += _axis(frame, bottom + 20)
    legend, end = _legend(bottom + 44, drawn)
    ground = '<rect class="bg" width="100%" height="100%" rx="8"/>'
    body = [*_head(ident, drawn), ground, *body, *legend]
    svg = _document(ident, body, end, _name(drawn), _words(drawn))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{svg}\n'


def draw_stills(drawn: Sequence[Chart], ident: str) -> Iterator[str]:
    """Yield a small picture for each run and one of the legend, so that printed pages may break between them.

    They are for one page: the first one has the styles and textures of all. ``ident`` starts their ids.
    """
    frame = frame_for(drawn, ident, tips=False)
    most = most_of([chart.curves for chart in drawn])
    head = _head(ident, drawn)
    for number, chart in enumerate(drawn, start=1):
        shapes, bottom = _chart(chart, _GAP, frame, most)
        body = [*head, *shapes, *_axis(frame, bottom + 20)]
        yield _document(f"{ident}-{number}", body, bottom + _AXIS, _name([chart]), _words([chart]))
        head = []
    legend, bottom = _legend(_GAP, drawn)
    if legend:
        yield _document(f"{ident}-legend", legend, bottom, "Legend", "What the textures and marks mean.")


def frame_for(drawn: Sequence[Chart], ident: str, *, tips: bool) -> Frame:
    """Return one frame for all charts, to align their times and names."""
    rows = sum(len(chart.rows) + sum(len(pool.rows) for pool in chart.pools) for chart in drawn)
    row = ROW if rows <= _MANY else _DENSE_ROW if rows <= _VERY_MANY else _DENSEST_ROW
    labels = [label_of(row) for chart in drawn for row in (*chart.rows, *chart.connections)]
    longest = max(map(cell_len, labels), default=4)
    if any(chart.curves for chart in drawn):
        longest = max(longest, len("99.9 MB"))
    left = round(MARGIN + min(longest * CHAR * max(row / ROW, 8 / LETTER) + 10, 230))
    return Frame(scale_ns([chart.run for chart in drawn]), left, _WIDTH - MARGIN - left, row, ident, tips)


def figures_of(account: Account) -> tuple[str, str]:
    """Return (key figures for comparison, most important warnings)."""
    figures = summary_words(account.run, account.metrics) or status(account.run)
    blocked = account.metrics.blocked_ns
    return figures, f"loop blocked for {duration(blocked)}" if blocked else ""


def _chart(chart: Chart, top: int, frame: Frame, most: Mapping[str, int]) -> tuple[list[str], int]:
    """Return (name, figures, rows, pools and memory; where they end). ``most``: the ends of curves' axes."""
    figures, warning = figures_of(chart.account)
    figures = fit(figures, _FIGURES - len(warning))
    warn = f' <tspan class="warn">{text(warning)}</tspan>' if warning else ""
    first = top + _HEAD
    at = first + max(len(chart.rows), 1) * frame.row
    body = [] if chart.rows else [_note(empty_words(chart.run), first, frame)]
    body += _rows(chart.rows, first, frame, frame.letter)
    if chart.folded:
        body.append(_folded(chart.folded, chart.fold, chart.noun, at, frame))
        at += ROW
    for pool in chart.pools:
        shapes, at = _pool(pool, chart.length_ns, at, frame)
        body += shapes
    for curve in chart.curves:
        body.append(_part(f"{curve.label} memory", curve.words, at))
        at += _PART
        for words, y in ((size(most[curve.label]), at + 9), ("0", at + _CURVE - 4)):
            where = f'x="{frame.left - 6:g}" y="{y}" text-anchor="end"'
            body.append(f'<text class="dim" {where} font-size="{frame.letter:g}">{words}</text>')
        shape = (curve.points, most[curve.label], at, _CURVE - 4)
        body.append(curve_shape(*shape, frame, chart.length_ns, "curve"))
        at += _CURVE
    lines = "".join(f"M{x:.1f} {first - 4}V{at + 4}" for _, x in ticks(frame))
    return [
        f'<text class="name" x="{MARGIN}" y="{top + 14}">{text(fit(chart.name, 60))}</text>',
        f'<text class="figures" x="{MARGIN}" y="{top + 33}">{text(figures)}{warn}</text>',
        f'<path class="grid" d="{lines}"/>',
        *body,
    ], at


def _pool(pool: PoolSection, length_ns: int, top: int, frame: Frame) -> tuple[list[str], int]:
    """Return (its shapes, where they end). Few rows are high enough for the names of holders."""
    letter = frame.letter
    frame = replace(frame, row=ROW if len(pool.rows) <= _FEW else min(frame.row, _DENSE_ROW))
    at = top + _PART
    shapes = [_part(pool.title, pool.about, top), *_rows(pool.rows, at, frame, letter)]
    at += len(pool.rows) * frame.row
    if pool.folded:
        shapes.append(_folded(pool.folded, pool.fold, "connection", at, frame))
        at += ROW
    if pool.queued:
        most = max(level for _, level in pool.queued)
        where = f'x="{MARGIN}" y="{at + 12}" font-size="{letter:g}"'
        shapes.append(f'<text class="dim" {where}>queued {most:,}</text>')
        shapes.append(curve_shape(pool.queued, most, at + 2, _QUEUE, frame, length_ns, "line"))
        at += _QUEUE + 4
    return shapes, at


def _rows(rows: Sequence[ChartRow], top: int, frame: Frame, letter: float) -> Iterator[str]:
    yield f'<g font-size="{letter:g}">'
    for number, row in enumerate(rows):
        yield from row_shapes(row, top + number * frame.row, frame)
    yield "</g>"


def _part(name: str, words: str, top: int) -> str:
    about = f'<tspan class="figures" dx="10">{text(fit(words, 120))}</tspan>'
    return f'<text class="part" x="{MARGIN}" y="{top + 19}">{text(fit(name, 60))}{about}</text>'


def _folded(folded: int, fold: int, noun: str, y: int, frame: Frame) -> str:
    return _note(f"+{count(folded, noun)} folded, up to {fold:,} to a row: {HEIGHT_WORDS}", y, frame)


def _note(words: str, y: int, frame: Frame) -> str:
    return f'<text class="dim" x="{frame.left:g}" y="{y + 13}">{words}</text>'


def _axis(frame: Frame, y: int) -> Iterator[str]:
    for at, (words, x) in enumerate(ticks(frame)):
        anchor = "start" if at == 0 else "end" if x > frame.left + frame.width - 20 else "middle"
        yield f'<text class="dim" x="{x:.1f}" y="{y}" text-anchor="{anchor}">{text(words)}</text>'


def _document(ident: str, body: Iterable[str], height: int, name: str, words: str) -> str:
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="asyncdemo" viewBox="0 0 {_WIDTH} {height}" '
            f'width="{_WIDTH}" height="{height}" font-size="{LETTER}" role="img" '
            f'aria-labelledby="{ident}-title {ident}-desc">',
            f'<title id="{ident}-title">{text(name)}</title>',
            f'<desc id="{ident}-desc">{text(words)}</desc>',
            *body,
            "</svg>",
        ]
    )


def _head(ident: str, drawn: Sequence[Chart]) -> list[str]:
    shades = {shade for chart in drawn for shade in chart.shades}
    style = f"<style>{SCHEMES}{STYLE}{strokes(ident, shades)}</style>"
    return [style, *patterns(ident, shades)]


def _legend(top: int, drawn: Sequence[Chart]) -> tuple[list[str], int]:
    """Return (the legend for the textures and marks that occur, where it ends)."""
    shades = {shade for chart in drawn for shade in chart.shades}
    shapes: list[str] = []
    x, y = float(MARGIN), top
    for shade, (_, words) in (LEGEND | LEGEND_OF_CAUSES).items():
        if shade not in shades:
            continue
        wide = 32 + 6.9 * len(words)
        if x + wide > _WIDTH - MARGIN and x > MARGIN:
            x, y = float(MARGIN), y + ROW + 2
        shapes.append(
            f'<g transform="translate({x:g} {y - 4})">'
            f'<path class="{CLASSES[shade]}" stroke-width="{HEIGHTS[shade]:g}" d="M0 0h26"/>'
            f'<text class="figures" x="32" y="4">{text(words)}</text></g>'
        )
        x += wide + 18
    if marks := _marks(drawn):
        y += ROW + 2 if shapes else 0
        shapes.append(f'<text class="figures" x="{MARGIN}" y="{y}">{text(marks)}</text>')
    return shapes, y + 24


def _marks(drawn: Iterable[Chart]) -> str:
    """Return the legend for the marks behind the names, as far as they occur."""
    ended = {(chart.noun, row.ended) for chart in drawn for row in chart.rows}
    said = [
        f"{mark} {end_words(end, noun)}"
        for end, mark in UNICODE.ends.items()
        for noun in sorted({noun for noun, other in ended if other == end})
    ]
    return ", ".join(dict.fromkeys(said))


def _name(drawn: Sequence[Chart]) -> str:
    return f"Timeline of {join([chart.name for chart in drawn])}" if drawn else "No runs"


def _words(drawn: Sequence[Chart]) -> str:
    """Return the description of the picture for screen readers."""
    sentences = []
    for chart in drawn:
        facts = "; ".join(f"{fact.label}: {fact.value}" for fact in chart.account.brief) or status(chart.run)
        sentences.append(f"{chart.name}. {facts}.")
    states = join([SHADE_WORDS[shade] for shade in LEGEND])
    of = " or ".join(sorted({chart.noun for chart in drawn})) or "lane"
    sentences.append(f"Each row is a {of}, from left to right in time; its states are {states}.")
    return " ".join(clean(sentence) for sentence in sentences)
