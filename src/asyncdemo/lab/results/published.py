"""The figures of five published benchmarks, exactly as in their articles, one file an article.

The files also say which checks apply to which columns.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from asyncdemo.errors import LabFileError
from asyncdemo.lab.results.audit import CHECKS, Finding
from asyncdemo.model.fields import read

ARTICLES: Final = (
    "flask-and-sanic",
    "four-frameworks",
    "flask-and-quart",
    "constant-rate",
    "twenty-one-pairs",
)
"""In the order in which the course uses them."""
_FOLDER: Final = Path(__file__).with_name("published")
_FIGURE: Final = re.compile(r"(-?\d+(?:\.\d+)?)(us|ms|s|m|k|%|MB|KB)?")
_TIMES: Final = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0}
"""Suffix or unit -> seconds."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A cell. ``text`` is as published; ``value`` is in the column's unit, None if it is not a number."""

    text: str
    value: float | None

    @property
    def number(self) -> float:
        """Raises ValueError if it is not one."""
        if self.value is None:
            raise ValueError(f"{self.text!r} is not a number")
        return self.value


@dataclass(frozen=True, slots=True)
class Column:
    key: str
    title: str
    unit: str = ""
    """"" for a plain number."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table as published, with a row for each contestant. ``rows`` has the text of each cell."""

    key: str
    title: str
    names: int
    """How many columns, from the left, identify a row."""
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    turned: bool = False
    """Many figures and few rows: better shown with a column for each contestant."""

    def __post_init__(self) -> None:
        if not 0 < self.names < len(self.columns):
            raise ValueError(f"names is {self.names}, of {len(self.columns)} columns")
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"the row {row[0]!r} has {len(row)} cells for {len(self.columns)} columns")
            for column, text in zip(self.columns, row, strict=True):
                _figure(column, text)

    def name(self, row: tuple[str, ...]) -> str:
        parts = zip(self.columns[: self.names], row, strict=False)
        return " · ".join(f"{text}{column.unit}" for column, text in parts)

    @property
    def row_names(self) -> tuple[str, ...]:
        return tuple(self.name(row) for row in self.rows)

    def row(self, name: str) -> tuple[str, ...]:
        """Raises KeyError."""
        return dict(zip(self.row_names, self.rows, strict=True))[name]

    def figure(self, row: tuple[str, ...], key: str) -> Figure:
        """Raises KeyError if there is no such column."""
        places = {column.key: place for place, column in enumerate(self.columns)}
        return _figure(self.columns[places[key]], row[places[key]])


@dataclass(frozen=True, slots=True)
class Setting:
    versions: str
    machine: str
    tool: str
    commands: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Audit:
    """One check of ``audit`` on rows of a table.

    ``inputs`` maps a parameter of the check to a number, or to a reference: ``column``, ``table.column`` (in
    the row of the same name), ``table.column@row``, or ``table.column[Word]`` for all rows in which a cell
    begins with the word.
    """

    check: str
    table: str
    inputs: Mapping[str, str]
    rows: tuple[str, ...] = ()
    """Names of rows; empty for the whole table."""
    of: str = ""
    """Whose figures they are, if a row has those of several contestants."""


@dataclass(frozen=True, slots=True)
class Article:
    """``key`` is the name of its file, of its page, and of our own record of it."""

    key: str
    name: str
    claim: str
    """Its best-known figure, in one line."""
    setting: Setting
    headlines: tuple[str, ...]
    """Its conclusions, in our words."""
    tables: tuple[Table, ...]
    audits: tuple[Audit, ...]
    lessons: tuple[str, ...]
    """Ids, whether or not the course has them yet."""
    title: str = ""
    author: str = ""
    date: str = ""
    """As far as the text says; "" for each of these if it doesn't."""
    address: str = ""

    def __post_init__(self) -> None:
        for audit in self.audits:
            if audit.table not in {table.key for table in self.tables}:
                raise ValueError(f"audit {audit.check} is about a table {audit.table!r}, which is not there")

    def table(self, key: str) -> Table:
        """Raises KeyError."""
        return {table.key: table for table in self.tables}[key]

    def find(self, reference: str) -> Figure:
        """``reference`` is ``table.column@row``. Raises KeyError."""
        place, _, row = reference.partition("@")
        table, _, column = place.partition(".")
        return self.table(table).figure(self.table(table).row(row), column)


@cache
def load_article(key: str, folder: Path = _FOLDER) -> Article:
    """Raises LabFileError with file and field."""
    path = folder / f"{key}.toml"
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        for audit in data.get("audits", ()):
            if isinstance(inputs := audit.get("inputs"), dict):
                audit["inputs"] = {name: str(value) for name, value in inputs.items()}
        return read(Article, {"key": key, **data}, strict=True)
    except (OSError, ValueError) as error:
        raise LabFileError(f"{path.name}: {error}") from error


def _figure(column: Column, text: str) -> Figure:
    match = _FIGURE.fullmatch(text)
    if not match:
        return Figure(text, None)
    number, suffix = float(match[1]), match[2] or ""
    if suffix in _TIMES:
        if column.unit not in _TIMES:
            raise ValueError(f"{text} is a time, and the unit of {column.key} is {column.unit!r}")
        number *= _TIMES[suffix] / _TIMES[column.unit]
    elif suffix == "k":
        number *= 1000
    elif suffix and suffix != column.unit:
        raise ValueError(f"{text} is in {suffix}, and the unit of {column.key} is {column.unit!r}")
    return Figure(text, number)


_REFERENCE: Final = re.compile(
    r"(?:(?P<table>\w+)\.)?(?P<column>[a-z]\w*)(?:@(?P<row>.+)|\[(?P<word>\w+)\])?"
)


@dataclass(frozen=True, slots=True)
class Audited:
    about: str
    finding: Finding


def audit_article(article: Article) -> tuple[Audited, ...]:
    """Return every finding, in the order of the file. Raises LabFileError if a check cannot be made as
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
    except (ArithmeticError, KeyError, TypeError, ValueError) as error:
        raise LabFileError(f"{article.key}.toml: audit {check.check} of {row}: {error}") from error


def _value(article: Article, table: str, row: str, given: str) -> Any:
    match = _REFERENCE.fullmatch(given)
    if not match:
        return float(given)
    source = article.table(match["table"] or table)
    if match["word"]:
        return [
            source.figure(cells, match["column"]).number
            for cells in source.rows
            if any(cell.startswith(match["word"]) for cell in cells[source.names :])
        ]
    return source.figure(source.row(match["row"] or row), match["column"]).number
