"""Runs as one self-contained SVG on one time scale: for a README, a page, a slide.

Textures as well as colours, light and dark, a title and a description for those who cannot see it;
no reference to anything outside. Not for: playing it (``html``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from rich.cells import cell_len

from asyncdemo.model import Outcome, Run
from asyncdemo.render.chart import Chart, ChartRow, bar_words, charts
from asyncdemo.render.facts import Account, account_for, empty_words, peak_words
from asyncdemo.render.grid import Shade
from asyncdemo.render.layout import tick_ns
from asyncdemo.render.theme import COLOURS, UNICODE
from asyncdemo.render.words import (
    LEGEND,
    OUTCOME_WORDS,
    SHADE_WORDS,
    clean,
    count,
    duration,
    fit,
    join,
    moment,
    status,
)

__all__ = ["Drawing", "draw_svg", "render_svg"]

_WIDTH = 960
_MARGIN = 16
_CHAR = 7.3
"""Width of a monospace character of 12 px."""
_ROW, _DENSE_ROW, _DENSEST_ROW = 18, 13, 10
"""Heights of a row: with few rows in all, with more than ``_MANY``, with more than ``_VERY_MANY``."""
_MANY, _VERY_MANY = 45, 90
_LETTER = 12
_HEAD = 44
"""Room above the rows of a chart, for its name and figures."""
_GAP = 14

_HEIGHTS = {
    Shade.BLOCKING: 14.0,
    Shade.RUNNING: 12.0,
    Shade.READY: 9.0,
    Shade.QUEUED: 6.0,
    Shade.WAITING: 6.0,
}
"""Of a bar, in a row of ``_ROW``."""
_STACK = (Shade.BLOCKING, Shade.RUNNING, Shade.READY, Shade.QUEUED, Shade.WAITING)
"""Of a folded row, from the ground up."""

_CLASSES = {shade: shade.name.lower() for shade in _STACK}

_STYLE = """\
.asyncdemo{--bg:#fff;--fg:#1f2328;--dim:#59636e;--line:#d1d9e0;--ink:#1f2328}
@media (prefers-color-scheme:dark){
.asyncdemo{--bg:#0d1117;--fg:#e6edf3;--dim:#9198a1;--line:#30363d;--ink:#0d1117}}
.asyncdemo .bg{fill:var(--bg)}
.asyncdemo text{fill:var(--fg);font-family:ui-monospace,monospace}
.asyncdemo .name{font:bold 15px system-ui,sans-serif}
.asyncdemo .dim{fill:var(--dim)}
.asyncdemo .figures{fill:var(--dim);font:13px system-ui,sans-serif}
.asyncdemo .warn{fill:#d55e00;font-weight:bold}
.asyncdemo .grid{stroke:var(--line)}
.asyncdemo .ink{stroke:var(--ink);fill:none}
"""


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


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where time is, and how high a row."""

    scale_ns: int
    left: float
    width: float
    row: int

    def x(self, at_ns: int) -> float:
        return self.left + at_ns * self.width / self.scale_ns

    @property
    def letter(self) -> float:
        return max(_LETTER * self.row / _ROW, 8)

    def thick(self, shade: Shade) -> float:
        return _HEIGHTS[shade] * self.row / _ROW


def render_svg(runs: Sequence[Run]) -> str:
    """A file that stands alone."""
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + draw_svg(runs, account_for(runs)).svg + "\n"


def draw_svg(runs: Sequence[Run], accounts: Sequence[Account], ident: str = "asyncdemo") -> Drawing:
    """ident: begins the ids in the drawing, which must be unique on a page."""
    scale_ns, drawn = charts(runs)
    frame = _frame(scale_ns, drawn)
    body: list[str] = []
    at = float(_MARGIN)
    plots = []
    for chart, account in zip(drawn, accounts, strict=True):
        body += _chart(chart, account, at, frame)
        at += _HEAD
        plots.append((at, at + max(len(chart.rows), 1) * frame.row))
        at = plots[-1][1] + (_ROW if chart.folded else 0) + _GAP
    bottom = at - _GAP
    marks = _marks(drawn)
    legend = list(_legend(bottom + 44, marks))
    height = round(bottom + 44 + 24 + (_ROW + 2 if marks else 0))
    name, words = _description(accounts)
    svg = "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="asyncdemo" viewBox="0 0 {_WIDTH} {height}" '
            f'width="{_WIDTH}" height="{height}" font-size="{_LETTER}" role="img" '
            f'aria-labelledby="{ident}-title {ident}-desc">',
            f'<title id="{ident}-title">{_text(name)}</title>',
            f'<desc id="{ident}-desc">{_text(words)}</desc>',
            f"<style>{_STYLE}{_fills(ident)}</style>",
            *_patterns(ident),
            f'<rect class="bg" width="{_WIDTH}" height="{height}" rx="8"/>',
            *body,
            *_axis(frame, bottom + 20),
            *legend,
            "</svg>",
        ]
    )
    return Drawing(svg, drawn, scale_ns, frame.left, frame.width, tuple(plots))


def _frame(scale_ns: int, drawn: Sequence[Chart]) -> _Frame:
    rows = sum(len(chart.rows) for chart in drawn)
    row = _ROW if rows <= _MANY else _DENSE_ROW if rows <= _VERY_MANY else _DENSEST_ROW
    longest = max((cell_len(_label(row)) for chart in drawn for row in chart.rows), default=4)
    left = _MARGIN + min(longest * _CHAR * max(row / _ROW, 8 / _LETTER) + 10, 230)
    return _Frame(scale_ns, left, _WIDTH - _MARGIN - left, row)


def _chart(chart: Chart, account: Account, top: float, frame: _Frame) -> Iterator[str]:
    figures, warning = _figures(account)
    warn = f' <tspan class="warn">{_text(warning)}</tspan>' if warning else ""
    yield f'<text class="name" x="{_MARGIN}" y="{top + 14:g}">{_text(fit(chart.name, 60))}</text>'
    yield f'<text class="figures told" x="{_MARGIN}" y="{top + 33:g}">{_text(figures)}{warn}</text>'
    first = top + _HEAD
    ground = first + max(len(chart.rows), 1) * frame.row
    lines = "".join(f"M{x:.1f} {first - 4:g}V{ground + 4:g}" for _, x in _ticks(frame))
    yield f'<path class="grid" d="{lines}"/>'
    if not chart.rows:
        yield f'<text class="dim" x="{frame.left:g}" y="{first + 13:g}">{empty_words(chart.run)}</text>'
    yield f'<g font-size="{frame.letter:g}">'
    for index, row in enumerate(chart.rows):
        yield from _row(row, first + index * frame.row, frame)
    yield "</g>"
    if chart.folded:
        words = f"+{count(chart.folded, 'lane')} folded, up to {chart.fold:,} to a row: heights are shares"
        yield f'<text class="dim" x="{frame.left:g}" y="{ground + 13:g}">{words}</text>'


def _row(row: ChartRow, y: float, frame: _Frame) -> Iterator[str]:
    cells = int((frame.left - _MARGIN - 6) / (_CHAR * frame.letter / _LETTER))
    dim = ' class="dim"' if row.size > 1 else ""
    base = y + frame.row * 0.72
    end = UNICODE.ends.get(row.ended, "")
    label = f"{fit(row.label, cells - 2)} {end}" if end else fit(row.label, cells)
    yield f'<text{dim} x="{_MARGIN}" y="{base:g}">{_text(label)}</text>'
    yield from _bands(row, y, frame)
    for bar in row.bars:
        thick = frame.thick(bar.shade)
        long = frame.x(bar.end_ns) - frame.x(bar.start_ns)
        # What ran shows however short it was; what only waited may vanish.
        long = max(long, 1.5) if bar.shade in (Shade.RUNNING, Shade.BLOCKING) else long
        tip = f"{bar_words(row, bar)}, {duration(bar.start_ns)} to {duration(bar.end_ns)}"
        yield (
            f'<rect class="{_CLASSES[bar.shade]}" x="{frame.x(bar.start_ns):.2f}" '
            f'y="{y + (frame.row - thick) / 2:g}" width="{long:.2f}" height="{thick:g}">'
            f"<title>{_text(tip)}</title></rect>"
        )


def _bands(row: ChartRow, y: float, frame: _Frame) -> Iterator[str]:
    """For each state one path: boxes on top of each other, as high as the share of the lanes in it."""
    if not row.bands:
        return
    boxes: dict[Shade, list[str]] = {shade: [] for shade in _STACK}
    for band in row.bands:
        x, long = frame.x(band.start_ns), frame.x(band.end_ns) - frame.x(band.start_ns)
        ground = y + frame.row - 1
        for shade in _STACK:
            amount = band.counts[shade]
            if amount > 0:
                thick = amount / row.size * (frame.row - 2)
                if shade in (Shade.BLOCKING, Shade.RUNNING):
                    thick = max(thick, 1.5)
                ground -= thick
                boxes[shade].append(f"M{x:.1f} {ground:.1f}h{long:.1f}v{thick:.1f}h-{long:.1f}z")
    for shade, paths in boxes.items():
        if paths:
            yield f'<path class="{_CLASSES[shade]}" d="{"".join(paths)}"/>'


def _ticks(frame: _Frame) -> Iterator[tuple[str, float]]:
    step = tick_ns(frame.scale_ns, 8)
    for tick in range(0, frame.scale_ns + 1, step):
        yield moment(tick, step), frame.x(tick)


def _axis(frame: _Frame, y: float) -> Iterator[str]:
    for at, (words, x) in enumerate(_ticks(frame)):
        anchor = "start" if at == 0 else "end" if x > frame.left + frame.width - 20 else "middle"
        where = f'x="{x:.1f}" y="{y:g}" text-anchor="{anchor}"'
        yield f'<text class="dim" {where}>{_text(words)}</text>'


def _marks(drawn: Iterable[Chart]) -> str:
    """What the marks behind the names say, of those that occur."""
    ended = {row.ended for chart in drawn for row in chart.rows}
    said = [f"{mark} {OUTCOME_WORDS[Outcome(end)]}" for end, mark in UNICODE.ends.items() if end in ended]
    return ", ".join(said)


def _legend(y: float, marks: str) -> Iterator[str]:
    x = float(_MARGIN)
    for shade, (_, words) in LEGEND.items():
        thick = _HEIGHTS[shade]
        box = f'x="{x:g}" y="{y - 4 - thick / 2:g}" width="26" height="{thick:g}"'
        yield f'<rect class="{_CLASSES[shade]}" {box}/>'
        yield f'<text class="figures" x="{x + 32:g}" y="{y:g}">{_text(words)}</text>'
        x += 32 + 6.9 * len(words) + 18
    if marks:
        yield f'<text class="figures" x="{_MARGIN}" y="{y + _ROW + 2:g}">{_text(marks)}</text>'


def _fills(ident: str) -> str:
    solid = f".asyncdemo .running{{fill:{COLOURS[Shade.RUNNING]}}}"
    others = (shade for shade in _STACK if shade is not Shade.RUNNING)
    return solid + "".join(
        f".asyncdemo .{_CLASSES[shade]}{{fill:url(#{ident}-{_CLASSES[shade]})}}" for shade in others
    )


def _patterns(ident: str) -> Iterator[str]:
    marks = {
        Shade.READY: (6, '<path class="ink" stroke-opacity=".55" d="M0 3h6M3 0v6"/>'),
        Shade.WAITING: (6, '<path class="ink" stroke-opacity=".3" d="M-1 7L7 -1M-1 1L1 -1M5 7L7 5"/>'),
        Shade.QUEUED: (6, '<circle cx="3" cy="3" r="1.6" fill="var(--ink)"/>'),
        Shade.BLOCKING: (
            7,
            '<path stroke="var(--bg)" stroke-width="1.3" d="M0 0L7 7M0 7L7 0"/>',
        ),
    }
    yield "<defs>"
    for shade, (size, mark) in marks.items():
        yield (
            f'<pattern id="{ident}-{_CLASSES[shade]}" width="{size}" height="{size}" '
            f'patternUnits="userSpaceOnUse"><rect width="{size}" height="{size}" '
            f'fill="{COLOURS[shade]}"/>{mark}</pattern>'
        )
    yield "</defs>"


def _figures(account: Account) -> tuple[str, str]:
    """(what to compare at a glance, what is wrong at a glance)."""
    shown = {fact.label: fact.value for fact in account.facts}
    if "wall" in shown:
        ideal = duration(account.metrics.ideal_ns)
        figures = f"wall {shown['wall']}, ideal {ideal}, peak {peak_words(account.metrics)}"
    else:
        figures = status(account.run)
    blocked = account.metrics.blocked_ns
    return figures, f"loop blocked for {duration(blocked)}" if blocked else ""


def _description(accounts: Iterable[Account]) -> tuple[str, str]:
    accounts = list(accounts)
    names = [clean(account.run.name) or account.run.script for account in accounts]
    sentences = []
    for name, account in zip(names, accounts, strict=True):
        facts = "; ".join(f"{fact.label}: {fact.value}" for fact in account.facts) or status(account.run)
        sentences.append(f"{name}. {facts}.")
    states = join([SHADE_WORDS[shade] for shade in LEGEND])
    sentences.append(f"Each row is a lane, from left to right in time; its states are {states}.")
    return f"Timeline of {join([clean(name) for name in names])}", " ".join(sentences)


def _label(row: ChartRow) -> str:
    end = UNICODE.ends.get(row.ended, "")
    return f"{row.label} {end}" if end else row.label


def _text(text: str) -> str:
    """Escaped, without what XML 1.0 forbids."""
    return escape("".join(char for char in clean(text) if char not in "\ufffe\uffff"))
