"""How each shade looks in an SVG: colour, texture, height.

Not for: what is drawn where (``svg``, ``svg_rows``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from asyncdemo.render.grid import Shade
from asyncdemo.render.theme import COLOURS

__all__ = ["CLASSES", "HEIGHTS", "STACK", "STYLE", "fills", "patterns"]

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
    Shade.ACCEPT: 4.0,
    Shade.CLIENT: 2.0,
    Shade.HELD: 12.0,
    Shade.OPENING: 12.0,
    Shade.IDLE: 2.0,
}
"""Of a bar, in a row of 18."""

STACK = tuple(HEIGHTS)
"""Of a folded row, from the ground up."""

CLASSES = {shade: shade.name.lower() for shade in STACK}

STYLE = """\
.asyncdemo{--bg:#fff;--fg:#1f2328;--dim:#59636e;--line:#d1d9e0;--ink:#1f2328}
@media (prefers-color-scheme:dark){
.asyncdemo{--bg:#0d1117;--fg:#e6edf3;--dim:#9198a1;--line:#30363d;--ink:#0d1117}}
.asyncdemo .bg{fill:var(--bg)}
.asyncdemo text{fill:var(--fg);font-family:ui-monospace,monospace}
.asyncdemo .name{font:bold 15px system-ui,sans-serif}
.asyncdemo .part{font:bold 12px system-ui,sans-serif}
.asyncdemo .dim{fill:var(--dim)}
.asyncdemo .figures{fill:var(--dim);font:13px system-ui,sans-serif}
.asyncdemo .warn{fill:#d55e00;font-weight:bold}
.asyncdemo .grid{stroke:var(--line)}
.asyncdemo .ink{stroke:var(--ink);fill:none}
.asyncdemo .who{fill:#fff;pointer-events:none}
.asyncdemo path.idle{fill-opacity:.35}
.asyncdemo .curve{stroke:#0072b2;fill:#0072b2;fill-opacity:.25;stroke-width:1.5}
.asyncdemo .line{stroke:#cc79a7;fill:#cc79a7;fill-opacity:.4}
"""

_INK = 'class="ink" stroke-opacity=".55"'
_TEXTURES = {
    Shade.READY: (6, f'<path {_INK} d="M0 3h6M3 0v6"/>'),
    Shade.WAITING: (6, '<path class="ink" stroke-opacity=".3" d="M-1 7L7 -1M-1 1L1 -1M5 7L7 5"/>'),
    Shade.QUEUED: (6, '<circle cx="3" cy="3" r="1.6" fill="var(--ink)"/>'),
    Shade.BLOCKING: (7, '<path stroke="var(--bg)" stroke-width="1.3" d="M0 0L7 7M0 7L7 0"/>'),
    Shade.SQL: (5, f'<path {_INK} d="M0 2.5h5"/>'),
    Shade.REDIS: (8, f'<path {_INK} d="M0 6L2 2L4 6L6 2L8 6"/>'),
    Shade.S3: (5, f'<path {_INK} d="M2.5 0v5"/>'),
    Shade.POOL: (8, f'<circle {_INK} cx="4" cy="4" r="2.2"/>'),
    Shade.ACCEPT: (6, '<rect width="3" height="6" fill="var(--bg)"/>'),
    Shade.WORKER: (4, '<path stroke="var(--bg)" stroke-width="1.5" d="M0 4L4 0"/>'),
    Shade.RESPONSE: (4, '<path stroke="var(--bg)" stroke-width="1.2" d="M0 2h4"/>'),
    Shade.OPENING: (6, '<path stroke="var(--ink)" fill="none" d="M3 0L6 3L3 6L0 3z"/>'),
}


def fills(ident: str, shades: Collection[Shade]) -> str:
    """The style sheet's part for these shades; ident: begins the ids of the patterns."""
    solid = {shade: COLOURS[shade] for shade in STACK if shade not in _TEXTURES}
    textured = {shade: f"url(#{ident}-{CLASSES[shade]})" for shade in _TEXTURES}
    return "".join(
        f".asyncdemo .{CLASSES[shade]}{{fill:{fill}}}"
        for shade, fill in (solid | textured).items()
        if shade in shades
    )


def patterns(ident: str, shades: Collection[Shade]) -> Iterator[str]:
    """Definitions of the textures of these shades."""
    yield "<defs>"
    for shade, (size, mark) in _TEXTURES.items():
        if shade in shades:
            yield (
                f'<pattern id="{ident}-{CLASSES[shade]}" width="{size}" height="{size}" '
                f'patternUnits="userSpaceOnUse"><rect width="{size}" height="{size}" '
                f'fill="{COLOURS[shade]}"/>{mark}</pattern>'
            )
    yield "</defs>"
