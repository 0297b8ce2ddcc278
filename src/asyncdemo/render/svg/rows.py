"""Rows, bands and curves of a chart as SVG shapes.

A row is a group whose zero is its middle, and a bar in it is a horizontal line, as thick as the bar is high.
That is the shortest way to write many of them, and textures look the same in every row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from asyncdemo.render.svg.textures import CLASSES, HEIGHTS, STACK, VISIBLE
from asyncdemo.render.terminal.theme import COLOURS, UNICODE
from asyncdemo.render.timeline.grid import STATE_OF, Shade, at_work, busiest
from asyncdemo.render.timeline.layout import Bar, ChartRow, tick_ns
from asyncdemo.render.timeline.legend import SHADE_WORDS
from asyncdemo.render.timeline.pools import holder_names
from asyncdemo.render.words import duration, fit_label, moment
from asyncdemo.safe_text import clean

MARGIN = 16
CHAR = 7.3
"""Width of a 12 px monospace character."""
ROW = 18
"""Height of a row if there are few."""
LETTER = 12

_SHORTEST = 1.5
_LOWEST = 2
"""The least number of pixels for a folded row with any lane at work."""
_WHO = 5.8
"""Width of a letter in the name of a connection's holder."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The time axis, and the height of a row.

    ``ident`` starts the ids of the patterns. ``tips``: whether bars have tooltips.
    """

    scale_ns: int
    left: float
    width: float
    row: int
    ident: str
    tips: bool

    def x(self, at_ns: int) -> float:
        return self.left + at_ns * self.width / self.scale_ns

    @property
    def letter(self) -> float:
        return max(LETTER * self.row / ROW, 8)

    def thick(self, shade: Shade) -> float:
        """Return a bar's thickness. In low rows, bars take more of the height, to stay distinguishable."""
        return round(min(HEIGHTS[shade] * (self.row + 2) / (ROW + 2), self.row - 1), 1)

    def ends(self, bar: Bar) -> tuple[float, float]:
        """Return where it begins and ends; a bar that only waited may vanish."""
        start, end = self.x(bar.start_ns), self.x(bar.end_ns)
        return start, max(end, start + _SHORTEST) if bar.shade in VISIBLE else end


def row_shapes(row: ChartRow, y: float, frame: Frame) -> Iterator[str]:
    """Yield the row's shapes. ``y`` is its upper edge."""
    cells = int((frame.left - MARGIN - 6) / (CHAR * frame.letter / LETTER))
    end = UNICODE.ends.get(row.ended, "")
    label = f"{fit_label(row.label, cells - 2)} {end}" if end else fit_label(row.label, cells)
    dim = ' class="dim"' if row.size > 1 else ""
    base = round(frame.row * 0.22, 1)
    yield f'<g transform="translate(0 {y + frame.row / 2:g})">'
    yield f'<text{dim} x="{MARGIN}" y="{base:g}">{text(label)}</text>'
    yield from _bands(row, frame)
    yield from _bars_with_tips(row, frame) if frame.tips else _bars(row, frame)
    for bar in row.bars:
        if bar.shade is Shade.HELD and frame.row >= LETTER:
            yield from _holder(bar, base, frame)
    yield "</g>"


def curve_shape(
    points: Sequence[tuple[int, int]],
    most: int,
    y: float,
    height: float,
    frame: Frame,
    end_ns: int,
    kind: str,
) -> str:
    """Return a step curve. ``y`` is the upper edge, of the value ``most``; ``kind`` is the path's class."""
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
    """Yield (words, x) of the marks of the axis."""
    step = tick_ns(frame.scale_ns, 8)
    for tick in range(0, frame.scale_ns + 1, step):
        yield moment(tick, step), frame.x(tick)


def text(words: str) -> str:
    """Escape the words, and drop what XML 1.0 forbids."""
    return escape(clean(words), quote=False)


def _bars_with_tips(row: ChartRow, frame: Frame) -> Iterator[str]:
    for bar in row.bars:
        start, end = frame.ends(bar)
        state = SHADE_WORDS[STATE_OF.get(bar.shade, bar.shade)]
        why = f", {bar.why}" if bar.why else ""
        tip = f"{row.label}: {state}{why}, {duration(bar.start_ns)} to {duration(bar.end_ns)}"
        yield (
            f'<path class="{CLASSES[bar.shade]}" stroke-width="{frame.thick(bar.shade):g}" '
            f'd="M{start:.2f} 0h{end - start:.2f}"><title>{text(tip)}</title></path>'
        )


def _bars(row: ChartRow, frame: Frame) -> Iterator[str]:
    """Yield one path for each shade, the least important first, because later ones may hide it."""
    stretches: dict[Shade, list[tuple[float, float]]] = {}
    for bar in row.bars:
        stretches.setdefault(bar.shade, []).append(frame.ends(bar))
    for shade in reversed(STACK):
        path = _dashes(stretches.get(shade, ()))
        if path:
            yield f'<path class="{CLASSES[shade]}" stroke-width="{frame.thick(shade):g}" d="{path}"/>'


def _dashes(stretches: Iterable[tuple[float, float]]) -> str:
    """Return a line with gaps: "M130 0h5m3 0h7". In whole pixels, because errors would add up."""
    joined: list[list[int]] = []
    for start, end in ((round(start), round(end)) for start, end in stretches):
        if joined and start <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end)
        elif end > start:
            joined.append([start, end])
    path, at = "", 0
    for start, end in joined:
        path += f"{f'm{start - at}' if path else f'M{start}'} 0h{end - start}"
        at = end
    return path


def _holder(bar: Bar, base: float, frame: Frame) -> Iterator[str]:
    """Yield the holder of a connection, if the name or at least its number fits."""
    start, end = frame.ends(bar)
    size = min(frame.letter, 10)
    for name in holder_names(bar.why):
        if len(name) * _WHO + 4 <= end - start:
            yield (
                f'<text class="who" font-size="{size:g}" text-anchor="middle" '
                f'x="{(start + end) / 2:.1f}" y="{base - 1:g}">{text(name)}</text>'
            )
            return


def _bands(row: ChartRow, frame: Frame) -> Iterator[str]:
    """Yield columns as high as the share of lanes at work, in whole pixels.

    They have the plain colour of what most lanes do, because textures are for rows of one lane.
    """
    ground, full = frame.row / 2 - 1, frame.row - 2
    columns: list[tuple[int, int, int, Shade]] = []
    for band in row.bands:
        working, shade = at_work(band.counts), busiest(band.counts)
        start, end = round(frame.x(band.start_ns)), round(frame.x(band.end_ns))
        if working <= 0 or end <= start:
            continue
        high = max(round(working / row.size * full), _LOWEST)
        if columns and columns[-1][1:] == (start, high, shade):
            start = columns.pop()[0]
        columns.append((start, end, high, shade))
    for shade in dict.fromkeys(column[-1] for column in columns):
        own = (column for column in columns if column[-1] is shade)
        path = "".join(f"M{start} {ground:g}v{-high}H{end}V{ground:g}z" for start, end, high, _ in own)
        yield f'<path fill="{COLOURS[shade]}" d="{path}"/>'
