"""What five articles published, what arithmetic says about it, and what we measured in a sentence.

Figures and findings come from ``lab.results`` when the site is built; none is written into a page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby
from typing import Final

from asyncdemo.course.content.catalog import Heading, find_course, load_course
from asyncdemo.lab.experiments import EXPERIMENTS
from asyncdemo.lab.pages.records import load_kept
from asyncdemo.lab.render.report_text import verdicts
from asyncdemo.lab.render.tables import items, table
from asyncdemo.lab.results.audit import AuditCheck, Judgement
from asyncdemo.lab.results.published import (
    ARTICLES,
    Article,
    Audited,
    Column,
    Table,
    audit_article,
    load_article,
)

_LONG: Final = 12
"""Published tables with this many rows or more are folded."""
_MANY: Final = 6
"""This many findings or more are folded if they all say the same."""


def part(article: str = "", show: str = "", table: str = "") -> str:
    """Return a part of an article, or "overview" of all of them.

    ``show`` is one of setting, headlines, table (with ``table``), audit or lessons.
    """
    if show == "overview":
        return overview_html()
    found = load_article(article)
    if show == "table":
        return table_html(found.table(table))
    parts = {
        "setting": setting_html,
        "headlines": headlines_html,
        "audit": audit_html,
        "lessons": lessons_html,
    }
    return parts[show](found)


def setting_html(article: Article) -> str:
    setting = article.setting
    title = f"“{article.title}”" if article.title else "its title is not in the text that is kept"
    source = ", ".join(filter(None, (title, article.author, article.date)))
    link = f' (<a href="{escape(article.address)}">its code</a>)' if article.address else ""
    return items(
        [
            ("Article", escape(source) + link),
            ("Versions", escape(setting.versions)),
            ("Machine", escape(setting.machine)),
            ("Load", escape(setting.tool)),
            ("Commands", _lines(f"<code>{escape(command)}</code>" for command in setting.commands)),
            ("More", _lines(map(escape, setting.notes))),
        ]
    )


def headlines_html(article: Article) -> str:
    said = "".join(f"<li>{escape(headline)}</li>" for headline in article.headlines)
    return f'<ul class="published-headlines">{said}</ul>'


def table_html(shown: Table) -> str:
    """Return the table as published, folded if long. A contestant's figures have a row each if many."""
    label = f"{shown.title}: published figures"
    rows: Iterable[Sequence[str]]
    if shown.turned:
        head = ["figure", *map(escape, shown.row_names)]
        figures = list(enumerate(shown.columns))[shown.names :]
        rows = [[_heading(column), *(escape(row[place]) for row in shown.rows)] for place, column in figures]
    else:
        head = ["".join(map(_heading, shown.columns[:1])), *map(_heading, shown.columns[1:])]
        rows = [[escape(cell) for cell in row] for row in shown.rows]
    note = f'<p class="published-note">{escape(shown.note)}</p>' if shown.note else ""
    found = table(head, rows, label)
    if shown.turned or len(shown.rows) > _LONG:
        summary = f"{escape(shown.title)}: all figures"
        return f'<details class="published-all"><summary>{summary}</summary>{found}</details>{note}'
    return f'<p class="published-title"><b>{escape(shown.title)}</b></p>{found}{note}'


def audit_html(article: Article) -> str:
    """Return every check, with the arithmetic of each row."""
    groups = groupby(audit_article(article), key=lambda row: row.finding.check)
    return "".join(_group(check, list(rows)) for check, rows in groups)


def lessons_html(article: Article) -> str:
    links = (
        f'<li><a href="../lessons/{lesson.id}.html">{lesson.number}. {escape(lesson.title)}</a>: '
        f"{escape(lesson.question)}</li>"
        for lesson in sorted(_lessons(article), key=lambda lesson: lesson.number)
    )
    return f'<ul class="published-lessons">{"".join(links)}</ul>'


def overview_html() -> str:
    """Return a card for each article, and the other measurements."""
    cards = "".join(map(_card, map(load_article, ARTICLES)))
    further = "".join(
        f'<li>{escape(entry.title)}: <a href="records/{entry.name}.json" download>the record</a></li>'
        for entry in EXPERIMENTS
        if entry.name not in ARTICLES
    )
    return f'<div class="published-cards">{cards}</div>{f"<ul>{further}</ul>" if further else ""}'


def _card(article: Article) -> str:
    found = audit_article(article)
    shown = next((row for row in found if row.finding.judgement is Judgement.CONTRADICTS), found[0])
    lessons = (
        f'<a href="../lessons/{lesson.id}.html">{escape(lesson.title)}</a>' for lesson in _lessons(article)
    )
    return (
        f'<section class="published-card"><p class="published-card-title">'
        f'<a href="{article.key}.html">{escape(article.name)}</a></p>'
        + items(
            [
                ("It says", escape(article.claim)),
                (
                    "The arithmetic",
                    f"{escape(_counted(found))} {escape(shown.about)}: {escape(shown.finding.words)}.",
                ),
                ("Ours", escape(verdicts(load_kept(article.key)))),
                ("Lessons", ", ".join(lessons)),
            ]
        )
        + "</section>"
    )


def _counted(found: Sequence[Audited]) -> str:
    """Return how many of the checks had which result."""
    counts = Counter(row.finding.judgement for row in found)
    words = {
        Judgement.AGREES: "{} agree",
        Judgement.NEAR: "{} roughly",
        Judgement.CONTRADICTS: "{} cannot be",
        Judgement.REMARK: "{} with a note",
    }
    shown = ", ".join(
        words[judgement].format(counts[judgement]) for judgement in Judgement if counts[judgement]
    )
    return f"{len(found)} checks: {shown}."


def _group(check: AuditCheck, rows: Sequence[Audited]) -> str:
    found = table(
        ["row", "arithmetic", "result"],
        (
            [escape(row.about), escape(row.finding.words), _judged(row.finding.judgement)]
            for row in sorted(rows, key=lambda row: row.finding.judgement is not Judgement.CONTRADICTS)
        ),
        f"{check.title}: findings",
        words=True,
    )
    judgements = {row.finding.judgement for row in rows}
    if len(rows) > _MANY and len(judgements) == 1:
        summary = f"All {len(rows)}: {judgements.pop().value}"
        found = f'<details class="published-all"><summary>{summary}</summary>{found}</details>'
    return f'<p class="published-check"><b>{check.title}.</b> {check.why}</p>{found}'


def _judged(judgement: Judgement) -> str:
    return f'<span class="measure-tag measure-{judgement.name.lower()}">{judgement.value}</span>'


def _heading(column: Column) -> str:
    unit = f" [{column.unit}]" if column.unit and column.unit not in {"×", "%"} else ""
    return escape(f"{column.title}{unit}")


def _lines(texts: Iterable[str]) -> str:
    return "<br>".join(texts)


def _lessons(article: Article) -> list[Heading]:
    known = {lesson.id: lesson for lesson in load_course(find_course()).lessons}
    return [known[name] for name in article.lessons]
