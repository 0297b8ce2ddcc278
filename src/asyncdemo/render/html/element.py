"""Runs as the custom element ``<async-timeline>``: static pictures of them, and the data to play."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from importlib.resources import files

from asyncdemo.render.facts.runs import Account
from asyncdemo.render.html.packing import packed
from asyncdemo.render.svg.picture import draw_stills
from asyncdemo.render.svg.textures import CLASSES, HEIGHTS, SCHEMES, STACK, TEXTURES, VISIBLE
from asyncdemo.render.terminal.theme import COLOURS, UNICODE
from asyncdemo.render.timeline.chart import Chart, charts
from asyncdemo.render.timeline.grid import AT_WORK, SHADES, STATE_OF, Shade
from asyncdemo.render.timeline.legend import HEIGHT_WORDS, LEGEND, LEGEND_OF_CAUSES, SHADE_WORDS
from asyncdemo.render.words import end_words

_SCRIPTS = ("timeline_reading.js", "timeline_drawing.js", "async_timeline.js")

_FOR_AUTHORS = re.compile(r"^ *(/\*.*?\*/|//.*?$)\n+|^ +| +// .*?$", re.MULTILINE | re.DOTALL)
"""Comments and indentation, which pages don't need."""

_STILL = """
async-timeline{display:block}
.timeline-still{overflow-x:auto}
.timeline-still svg{display:block;width:960px;max-width:none;height:auto;break-inside:avoid}
@media (scripting:enabled){async-timeline[covered]:not(:defined){visibility:hidden}}
@media print{.timeline-still{overflow:visible}.timeline-still svg{width:100%}}
"""


def element_html(accounts: Sequence[Account], ident: str) -> str:
    """Return the element alone, for a page that loads ``script_js`` itself."""
    return element_of(accounts, *charts([account.run for account in accounts]), ident=ident)


def element_of(
    accounts: Sequence[Account],
    scale_ns: int,
    drawn: Sequence[Chart],
    *,
    covered: bool = False,
    ident: str = "asyncdemo",
) -> str:
    """Do as ``element_html``, with existing charts.

    With ``covered``, it stays hidden until revealed. ``ident`` starts its ids, which must be unique on a
    page.
    """
    stills = "\n".join(draw_stills(accounts, scale_ns, drawn, ident))
    # "<" could end the script, for example in a lane's name.
    data = json.dumps(packed(accounts, scale_ns, drawn), separators=(",", ":")).replace("<", "\\u003c")
    return (
        f"<async-timeline{' covered' if covered else ''}>\n<style>{_STILL}</style>\n"
        f'<div class="timeline-still" tabindex="0" role="region" aria-label="Timeline">\n{stills}\n</div>\n'
        f'<script type="application/json">{data}</script>\n</async-timeline>'
    )


def script_js() -> str:
    """Return the custom element as one classic script."""
    table = json.dumps([_look(shade) for shade in SHADES[: Shade.CLOSED]], separators=(",", ":"))
    stack = json.dumps([int(shade) for shade in STACK], separators=(",", ":"))
    at_work = json.dumps([int(shade) for shade in AT_WORK], separators=(",", ":"))
    ends = {
        noun: {end: [mark, end_words(end, noun)] for end, mark in UNICODE.ends.items()}
        for noun in ("lane", "request")
    }
    folder = files("asyncdemo.render.html")
    parts = [_FOR_AUTHORS.sub("", folder.joinpath(name).read_text("utf-8")) for name in _SCRIPTS]
    return "\n".join(
        [
            "/* <async-timeline> of asyncdemo: src/asyncdemo/render/html */",
            "(() => {",
            "'use strict';",
            f"const SHADES = {table};",
            f"const STACK = {stack};",
            f"const AT_WORK = {at_work};",
            f"const HEIGHT_WORDS = {json.dumps(': ' + HEIGHT_WORDS)};",
            f"const ENDS = {json.dumps(ends, ensure_ascii=False)};",
            f"const SCHEMES = {json.dumps(SCHEMES)};",
            *parts,
            "})();",
            "",
        ]
    )


def _look(shade: Shade) -> dict[str, object]:
    tile, mark = TEXTURES.get(shade, (0, ""))
    return {
        "name": CLASSES[shade],
        "words": SHADE_WORDS[shade],
        "legend": (LEGEND | LEGEND_OF_CAUSES)[shade][1],
        "state": int(STATE_OF.get(shade, shade)),
        "colour": COLOURS[shade],
        "height": HEIGHTS[shade],
        "visible": shade in VISIBLE,
        "tile": tile,
        "mark": mark,
    }
