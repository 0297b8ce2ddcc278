"""The preview picture of a link to a lesson: its timelines, as bars without words.

A PNG, because sites that show such pictures don't draw SVG.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence
from typing import Final

from asyncdemo.model import Run
from asyncdemo.render.facts.runs import account_for
from asyncdemo.render.svg.textures import HEIGHTS, STACK
from asyncdemo.render.terminal.theme import COLOURS
from asyncdemo.render.timeline.chart import Chart, charts
from asyncdemo.render.timeline.grid import Shade, busiest
from asyncdemo.render.timeline.layout import ChartRow, scale_ns

_WIDTH: Final = 1200
_HEIGHT: Final = 630
_MARGIN: Final = 60
_MOST_ROWS: Final = 12
_TALLEST: Final = 18.0
"""The height of a row, in the units of ``HEIGHTS``."""
_GROUND: Final = len(STACK)
_PALETTE: Final = b"".join(
    bytes.fromhex(colour[1:]) for colour in (*(COLOURS[shade] for shade in STACK), "#ffffff")
)


def card_png(runs: Sequence[Run]) -> bytes:
    """Return the runs below each other, on one scale."""
    scale, drawn = scale_ns(runs), charts(account_for(runs))
    picture = [bytearray([_GROUND]) * _WIDTH for _ in range(_HEIGHT)]
    shown = [_representatives(chart) for chart in drawn]
    lines = sum(map(len, shown)) + len(shown) - 1  # one is free between two runs
    if lines > 0:
        high = (_HEIGHT - 2 * _MARGIN) / lines
        at = float(_MARGIN)
        for rows in shown:
            for row in rows:
                _draw(picture, row, at + high / 2, high, (_WIDTH - 2 * _MARGIN) / scale)
                at += high
            at += high
    return _png(picture)


def _representatives(chart: Chart) -> list[ChartRow]:
    rows = chart.rows
    if len(rows) <= _MOST_ROWS:
        return list(rows)
    return [rows[place * (len(rows) - 1) // (_MOST_ROWS - 1)] for place in range(_MOST_ROWS)]


def _draw(picture: list[bytearray], row: ChartRow, middle: float, high: float, per_ns: float) -> None:
    for start_ns, end_ns, shade in sorted(_stretches(row), key=lambda one: -STACK.index(one[2])):
        left = _MARGIN + round(start_ns * per_ns)
        right = max(_MARGIN + round(end_ns * per_ns), left + 2)
        half = max(high * HEIGHTS[shade] / _TALLEST / 2, 1)
        for line in picture[round(middle - half) : round(middle + half)]:
            line[left:right] = bytes([STACK.index(shade)]) * (right - left)


def _stretches(row: ChartRow) -> Iterator[tuple[int, int, Shade]]:
    yield from ((bar.start_ns, bar.end_ns, bar.shade) for bar in row.bars)
    yield from ((band.start_ns, band.end_ns, busiest(band.counts)) for band in row.bands)


def _png(picture: list[bytearray]) -> bytes:
    """Return a PNG with eight bits per pixel, which are indices into the palette, and unfiltered lines."""
    head = struct.pack(">IIBBBBB", _WIDTH, _HEIGHT, 8, 3, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + line for line in picture), 9)
    chunks = ((b"IHDR", head), (b"PLTE", _PALETTE), (b"IDAT", data), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, body) for kind, body in chunks)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
