"""The fences ``finding-kinds`` and ``plain-figures``: tables of the reference, from what they describe."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

from asyncdemo.analysis.diagnose import DETECTORS
from asyncdemo.analysis.metrics import PLAIN_FIGURES, Metrics
from asyncdemo.site.fence import formatter, settings

_ATTRIBUTE: Final = re.compile(r"^    (\w+): (.+(?:\n {8}.+)*)", re.MULTILINE)


@formatter
def finding_kinds(source: str) -> str:
    """Return the meaning of each kind of finding. The fence has no settings."""
    settings(source, ())
    rows = [
        (
            f'<a href="../explore/mistakes/{detector.kind}.html">{code(detector.kind)}</a>',
            escape(detector.meaning),
        )
        for detector in DETECTORS
    ]
    return table((code("kind"), "what was found"), rows)


@formatter
def plain_figures(source: str) -> str:
    """Return the figures of a run that are a number. The fence has no settings."""
    settings(source, ())
    meanings = dict(_ATTRIBUTE.findall(inspect.getdoc(Metrics) or ""))
    rows = [
        (
            code(figure.name),
            escape(figure.unit or "whole number"),
            escape(" ".join(meanings[figure.field].split())),
        )
        for figure in PLAIN_FIGURES
    ]
    return table(("field", "unit", "meaning"), rows)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as HTML; ``head`` and ``rows`` are HTML, too."""

    def row(cell: str, texts: Sequence[str]) -> str:
        return f"<tr>{''.join(f'<{cell}>{text}</{cell}>' for text in texts)}</tr>"

    body = "".join(row("td", texts) for texts in rows)
    return f"<table><thead>{row('th', head)}</thead><tbody>{body}</tbody></table>"


def code(text: str) -> str:
    """Return the text as code, in HTML."""
    return f"<code>{escape(text)}</code>"
