"""Runs as HTML: the custom element ``<async-timeline>``, reports in tables, and one page with all of it.

The page works offline, and contains everything it needs. Without JavaScript, it has the whole picture, the
figures and a table.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files

from asyncdemo.model import Run
from asyncdemo.render.facts import Fact
from asyncdemo.render.facts.runs import Account, account_for, finding_words
from asyncdemo.render.html.packing import packed
from asyncdemo.render.svg.picture import draw_stills
from asyncdemo.render.svg.textures import CLASSES, HEIGHTS, SCHEMES, STACK, TEXTURES, VISIBLE
from asyncdemo.render.terminal.theme import COLOURS, UNICODE
from asyncdemo.render.timeline.chart import Chart, charts
from asyncdemo.render.timeline.grid import AT_WORK, SHADES, STATE_OF, Shade
from asyncdemo.render.timeline.layout import Bar
from asyncdemo.render.timeline.legend import HEIGHT_WORDS, LEGEND, LEGEND_OF_CAUSES, SHADE_WORDS
from asyncdemo.render.words import count, duration, end_words, settings_words, status, title, whole
from asyncdemo.safe_text import clean

_TABLE_ROWS = 2_000

_STYLE = """
:root{color-scheme:light dark;--fg:#1f2328;--bg:#fff;--line:#d1d9e0;--dim:#59636e;--warn:#a64900}
@media screen and (prefers-color-scheme:dark){
:root{--fg:#e6edf3;--bg:#0d1117;--line:#30363d;--dim:#9198a1;--warn:#f0883e}}
body{margin:2rem auto;max-width:62rem;padding:0 1rem;color:var(--fg);background:var(--bg);
font:1rem/1.5 system-ui,sans-serif}
h1{font-size:1.5rem}h2,h3{font-size:1.15rem;margin:2rem 0 .5rem}h3{font-size:1rem}
svg{width:100%;height:auto}
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}
th,td{border-bottom:1px solid var(--line);padding:.25rem .8rem .25rem 0;text-align:left;vertical-align:top}
.wide{overflow-x:auto}.warn{color:var(--warn);font-weight:600}.advice,.dim{color:var(--dim)}
summary{cursor:pointer;padding:.5rem 0}
@media print{:root{color-scheme:light}body{margin:0;max-width:none}.wide{overflow:visible}}
"""
_SCRIPTS = ("timeline_reading.js", "timeline_drawing.js", "async_timeline.js")

_FOR_AUTHORS = re.compile(r"^ *(/\*.*?\*/|//.*?$)\n+|^ +| +// .*?$", re.MULTILINE | re.DOTALL)
"""Comments and indentation, which pages don't need."""

_STILL = """
async-timeline{display:block}
.timeline-still{overflow-x:auto}
.timeline-still svg{display:block;width:clamp(720px,100%,960px);max-width:none;height:auto;break-inside:avoid}
@media (scripting:enabled){async-timeline[covered]:not(:defined){visibility:hidden}}
@media print{.timeline-still{overflow:visible}.timeline-still svg{width:100%}}
"""


def render_html(runs: Sequence[Run]) -> str:
    accounts = account_for(runs)
    drawn = charts(accounts)
    heading = "Timeline of " + ", ".join(title(run) for run in runs) if runs else "No runs"
    body = "\n".join(
        [
            f"<h1>{escape(heading)}</h1>",
            element_html(drawn, "asyncdemo"),
            '<h2 id="figures">Figures</h2>',
            report_html(accounts),
            # With JavaScript, the element makes the same tables.
            "<noscript>",
            *(part for chart in drawn for part in _table(chart)),
            "</noscript>",
        ]
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(heading)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n{body}\n"
        f"</main>\n<script>{script_js()}</script>\n</body>\n</html>\n"
    )


def report_html(accounts: Sequence[Account]) -> str:
    """Return measurements and findings, in words and tables."""
    runs = [account.run for account in accounts]
    ends = [Fact("end", status(run)) for run in runs]
    brief = [(end, *account.brief) for end, account in zip(ends, accounts, strict=True)]
    facts = [(end, *account.facts) for end, account in zip(ends, accounts, strict=True)]
    return "\n".join(
        [
            *_facts(runs, brief, "Figures"),
            *(part for account in accounts for part in _remarks(account)),
            "<details><summary>All figures</summary>",
            *_facts(runs, facts, "All figures"),
            "</details>",
        ]
    )


def recording_html(runs: Sequence[Run]) -> str:
    """Return a table of what was run, and how."""
    return "\n".join(_facts(runs, [[*_recording(run)] for run in runs], "Recording"))


def _recording(run: Run) -> Iterator[Fact]:
    yield Fact("script", clean(run.script))
    if run.argv:
        yield Fact("arguments", clean(shlex.join(run.argv)))
    if run.knobs:
        yield Fact("knobs", clean(settings_words(run.knobs)))
    processes = f", {count(run.processes, 'process', 'processes')}" if run.processes > 1 else ""
    yield Fact("Python", clean(run.python) + processes)


def _facts(runs: Sequence[Run], facts_of_runs: Sequence[Sequence[Fact]], name: str) -> Iterator[str]:
    """Yield the facts of all runs side by side: a row for each label that any of them has."""
    labels = list(dict.fromkeys(fact.label for facts in facts_of_runs for fact in facts))
    yield f'<div class="wide" tabindex="0" role="region" aria-label="{name}"><table>\n<thead><tr><td></td>'
    yield "".join(f'<th scope="col">{escape(title(run))}</th>' for run in runs)
    yield "</tr></thead>\n<tbody>"
    for label in labels:
        cells = []
        for facts in ([fact for fact in own if fact.label == label] for own in facts_of_runs):
            warn = ' class="warn"' if any(fact.warns for fact in facts) else ""
            cells.append(f"<td{warn}>{'<br>'.join(escape(fact.value) for fact in facts)}</td>")
        yield f'<tr><th scope="row">{escape(label)}</th>{"".join(cells)}</tr>'
    yield "</tbody></table></div>"


def _remarks(account: Account) -> Iterator[str]:
    name = escape(title(account.run))
    if account.findings:
        yield f"<h3>Found in {name}</h3>\n<ul>"
        for finding in account.findings:
            message, advice = map(coded, finding_words(finding))
            yield f"<li>{message}{f'<br><span class=advice>{advice}</span>' if advice else ''}</li>"
        yield "</ul>"
    if account.notes:
        yield f"<h3>Notes on {name}</h3>\n<ul>"
        yield from (f"<li>{escape(note)}</li>" for note in account.notes)
        yield "</ul>"


def _table(chart: Chart) -> Iterator[str]:
    lines = list(_table_rows(chart))
    yield f"<details><summary>{escape(chart.name)} as a table: {count(len(lines), 'row')}</summary>"
    if len(lines) > _TABLE_ROWS:
        yield f'<p class="dim">The first {_TABLE_ROWS:,} of them; the recording has all.</p>'
    yield '<div class="wide"><table><thead><tr>'
    yield "".join(f'<th scope="col">{head}</th>' for head in (chart.noun, "from", "to", "state", "why"))
    yield "</tr></thead><tbody>"
    for cells in lines[:_TABLE_ROWS]:
        yield f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
    yield "</tbody></table></div></details>"


def _table_rows(chart: Chart) -> Iterator[tuple[str, str, str, str, str]]:
    for row in chart.rows:
        label = clean(row.label)
        for bar in row.bars:
            yield label, *_cells(bar)
        for band in row.bands:
            words = ", ".join(
                f"{whole(amount):,} {SHADE_WORDS[Shade(shade)]}"
                for shade, amount in enumerate(band.counts)
                if amount
            )
            yield f"{chart.noun}s {label}", duration(band.start_ns), duration(band.end_ns), words, ""
    for pool in chart.pools:
        for row in pool.rows:
            for bar in row.bars:
                yield f"{pool.title}: {row.label}", *_cells(bar)


def _cells(bar: Bar) -> tuple[str, str, str, str]:
    state = SHADE_WORDS[STATE_OF.get(bar.shade, bar.shade)]
    return duration(bar.start_ns), duration(bar.end_ns), state, bar.why


def coded(words: str) -> str:
    """Return the words as HTML, with text between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(words, quote=False))


def element_html(drawn: Sequence[Chart], ident: str, *, covered: bool = False) -> str:
    """Return the element, for a page that has ``script_js``.

    ``ident`` starts its ids, which must be unique on a page. With ``covered``, it stays hidden until
    revealed.
    """
    stills = "\n".join(draw_stills(drawn, ident))
    # "<" could end the script, for example in a lane's name.
    data = json.dumps(packed(drawn), separators=(",", ":")).replace("<", "\\u003c")
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
