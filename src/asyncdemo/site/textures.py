"""The fence ``textures``: how a timeline shows each state, with its meaning, as a table.

    ```textures
    running: It is executing.
    ready: It could run, but something else has the event loop.
    ```

Colours, textures and glyphs are those of the pictures; the page gives the meanings.
Not here: the pictures themselves (see ``render``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
    return textures_html({_SHADES[name]: words for name, words in settings(source, _SHADES).items()})


def textures_html(meanings: Mapping[Shade, str]) -> str:
    """Return a table with a row for each shade."""
    heads = "".join(f'<th scope="col">{heading}</th>' for heading in _HEADINGS)
    return (
        f'<table class="textures"><thead><tr>{heads}</tr></thead>'
        f"<tbody data-search-exclude>{''.join(_rows(meanings))}</tbody></table>"
    )


def _rows(meanings: Mapping[Shade, str]) -> Iterator[str]:
    for shade, meaning in meanings.items():
        yield (
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
