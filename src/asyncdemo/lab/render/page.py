"""The report of a record as HTML: a part of a page of the docs site, and a page of its own.

The page is complete without a network or scripts; light, dark, printed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache, partial
from html import escape
from importlib.resources import files
from typing import Final

from asyncdemo.lab.render import report_text
from asyncdemo.lab.render.bars import Bar, Bars, Mark, bars_html
from asyncdemo.lab.render.folding import Folded, arithmetic, differing, doubts
from asyncdemo.lab.render.report_text import Group, flag_words, groups, interval, medians, times
from asyncdemo.lab.render.spectrum import spectra_html
from asyncdemo.lab.render.tables import items, table
from asyncdemo.lab.results.comparison import Comparison
from asyncdemo.lab.results.flags import Flag
from asyncdemo.lab.results.record import Record
from asyncdemo.lab.results.setup import Arm

_HEAD: Final = ("row", "published", "bound", "ours [interval]", "verdict", "what differs")
_DARK: Final = re.compile(r'\[data-md-color-scheme="slate"\] \{[^}]*\}')
_MANY: Final = 8
"""A table with this many rows or more has only figures."""
_LEGEND: Final[tuple[tuple[str, str], ...]] = (
    ("ours", "ours, as a multiple of the base"),
    ("interval", "its interval"),
    ("published", "published"),
    ("bound", "what the waiting allows"),
)
_ABSOLUTE: Final = (
    '<p class="published-note">In small letters below our ratios: the medians of both sides. They are of '
    "this machine, and not to be compared with those of another.</p>"
)


def verdict_html(record: Record) -> str:
    """Return the beginning of a report: its verdict, and a chart of the first figure."""
    return f'<div class="measured">{_verdicts(record)}{"".join(map(_chart, groups(record)[:1]))}</div>'


def report_html(record: Record, download: str = "", *, folded: bool = True, begun: bool = False) -> str:
    """Return the report.

    ``download``: an HTML link to the record. ``folded``: most of it can be opened. ``begun``: the page has
    ``verdict_html`` above.
    """
    more = partial(_details, folded=folded)
    shown, gone = groups(record), [*_pairs(report_text.not_there(record))]
    parts = (
        "" if begun else _verdicts(record),
        "<p><b>It was ended early: the finished rounds count.</b></p>" if record.interrupted else "",
        _list((escape(flag_words(flag)) for flag in record.flags), ' class="measured-flags"'),
        *(("" if begun else _chart(group)) + more(_title(group), _rows_table(group)) for group in shown[:1]),
        *(more(_title(group), _chart(group) + _rows_table(group)) for group in shown[1:]),
        _ABSOLUTE if any(medians(row) for row in record.comparisons) else "",
        _twins(record),
        spectra_html(record),
        f'<p class="published-title"><b>Not available</b></p>{items(gone)}' if gone else "",
        more("How it was measured", items(_pairs(report_text.method(record), code={"Command"}))),
        more("The machine", items(_pairs(report_text.machine(record)))),
        more("The contestants", _contestants(record)),
        _list(map(escape, report_text.remarks(record))),
        download,
    )
    return f'<div class="measured">{"".join(parts)}</div>'


def _verdicts(record: Record) -> str:
    return f'<p class="measured-verdicts"><b>{escape(report_text.verdicts(record))}</b></p>'


def _title(group: Group) -> str:
    return f"{escape(group.title)} ({group.better}): figures and verdicts"


def _chart(group: Group) -> str:
    drawn = tuple(_bar(row) for row in group.rows if row.measured or (row.published and row.published.ratio))
    if not drawn:
        return ""
    kinds = [key for key in _LEGEND if key[0] != "bound" or any(row.bound for row in group.rows)]
    title = f"{group.title} ({group.better}): ratios"
    return bars_html(Bars(title, "×", drawn, tuple(kinds), origin=1, logarithmic=True))


def _rows_table(group: Group) -> str:
    """Return a table, with remarks on all of its rows below it; with many rows, all words are there."""
    label = f"{group.title}: published and ours"
    if len(group.rows) > _MANY:
        said = (*arithmetic(group), differing(group)), doubts(group)
        return table(_HEAD[:-1], (_figures(row) for row in group.rows), label, words=True) + "".join(
            items((folded.term, _said(folded)) for folded in each) for each in said
        )
    first, *others = group.rows
    flags = [flag for flag in first.flags if others and all(flag in row.flags for row in others)]
    differs = [words for words in first.differs if others and all(words in row.differs for row in others)]
    return table(_HEAD, (_row(row, flags, differs) for row in group.rows), label, words=True) + _list(
        escape(f"All rows: {words}") for words in (*differs, *map(flag_words, flags))
    )


def _said(folded: Folded) -> str:
    return "<br>".join(
        (f"<b>{escape(names)}:</b> " if names else "") + escape(words) for names, words in folded.lines()
    )


def _row(row: Comparison, flags: Collection[Flag], differs: Collection[str]) -> tuple[str, ...]:
    """Return the cells of a row, without ``flags`` and ``differs``, which appear elsewhere."""
    name, published_ratio, bound, ours, verdict = _figures(row)
    return (
        name,
        "" if row.published is None else _with_words(published_ratio, row.published.words),
        "" if row.bound is None else _with_words(bound, row.bound.words),
        ours,
        verdict
        + "".join(
            f'<br><small class="measured-flag">{escape(flag_words(flag))}</small>'
            for flag in row.flags
            if flag not in flags
        ),
        "<br>".join(escape(words) for words in row.differs if words not in differs),
    )


def _figures(row: Comparison) -> tuple[str, ...]:
    absolute = f"<br><small>{escape(medians(row))}</small>" if medians(row) else ""
    return (
        escape(row.name),
        report_text.published(row),
        times(row.bound.ratio) if row.bound else "",
        f"<b>{interval(row.measured)}</b>{absolute}" if row.measured else "refused",
        _verdict(row),
    )


def _bar(row: Comparison) -> Bar:
    measured = row.measured
    ratio = row.published.ratio if row.published else None
    parts = [
        f"{row.name}: ours {interval(measured)}" if measured else f"{row.name}: refused",
        f"published {times(ratio)}" if ratio else "",
        f"bound {times(row.bound.ratio)}" if row.bound else "",
    ]
    return Bar(
        label=row.name,
        text=interval(measured) if measured else "refused",
        description=", ".join(filter(None, parts)),
        bar=measured.median if measured else None,
        least=measured.least if measured else None,
        most=measured.most if measured else None,
        marks=(Mark("published", ratio),) if ratio else (),
        bound=row.bound.ratio if row.bound else None,
    )


def _twins(record: Record) -> str:
    lines = "<br>".join(escape(f"{title}: {words}") for title, words in report_text.twins(record))
    words = f"{lines}<br><small>The same contestant twice: the ratio should be 1.</small>"
    return items([("Equal arms (A/A)", words)]) if lines else ""


def _contestants(record: Record) -> str:
    return table(
        ("contestant", "model", "command", "notes"),
        (_contestant(record, arm) for arm in record.arms),
        "Contestants",
        words=True,
    )


def _contestant(record: Record, arm: Arm) -> tuple[str, ...]:
    shown = (
        (f"{escape(setting)}: " if setting else "") + f"<code>{escape(command)}</code>"
        for setting, command in report_text.commands(record, arm)
    )
    known = [
        f"not measured: {arm.unavailable}" if arm.unavailable else "",
        f"today: {arm.successor}" if arm.successor else "",
        ", ".join(f"{name} {version}" for name, version in arm.versions.items()),
        *arm.notes,
    ]
    return (
        escape(arm.title),
        arm.model.value,
        "<br>".join(shown),
        "<br>".join(map(escape, filter(None, known))),
    )


def _list(lines: Iterable[str], kind: str = "") -> str:
    listed = "".join(f"<li>{line}</li>" for line in lines)
    return f"<ul{kind}>{listed}</ul>" if listed else ""


def _verdict(row: Comparison) -> str:
    if row.verdict is None:
        return "nothing published"
    kind = row.verdict.name.lower().replace("_", "-")
    return f'<span class="measure-tag measure-{kind}">{report_text.verdict_words(row)}</span>'


def _pairs(pairs: Iterable[tuple[str, str]], code: Iterable[str] = ()) -> Iterator[tuple[str, str]]:
    for term, words in pairs:
        shown = escape(words)
        yield escape(term), f"<code>{shown}</code>" if term in code and shown else shown


def _with_words(figure: str, words: str) -> str:
    return "<br>".join(filter(None, (figure, f"<small>{escape(words)}</small>")))


def _details(title: str, inner: str, *, folded: bool) -> str:
    is_open = "" if folded else " open"
    return f'<details class="measured-more"{is_open}><summary>{title}</summary>{inner}</details>'


# -- a page of its own ---------------------------------------------------------------------------------------


def render_page(record: Record) -> str:
    title = escape(record.title)
    said = escape(f"Measured {record.started[:10]} by asyncdemo {record.asyncdemo}.")
    return (
        '<!DOCTYPE html>\n<html lang="en" data-md-color-scheme="default">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}: published and measured</title>\n<style>\n{_style()}</style>\n</head>\n"
        f'<body class="md-typeset">\n<main>\n<h1>{title}</h1>\n<p>{said} Absolute figures are of this '
        "machine: only ratios are set beside the published ones.</p>\n"
        f"{report_html(record, folded=False)}\n</main>\n</body>\n</html>\n"
    )


def measure_css() -> str:
    """Return the style sheet for measurements, for a page with the docs site's theme."""
    return _sheet("measure")


@cache
def _style() -> str:
    """Dark mode is an attribute on the docs site; on this page, it follows the system."""
    measure = measure_css()
    dark = "\n".join(_DARK.findall(measure)).replace('="slate"', "")
    shown = f"@media screen and (prefers-color-scheme: dark) {{\n{dark}\n}}\n"
    return f"{_sheet('page')}\n{_DARK.sub('', measure)}\n{shown}"


def _sheet(name: str) -> str:
    return files(__package__).joinpath(f"{name}.css").read_text(encoding="utf-8")
