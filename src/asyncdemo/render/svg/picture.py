"""Runs as one self-contained SVG on one time scale: for a README, a page, a slide.

It has textures as well as colours, light and dark schemes, a title and a description for screen readers, and
no external references. Not here: playing it (see ``html``), a single chart (see ``chart``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from asyncdemo.model import Run
from asyncdemo.render.facts.runs import Account, account_for
from asyncdemo.render.svg.chart import GAP, WIDTH, axis, chart_height, chart_shapes, frame_for
from asyncdemo.render.svg.rows import LETTER, MARGIN, ROW, text
from asyncdemo.render.svg.textures import CLASSES, HEIGHTS, SCHEMES, STYLE, patterns, strokes
from asyncdemo.render.terminal.theme import UNICODE
from asyncdemo.render.timeline.chart import Chart, charts
from asyncdemo.render.timeline.curves import most_of
from asyncdemo.render.timeline.layout import noun
from asyncdemo.render.timeline.legend import LEGEND, LEGEND_OF_CAUSES, SHADE_WORDS
from asyncdemo.render.words import clean, end_words, join, status, title

_AXIS = 28
"""Room below a chart, for the times."""


def render_svg(runs: Sequence[Run]) -> str:
    """Return all runs in one picture, with tooltips on the bars, as a standalone file."""
    accounts, ident = account_for(runs), "asyncdemo"
    scale_ns, drawn = charts(runs)
    frame = frame_for(scale_ns, drawn, ident, tips=True)
    most = most_of([chart.curves for chart in drawn])
    body: list[str] = []
    at = MARGIN
    for chart, account in zip(drawn, accounts, strict=True):
        body += chart_shapes(chart, account, at, frame, most)
        at += chart_height(chart, frame) + GAP
    body += axis(frame, at - GAP + 20)
    legend, bottom = _legend(at - GAP + 44, drawn)
    ground = '<rect class="bg" width="100%" height="100%" rx="8"/>'
    body = [*_head(ident, drawn), ground, *body, *legend]
    svg = _document(ident, body, bottom, _name(accounts), _words(accounts))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{svg}\n'


def draw_stills(
    accounts: Sequence[Account], scale_ns: int, drawn: Sequence[Chart], ident: str
) -> Iterator[str]:
    """Yield a small picture for each run and one of the legend, so that printed pages may break between them.

    They are for one page: the first one has the styles and textures of all. ``ident`` starts their ids.
    """
    frame = frame_for(scale_ns, drawn, ident, tips=False)
    most = most_of([chart.curves for chart in drawn])
    head = _head(ident, drawn)
    for number, (chart, account) in enumerate(zip(drawn, accounts, strict=True), start=1):
        bottom = GAP + chart_height(chart, frame)
        body = [*head, *chart_shapes(chart, account, GAP, frame, most), *axis(frame, bottom + 20)]
        yield _document(f"{ident}-{number}", body, bottom + _AXIS, _name([account]), _words([account]))
        head = []
    legend, bottom = _legend(GAP, drawn)
    if legend:
        yield _document(f"{ident}-legend", legend, bottom, "Legend", "What the textures and marks mean.")


def _document(ident: str, body: Iterable[str], height: int, name: str, words: str) -> str:
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="asyncdemo" viewBox="0 0 {WIDTH} {height}" '
            f'width="{WIDTH}" height="{height}" font-size="{LETTER}" role="img" '
            f'aria-labelledby="{ident}-title {ident}-desc">',
            f'<title id="{ident}-title">{text(name)}</title>',
            f'<desc id="{ident}-desc">{text(words)}</desc>',
            *body,
            "</svg>",
        ]
    )


def _head(ident: str, drawn: Sequence[Chart]) -> list[str]:
    shades = {shade for chart in drawn for shade in chart.shades}
    style = f"<style>{SCHEMES}{STYLE}{strokes(ident, shades)}</style>"
    return [style, *patterns(ident, shades)]


def _legend(top: int, drawn: Sequence[Chart]) -> tuple[list[str], int]:
    """Return (the legend for the textures and marks that occur, where it ends)."""
    shades = {shade for chart in drawn for shade in chart.shades}
    marks = _marks(drawn)
    shapes: list[str] = []
    x, y = float(MARGIN), top
    for shade, (_, words) in (LEGEND | LEGEND_OF_CAUSES).items():
        if shade not in shades:
            continue
        wide = 32 + 6.9 * len(words)
        if x + wide > WIDTH - MARGIN and x > MARGIN:
            x, y = float(MARGIN), y + ROW + 2
        shapes.append(
            f'<g transform="translate({x:g} {y - 4})">'
            f'<path class="{CLASSES[shade]}" stroke-width="{HEIGHTS[shade]:g}" d="M0 0h26"/>'
            f'<text class="figures" x="32" y="4">{text(words)}</text></g>'
        )
        x += wide + 18
    if marks:
        y += ROW + 2 if shapes else 0
        shapes.append(f'<text class="figures" x="{MARGIN}" y="{y}">{text(marks)}</text>')
    return shapes, y + 24


def _marks(drawn: Iterable[Chart]) -> str:
    """Return the legend for the marks behind the names, as far as they occur."""
    ended = {(chart.noun, row.ended) for chart in drawn for row in chart.rows}
    said = [
        f"{mark} {end_words(end, noun)}"
        for end, mark in UNICODE.ends.items()
        for noun in sorted({noun for noun, other in ended if other == end})
    ]
    return ", ".join(dict.fromkeys(said))


def _name(accounts: Sequence[Account]) -> str:
    return f"Timeline of {join([title(account.run) for account in accounts])}" if accounts else "No runs"


def _words(accounts: Sequence[Account]) -> str:
    """Return the description of the picture for screen readers."""
    sentences = []
    for account in accounts:
        facts = "; ".join(f"{fact.label}: {fact.value}" for fact in account.brief) or status(account.run)
        sentences.append(f"{title(account.run)}. {facts}.")
    states = join([SHADE_WORDS[shade] for shade in LEGEND])
    of = " or ".join(sorted({noun(account.run) for account in accounts})) or "lane"
    sentences.append(f"Each row is a {of}, from left to right in time; its states are {states}.")
    return " ".join(clean(sentence) for sentence in sentences)
