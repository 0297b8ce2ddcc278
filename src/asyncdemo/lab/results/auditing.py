"""The checks of ``audit`` on the published tables: which are made of which columns is written beside the
figures.

Not for: the checks themselves.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from asyncdemo.errors import LabFileError
from asyncdemo.lab.results.audit import CHECKS, Finding
from asyncdemo.lab.results.published import Article, Audit, Table

_REFERENCE: Final = re.compile(
    r"(?:(?P<table>\w+)\.)?(?P<column>[a-z]\w*)(?:@(?P<row>.+)|\[(?P<word>\w+)\])?"
)


@dataclass(frozen=True, slots=True)
class Audited:
    """about: the row, and whose figures of it."""

    about: str
    finding: Finding


def audited(article: Article) -> tuple[Audited, ...]:
    """Every finding, in the order of the file. Raises LabFileError if a check cannot be made as it is
    written.
    """
    return tuple(
        Audited(f"{name} · {check.of}" if check.of else name, _found(article, check, name))
        for check in article.audits
        for name in check.rows or article.table(check.table).row_names
    )


def _found(article: Article, check: Audit, row: str) -> Finding:
    try:
        inputs = {name: _value(article, check.table, row, given) for name, given in check.inputs.items()}
        return CHECKS[check.check](**inputs)
    except (KeyError, TypeError, ValueError) as error:
        raise LabFileError(f"{article.key}.toml: audit {check.check} of {row}: {error}") from error


def _value(article: Article, table: str, row: str, given: str) -> Any:
    """A number, or with ``[Word]`` several."""
    match = _REFERENCE.fullmatch(given)
    if not match:
        return float(given)
    source = article.table(match["table"] or table)
    if match["word"]:
        return [
            _number(source, name, match["column"])
            for name, cells in zip(source.row_names, source.rows, strict=True)
            if any(cell.startswith(match["word"]) for cell in cells[source.names :])
        ]
    return _number(source, match["row"] or row, match["column"])


def _number(table: Table, row: str, column: str) -> float:
    figure = table.figure(table.row(row), column)
    if figure.value is None:
        raise ValueError(f"{figure.text!r} in {column} is no number")
    return figure.value
