"""Fences with tables of the reference, made from what they describe: kinds of findings, services, ..."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

from asyncdemo.analysis.diagnose import DETECTORS
from asyncdemo.analysis.metrics import PLAIN_FIGURES, Metrics
from asyncdemo.capture import libraries
from asyncdemo.services import SERVICES
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


@formatter
def pools(source: str) -> str:
    """Return the libraries whose connection pools are recorded, with the names of the pools. No settings."""
    settings(source, ())
    rows = [
        (escape(library.title), code(library.pools.name))
        for library in libraries.known().values()
        if library.pools is not None
    ]
    return table(("library", "name"), rows)


@formatter
def services(source: str) -> str:
    """Return the services: what each is, how a script finds it, and what is in it. No settings."""
    settings(source, ())
    rows = [
        (code(name), *map(_with_code, (service.origin, service.environment, service.contents)))
        for name, service in SERVICES.items()
    ]
    return table(("service", "what it is", "environment", "in it"), rows)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as HTML; ``head`` and ``rows`` are HTML, too."""

    def row(cell: str, texts: Sequence[str]) -> str:
        return f"<tr>{''.join(f'<{cell}>{text}</{cell}>' for text in texts)}</tr>"

    body = "".join(row("td", texts) for texts in rows)
    return f"<table><thead>{row('th', head)}</thead><tbody>{body}</tbody></table>"


def _with_code(text: str) -> str:
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))


def code(text: str) -> str:
    """Return the text as code, in HTML."""
    return f"<code>{escape(text)}</code>"
