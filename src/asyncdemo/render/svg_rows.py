"""Rows, bands and curves of a chart as shapes of an SVG. Not for: the document around them (``svg``)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from asyncdemo.render.chart import Bar, ChartRow, bar_words
from asyncdemo.render.grid import Shade
from asyncdemo.render.layout import tick_ns
from asyncdemo.render.pooling import holder_names
from asyncdemo.render.svg_textures import CLASSES, HEIGHTS, STACK
from asyncdemo.render.theme import UNICODE
from asyncdemo.render.words import clean, duration, fit_label, moment

__all__ = [
    "CHAR",
    "LETTER",
    "MARGIN",
    "ROW",
    "Frame",
    "curve_shape",
    "label_of",
    "row_shapes",
    "text",
    "ticks",
]

MARGIN = 16
CHAR = 7.3
"""Width of a monospace character of 12 px."""
ROW = 18
"""Height of a row, where there are few."""
LETTER = 12

_VISIBLE = frozenset({Shade.BLOCKING, Shade.RUNNING, Shade.OPENING, Shade.HELD})
"""What shows however short it was."""
_WHO = 5.8
"""Width of a letter of the name of who held a connection."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Where time is, and how high a row."""

    scale_ns: int
    left: float
    width: float
    row: int

    def x(self, at_ns: int) -> float:
        return self.left + at_ns * self.width / self.scale_ns

    @property
    def letter(self) -> float:
        return max(LETTER * self.row / ROW, 8)

    def thick(self, shade: Shade) -> float:
        return HEIGHTS[shade] * self.row / ROW


def row_shapes(row: ChartRow, y: float, frame: Frame) -> Iterator[str]:
    """y: its upper edge."""
    cells = int((frame.left - MARGIN - 6) / (CHAR * frame.letter / LETTER))
    dim = ' class="dim"' if row.size > 1 else ""
    base = y + frame.row * 0.72
    end = UNICODE.ends.get(row.ended, "")
    label = f"{fit_label(row.label, cells - 2)} {end}" if end else fit_label(row.label, cells)
    yield f'<text{dim} x="{MARGIN}" y="{base:g}">{text(label)}</text>'
    yield from _bands(row, y, frame)
    for bar in row.bars:
        thick = frame.thick(bar.shade)
        long = frame.x(bar.end_ns) - frame.x(bar.start_ns)
        # What only waited may vanish.
        long = max(long, 1.5) if bar.shade in _VISIBLE else long
        tip = f"{bar_words(row, bar)}, {duration(bar.start_ns)} to {duration(bar.end_ns)}"
        yield (
            f'<rect class="{CLASSES[bar.shade]}" x="{frame.x(bar.start_ns):.2f}" '
            f'y="{y + (frame.row - thick) / 2:g}" width="{long:.2f}" height="{thick:g}">'
            f"<title>{text(tip)}</title></rect>"
        )
        if bar.shade is Shade.HELD:
            yield from _holder(bar, long, base, frame)


def curve_shape(
    points: Sequence[tuple[int, int]],
    most: int,
    y: float,
    height: float,
    frame: Frame,
    end_ns: int,
    kind: str,
) -> str:
    """A value holds until the next one. y: of the upper edge, which is ``most``; kind: class of the path."""
    ground = y + height
    path = f"M{frame.x(points[0][0]):.1f} {ground:g}"
    for at, value in points:
        path += f"H{frame.x(min(at, end_ns)):.1f}V{ground - value / max(most, 1) * height:.1f}"
    path += f"H{frame.x(end_ns):.1f}V{ground:g}z"
    return f'<path class="{kind}" d="{path}"/>'


def label_of(row: ChartRow) -> str:
    end = UNICODE.ends.get(row.ended, "")
    return f"{row.label} {end}" if end else row.label


def ticks(frame: Frame) -> Iterator[tuple[str, float]]:
    """(words, x) of the marks of the axis."""
    step = tick_ns(frame.scale_ns, 8)
    for tick in range(0, frame.scale_ns + 1, step):
        yield moment(tick, step), frame.x(tick)


def text(words: str) -> str:
    """Escaped, without what XML 1.0 forbids."""
    return escape("".join(char for char in clean(words) if char not in "\ufffe\uffff"))


def _holder(bar: Bar, long: float, base: float, frame: Frame) -> Iterator[str]:
    """Who held a connection, if the name or at least its number fits."""
    size = min(frame.letter, 10)
    for name in holder_names(bar.why):
        if len(name) * _WHO + 4 <= long:
            yield (
                f'<text class="who" font-size="{size:g}" text-anchor="middle" '
                f'x="{frame.x(bar.start_ns) + long / 2:.1f}" y="{base - 1:g}">{text(name)}</text>'
            )
            return


def _bands(row: ChartRow, y: float, frame: Frame) -> Iterator[str]:
    """For each state one path: boxes on top of each other, as high as the share of the lanes in it."""
    if not row.bands:
        return
    boxes: dict[Shade, list[str]] = {shade: [] for shade in STACK}
    for band in row.bands:
        x, long = frame.x(band.start_ns), frame.x(band.end_ns) - frame.x(band.start_ns)
        ground = y + frame.row - 1
        for shade in STACK:
            amount = band.counts[shade]
            if amount > 0:
                thick = amount / row.size * (frame.row - 2)
                if shade in _VISIBLE:
                    thick = max(thick, 1.5)
                ground -= thick
                boxes[shade].append(f"M{x:.1f} {ground:.1f}h{long:.1f}v{thick:.1f}h-{long:.1f}z")
    for shade, paths in boxes.items():
        if paths:
            yield f'<path class="{CLASSES[shade]}" d="{"".join(paths)}"/>'
