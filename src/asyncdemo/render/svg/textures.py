"""How each shade looks in an SVG: colour, texture, height. The one table; the player has a copy.

Zero is the middle of a row and of every tile, so that a texture looks the same in all rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from asyncdemo.render.terminal.theme import COLOURS
from asyncdemo.render.timeline.grid import Shade

HEIGHTS = {
    Shade.BLOCKING: 14.0,
    Shade.RUNNING: 12.0,
    Shade.READY: 9.0,
    Shade.QUEUED: 6.0,
    Shade.POOL: 6.0,
    Shade.SQL: 7.0,
    Shade.REDIS: 7.0,
    Shade.S3: 7.0,
    Shade.WAITING: 6.0,
    Shade.RESPONSE: 4.0,
    Shade.WORKER: 5.0,
    Shade.ACCEPT: 3.0,
    Shade.CLIENT: 2.0,
    Shade.UNKNOWN: 8.0,
    Shade.HELD: 12.0,
    Shade.OPENING: 12.0,
    Shade.IDLE: 2.0,
}
"""Height of a bar, in a row of 18."""

STACK = tuple(HEIGHTS)
"""The most important first: it is drawn last, over the others."""

VISIBLE = frozenset({Shade.BLOCKING, Shade.RUNNING, Shade.OPENING, Shade.HELD})
"""Shades that are visible no matter how short."""

CLASSES = {shade: shade.name.lower() for shade in STACK}

_INK = 'fill="none" stroke="var(--ink)" stroke-opacity='
TEXTURES = {
    Shade.READY: (6, f'<path {_INK}".55" d="M0 3h6M3 0v6"/>'),
    Shade.WAITING: (6, f'<path {_INK}".3" d="M-1 7L7 -1M-1 1L1 -1M5 7L7 5"/>'),
    Shade.QUEUED: (6, '<circle cx="3" cy="3" r="1.6" fill="var(--ink)"/>'),
    Shade.BLOCKING: (7, '<path stroke="var(--bg)" stroke-width="1.3" d="M0 0L7 7M0 7L7 0"/>'),
    Shade.SQL: (5, f'<path {_INK}".55" d="M0 2.5h5"/>'),
    Shade.REDIS: (8, f'<path {_INK}".55" d="M0 6L2 2L4 6L6 2L8 6"/>'),
    Shade.S3: (5, f'<path {_INK}".55" d="M2.5 0v5"/>'),
    Shade.POOL: (8, f'<circle {_INK}".55" cx="4" cy="4" r="2.2"/>'),
    Shade.ACCEPT: (14, '<rect x="9" width="5" height="14" fill="var(--bg)"/>'),
    Shade.WORKER: (4, '<path stroke="var(--bg)" stroke-width="1.5" d="M-1 5L5 -1"/>'),
    Shade.RESPONSE: (4, '<path stroke="var(--bg)" stroke-width="1.2" d="M0 2h4"/>'),
    Shade.UNKNOWN: (4, '<path stroke="var(--bg)" stroke-width="1.5" d="M-1 5L5 -1"/>'),
    Shade.OPENING: (6, f'<path {_INK}"1" d="M3 0L6 3L3 6L0 3z"/>'),
}
"""(width and height of a tile, its shapes on top of the colour)."""

_LIGHT = (
    "--bg:var(--md-default-bg-color,#fff);"
    "--fg:#1f2328;--dim:#59636e;--line:#d1d9e0;--ink:#1f2328;--warn:#a64900;--accent:#0072b2"
)
_DARK = (
    "--bg:var(--md-default-bg-color,#0d1117);"
    "--fg:#e6edf3;--dim:#a3abb5;--line:#3d444d;--ink:#0d1117;--warn:#f0883e;--accent:#56b4e9"
)
_ALL = ":is(.asyncdemo,async-timeline)"

SCHEMES = f"""\
.asyncdemo,async-timeline{{{_LIGHT}}}
@media screen and (prefers-color-scheme:dark){{.asyncdemo,async-timeline{{{_DARK}}}}}
@media screen{{[data-md-color-scheme=default] {_ALL}{{{_LIGHT}}}
[data-md-color-scheme=slate] {_ALL}{{{_DARK}}}}}
"""
"""Colours of the page and letters: on a page of Material for MkDocs as its reader chose, elsewhere as in the
system; on paper light. The custom properties also apply to the player.
"""

STYLE = """\
.asyncdemo .bg{fill:var(--bg)}
.asyncdemo text{fill:var(--fg);font-family:ui-monospace,monospace}
.asyncdemo .name{font:bold 15px system-ui,sans-serif}
.asyncdemo .part{font:bold 12px system-ui,sans-serif}
.asyncdemo .dim{fill:var(--dim)}
.asyncdemo .figures{fill:var(--dim);font:13px system-ui,sans-serif}
.asyncdemo .warn{fill:var(--warn);font-weight:bold}
.asyncdemo .grid{stroke:var(--line)}
.asyncdemo .who{fill:#fff;pointer-events:none}
.asyncdemo .idle{stroke-opacity:.6}
.asyncdemo .curve{stroke:#0072b2;fill:#0072b2;fill-opacity:.25;stroke-width:1.5}
.asyncdemo .line{stroke:#cc79a7;fill:#cc79a7;fill-opacity:.4}
"""


def strokes(ident: str, shades: Collection[Shade]) -> str:
    """Return the style rules for these shades: a bar is a line, as thick as the bar is high."""
    paints = {shade: f"url(#{ident}-{CLASSES[shade]})" for shade in TEXTURES}
    return "".join(
        f".asyncdemo .{CLASSES[shade]}{{stroke:{paints.get(shade, COLOURS[shade])}}}"
        for shade in STACK
        if shade in shades
    )


def patterns(ident: str, shades: Collection[Shade]) -> Iterator[str]:
    """Yield definitions of the textures of these shades."""
    yield "<defs>"
    for shade, (size, mark) in TEXTURES.items():
        if shade in shades:
            yield (
                f'<pattern id="{ident}-{CLASSES[shade]}" y="{-size / 2:g}" width="{size}" height="{size}" '
                f'patternUnits="userSpaceOnUse"><rect width="{size}" height="{size}" '
                f'fill="{COLOURS[shade]}"/>{mark}</pattern>'
            )
    yield "</defs>"
