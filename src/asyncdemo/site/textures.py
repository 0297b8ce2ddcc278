"""The fence ``textures``: how a timeline shows each state, with its meaning, as a table.

    ```textures
    running: It is executing.
    ready: It could run, but something else has the event loop.
    ```

Colours, textures and glyphs are those of the pictures; the page gives the meanings.
"""

from __future__ import annotations

from html import escape
from typing import Final

from asyncdemo.render.svg.textures import CLASSES, HEIGHTS, patterns
from asyncdemo.render.terminal.theme import ASCII, COLOURS, UNICODE
from asyncdemo.render.timeline.grid import Shade
from asyncdemo.render.timeline.legend import LEGEND, LEGEND_OF_CAUSES
from asyncdemo.site.fence import formatter, settings

_SHADES: Final = {CLASSES[shade]: shade for shade in CLASSES}
_WORDS: Final = LEGEND | LEGEND_OF_CAUSES
_HEADINGS: Final = ("state", "picture", "terminal", "ASCII", "meaning")
_WIDTH: Final = 56
_HEIGHT: Final = 18


@formatter
def fence(source: str) -> str:
    """Settings: lines ``shade: meaning``."""
    heads = "".join(f'<th scope="col">{heading}</th>' for heading in _HEADINGS)
    rows = "".join(_row(_SHADES[name], words) for name, words in settings(source, _SHADES).items())
    return (
        f'<table class="textures"><thead><tr>{heads}</tr></thead>'
        f"<tbody data-search-exclude>{rows}</tbody></table>"
    )


def _row(shade: Shade, meaning: str) -> str:
    return (
        f'<tr><th scope="row">{escape(_WORDS[shade][0])}</th><td>{_swatch(shade)}</td>'
        f"<td><code>{escape(UNICODE.textures[shade] * 3)}</code></td>"
        f"<td><code>{escape(ASCII.textures[shade] * 3)}</code></td><td>{escape(meaning)}</td></tr>"
    )


def _swatch(shade: Shade) -> str:
    ident = "textures"
    height = HEIGHTS[shade]
    # A shade without a texture has no pattern: then the colour after the reference applies.
    return (
        f'<svg width="{_WIDTH}" height="{_HEIGHT}" aria-hidden="true">{"".join(patterns(ident, {shade}))}'
        f'<rect y="{(_HEIGHT - height) / 2:g}" width="{_WIDTH}" height="{height:g}" '
        f'fill="url(#{ident}-{CLASSES[shade]}) {COLOURS[shade]}"/></svg>'
    )
