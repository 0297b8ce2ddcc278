"""Runs as one self-contained SVG on one time scale: for a README, a page, a slide.

Textures as well as colours, light and dark, a title and a description for those who cannot see it;
no reference to anything outside. Not for: playing it (``html``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len

from asyncdemo.metrics import RequestUse
from asyncdemo.model import Run
from asyncdemo.render.chart import Chart, ChartPool, charts
from asyncdemo.render.curves import Curve, most_of
from asyncdemo.render.facts import Account, account_for, empty_words, peak_words
from asyncdemo.render.grid import Shade
from asyncdemo.render.layout import noun
from asyncdemo.render.legend import LEGEND, LEGEND_OF_CAUSES, SHADE_WORDS
from asyncdemo.render.svg_rows import (
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
from asyncdemo.render.svg_textures import CLASSES, HEIGHTS, STYLE, fills, patterns
from asyncdemo.render.theme import UNICODE
from asyncdemo.render.words import clean, count, duration, end_words, fit, join, size, status

__all__ = ["Drawing", "draw_svg", "render_svg"]

_WIDTH = 960
_DENSE_ROW, _DENSEST_ROW = 13, 10
"""Heights of a row: with more than ``_MANY`` rows in all, with more than ``_VERY_MANY``."""
_MANY, _VERY_MANY = 45, 90
_FEW = 8
_HEAD = 44
"""Room above the rows of a chart, for its name and figures."""
_PART = 26
"""Room above a pool or a curve, for its name."""
_QUEUE, _CURVE = 14, 44
"""Heights of curves: how many queue for a pool, how much memory there is."""
_GAP = 14


@dataclass(frozen=True, slots=True)
class Drawing:
    """The picture, and where on it the time is: ``left`` to ``left + width``.

    plots: (top, bottom) of each chart.
    """

    svg: str
    charts: tuple[Chart, ...]
    scale_ns: int
    left: float
    width: float
    plots: tuple[tuple[float, float], ...]


def render_svg(runs: Sequence[Run]) -> str:
    """A file that stands alone."""
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + draw_svg(runs, account_for(runs)).svg + "\n"


def draw_svg(runs: Sequence[Run], accounts: Sequence[Account], ident: str = "asyncdemo") -> Drawing:
    """ident: begins the ids in the drawing, which must be unique on a page."""
    scale_ns, drawn = charts(runs)
    frame = _frame(scale_ns, drawn)
    most = most_of([chart.curves for chart in drawn])
    body: list[str] = []
    at = float(MARGIN)
    plots = []
    for chart, account in zip(drawn, accounts, strict=True):
        bottom = at + _HEAD + _height(chart, frame)
        plots.append((at + _HEAD, bottom))
        body += _chart(chart, account, at, bottom, frame, most)
        at = bottom + _GAP
    bottom = at - _GAP
    shades = {shade for chart in drawn for shade in chart.shades}
    drawn_with = shades | set(LEGEND)
    legend, height = _legend(bottom + 44, shades, _marks(drawn))
    height = round(height + 24)
    name, words = _description(accounts)
    svg = "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="asyncdemo" viewBox="0 0 {_WIDTH} {height}" '
            f'width="{_WIDTH}" height="{height}" font-size="{LETTER}" role="img" '
            f'aria-labelledby="{ident}-title {ident}-desc">',
            f'<title id="{ident}-title">{text(name)}</title>',
            f'<desc id="{ident}-desc">{text(words)}</desc>',
            f"<style>{STYLE}{fills(ident, drawn_with)}</style>",
            *patterns(ident, drawn_with),
            f'<rect class="bg" width="{_WIDTH}" height="{height}" rx="8"/>',
            *body,
            *_axis(frame, bottom + 20),
            *legend,
            "</svg>",
        ]
    )
    return Drawing(svg, drawn, scale_ns, frame.left, frame.width, tuple(plots))


def _frame(scale_ns: int, drawn: Sequence[Chart]) -> Frame:
    rows = sum(len(chart.rows) + sum(len(pool.rows) for pool in chart.pools) for chart in drawn)
    row = ROW if rows <= _MANY else _DENSE_ROW if rows <= _VERY_MANY else _DENSEST_ROW
    labels = [label_of(row) for chart in drawn for row in (*chart.rows, *chart.connections)]
    longest = max(map(cell_len, labels), default=4)
    if any(chart.curves for chart in drawn):
        longest = max(longest, len("99.9 MB"))
    left = MARGIN + min(longest * CHAR * max(row / ROW, 8 / LETTER) + 10, 230)
    return Frame(scale_ns, left, _WIDTH - MARGIN - left, row)


def _height(chart: Chart, frame: Frame) -> float:
    """Of the rows and what is below them."""
    height: float = max(len(chart.rows), 1) * frame.row + (ROW if chart.folded else 0)
    for pool in chart.pools:
        height += _PART + len(pool.rows) * _pool_frame(pool, frame).row + (ROW if pool.folded else 0)
        height += _QUEUE + 4 if pool.queued else 0
    return height + len(chart.curves) * (_PART + _CURVE)


def _chart(
    chart: Chart, account: Account, top: float, bottom: float, frame: Frame, most: Mapping[str, int]
) -> Iterator[str]:
    figures, warning = _figures(account)
    warn = f' <tspan class="warn">{text(warning)}</tspan>' if warning else ""
    yield f'<text class="name" x="{MARGIN}" y="{top + 14:g}">{text(fit(chart.name, 60))}</text>'
    yield f'<text class="figures told" x="{MARGIN}" y="{top + 33:g}">{text(figures)}{warn}</text>'
    first = top + _HEAD
    lines = "".join(f"M{x:.1f} {first - 4:g}V{bottom + 4:g}" for _, x in ticks(frame))
    yield f'<path class="grid" d="{lines}"/>'
    if not chart.rows:
        yield f'<text class="dim" x="{frame.left:g}" y="{first + 13:g}">{empty_words(chart.run)}</text>'
    yield f'<g font-size="{frame.letter:g}">'
    at = first
    for row in chart.rows:
        yield from row_shapes(row, at, frame)
        at += frame.row
    yield "</g>"
    at = max(at, first + frame.row)
    if chart.folded:
        yield _folded(chart.folded, chart.fold, chart.noun, at, frame)
        at += ROW
    for pool in chart.pools:
        yield from _pool(pool, chart, at, frame)
        at += _PART + len(pool.rows) * _pool_frame(pool, frame).row + (ROW if pool.folded else 0)
        at += _QUEUE + 4 if pool.queued else 0
    for curve in chart.curves:
        yield from _curve(curve, most[curve.label], chart, at, frame)
        at += _PART + _CURVE


def _pool(pool: ChartPool, chart: Chart, top: float, frame: Frame) -> Iterator[str]:
    yield _part(pool.title, pool.about, top)
    at, letter = top + _PART, frame.letter
    frame = _pool_frame(pool, frame)
    yield f'<g font-size="{letter:g}">'
    for row in pool.rows:
        yield from row_shapes(row, at, frame)
        at += frame.row
    yield "</g>"
    if pool.folded:
        yield _folded(pool.folded, pool.fold, "connection", at, frame)
        at += ROW
    if pool.queued:
        most = max(level for _, level in pool.queued)
        words = f"queued {most:,}"
        where = f'x="{MARGIN}" y="{at + 12:g}" font-size="{letter:g}"'
        yield f'<text class="dim told" {where}>{words}</text>'
        yield curve_shape(pool.queued, most, at + 2, _QUEUE, frame, chart.length_ns, "line")


def _pool_frame(pool: ChartPool, frame: Frame) -> Frame:
    """Few connections have room for the names of who held them, however dense the rows above are."""
    return replace(frame, row=ROW if len(pool.rows) <= _FEW else min(frame.row, _DENSE_ROW))


def _curve(curve: Curve, most: int, chart: Chart, top: float, frame: Frame) -> Iterator[str]:
    yield _part(f"{curve.label} memory", curve.words, top)
    at = top + _PART
    for words, y in ((size(most), at + 9), ("0", at + _CURVE - 4)):
        where = f'x="{frame.left - 6:g}" y="{y:g}" text-anchor="end"'
        yield f'<text class="dim told" {where} font-size="{frame.letter:g}">{words}</text>'
    yield curve_shape(curve.points, most, at, _CURVE - 4, frame, chart.length_ns, "curve")


def _part(name: str, words: str, top: float) -> str:
    told = f'<tspan class="figures told" dx="10">{text(fit(words, 120))}</tspan>'
    return f'<text class="part" x="{MARGIN}" y="{top + 19:g}">{text(fit(name, 60))}{told}</text>'


def _folded(folded: int, fold: int, noun: str, y: float, frame: Frame) -> str:
    words = f"+{count(folded, noun)} folded, up to {fold:,} to a row: heights are shares"
    return f'<text class="dim" x="{frame.left:g}" y="{y + 13:g}">{words}</text>'


def _axis(frame: Frame, y: float) -> Iterator[str]:
    for at, (words, x) in enumerate(ticks(frame)):
        anchor = "start" if at == 0 else "end" if x > frame.left + frame.width - 20 else "middle"
        where = f'x="{x:.1f}" y="{y:g}" text-anchor="{anchor}"'
        yield f'<text class="dim" {where}>{text(words)}</text>'


def _marks(drawn: Iterable[Chart]) -> str:
    """What the marks behind the names say, of those that occur."""
    ended = {(chart.noun, row.ended) for chart in drawn for row in chart.rows}
    said = [
        f"{mark} {end_words(end, noun)}"
        for end, mark in UNICODE.ends.items()
        for noun in sorted({noun for noun, other in ended if other == end})
    ]
    return ", ".join(dict.fromkeys(said))


def _legend(y: float, shades: Collection[Shade], marks: str) -> tuple[list[str], float]:
    """(what says what the textures and marks mean, where it ends)."""
    told = {shade: words for shade, (_, words) in LEGEND.items()}
    told |= {shade: words for shade, (_, words) in LEGEND_OF_CAUSES.items() if shade in shades}
    drawn: list[str] = []
    x = float(MARGIN)
    for shade, words in told.items():
        wide = 32 + 6.9 * len(words)
        if x + wide > _WIDTH - MARGIN and x > MARGIN:
            x, y = float(MARGIN), y + ROW + 2
        thick = HEIGHTS[shade]
        box = f'x="{x:g}" y="{y - 4 - thick / 2:g}" width="26" height="{thick:g}"'
        drawn.append(f'<rect class="{CLASSES[shade]}" {box}/>')
        drawn.append(f'<text class="figures" x="{x + 32:g}" y="{y:g}">{text(words)}</text>')
        x += wide + 18
    if marks:
        y += ROW + 2
        drawn.append(f'<text class="figures" x="{MARGIN}" y="{y:g}">{text(marks)}</text>')
    return drawn, y


def _figures(account: Account) -> tuple[str, str]:
    """(what to compare at a glance, what is wrong at a glance)."""
    shown = {fact.label: fact.value for fact in account.facts}
    if "wall" in shown:
        ideal = duration(account.metrics.ideal_ns)
        figures = f"wall {shown['wall']}, ideal {ideal}, peak {peak_words(account.metrics)}"
        if "requests" in shown:
            figures = "; ".join(filter(None, (_requests(account.metrics.requests), figures)))
    else:
        figures = status(account.run)
    blocked = account.metrics.blocked_ns
    return figures, f"loop blocked for {duration(blocked)}" if blocked else ""


def _requests(use: RequestUse) -> str:
    return f"{use.answered:,} of {use.count:,} answered, p99 {duration(use.p99_ns)}" if use.answered else ""


def _description(accounts: Iterable[Account]) -> tuple[str, str]:
    accounts = list(accounts)
    names = [clean(account.run.name) or account.run.script for account in accounts]
    sentences = []
    for name, account in zip(names, accounts, strict=True):
        facts = "; ".join(f"{fact.label}: {fact.value}" for fact in account.facts) or status(account.run)
        sentences.append(f"{name}. {facts}.")
    states = join([SHADE_WORDS[shade] for shade in LEGEND])
    of = " or ".join(sorted({noun(account.run) for account in accounts})) or "lane"
    sentences.append(f"Each row is a {of}, from left to right in time; its states are {states}.")
    return f"Timeline of {join([clean(name) for name in names])}", " ".join(sentences)
