"""Reads TOML tables field by field, with errors that name the file and the field."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from asyncdemo.bounded import read_text
from asyncdemo.errors import CourseError

Item = TypeVar("Item")
Value = int | float | str | bool

Knobs = Mapping[str, Value]
"""Constants of a script by name, with their values."""

_REQUIRED: Final = object()
_MOST_BYTES: Final = 4_000_000
_WORDS: Final[Mapping[tuple[type, ...], str]] = {
    (str,): "a text",
    (int,): "a whole number",
    (int, float): "a number",
    (int, float, str): "a number or a name",
    (bool,): "true or false",
    (int, float, str, bool): "a plain value",
}


class Table:
    """One table of a manifest. Read each field once, with its type; ``close`` rejects the rest."""

    def __init__(self, data: Mapping[str, Any], file: Path, name: str = "") -> None:
        self._unread: dict[str, Any] = dict(data)
        self._file = file
        self._name = name

    def error(self, field: str, problem: str) -> CourseError:
        """Return an error about a field; about the whole table if ``field`` is ""."""
        return CourseError(f"{self._file}: {self._within(field)}: {problem}")

    def _within(self, field: str) -> str:
        """Return the field's name from the top of the file."""
        return ".".join(filter(None, (self._name, field)))

    def _take(self, field: str, default: object, *kinds: type, wanted: str = "") -> Any:
        value = self._unread.pop(field, default)
        wanted = wanted or _WORDS[kinds]
        if value is _REQUIRED:
            raise self.error(field, f"is missing; it must be {wanted}")
        if value is not default and type(value) not in kinds:
            raise self.error(field, f"must be {wanted}, not {value!r}")
        if isinstance(value, float) and not math.isfinite(value):  # TOML has inf and nan
            raise self.error(field, f"must be a finite number, not {value}")
        return value

    def text(self, field: str, default: str | object = _REQUIRED) -> str:
        return str(self._take(field, default, str))

    def number(self, field: str, default: float | object = _REQUIRED) -> float:
        value: float = self._take(field, default, int, float)
        return value

    def whole(self, field: str, default: int | object = _REQUIRED) -> int:
        return int(self._take(field, default, int))

    def flag(self, field: str, default: bool | object = _REQUIRED) -> bool:
        return bool(self._take(field, default, bool))

    def number_or_text(self, field: str, default: float | object = _REQUIRED) -> float | str:
        value: float | str = self._take(field, default, int, float, str)
        return value

    def choice(self, field: str, allowed: tuple[str, ...], default: str | object = _REQUIRED) -> str:
        value = self.text(field, default)
        if value not in allowed:
            raise self.error(field, f"must be one of {', '.join(allowed)}, not {value!r}")
        return value

    def texts(self, field: str, default: tuple[str, ...] | object = _REQUIRED) -> tuple[str, ...]:
        values = self._take(field, default, list, wanted="a list of texts")
        if not all(isinstance(value, str) for value in values):
            raise self.error(field, "must be a list of texts")
        return tuple(values)

    def values(self, field: str) -> dict[str, Value]:
        """Return a table of plain values, {} if it is missing."""
        table = self.table(field)
        return table._plain() if table else {}

    def by_name(self, field: str, read: Callable[[Table, str], Item]) -> dict[str, Item]:
        """Read the table ``[field]``, {} if it is missing: for each name in it, what ``read`` makes of it."""
        table = self.table(field)
        return {name: read(table, name) for name in list(table._unread)} if table else {}

    def text_or_texts(self, field: str) -> tuple[str, ...]:
        """Return a text or a list of texts as a tuple."""
        return self.texts(field) if isinstance(self._unread.get(field), list) else (self.text(field),)

    def drawn(self) -> dict[str, Value | Sequence[Value]]:
        """Return the whole table: plain values, and lists to draw one from.

        ``[2, 8]``, two whole numbers, stands for all from 2 to 8. Any other list stands for its items.
        """
        found: dict[str, Value | Sequence[Value]] = {}
        for name, choices in [item for item in self._unread.items() if isinstance(item[1], list)]:
            del self._unread[name]
            if len(choices) == 2 and all(type(value) is int for value in choices):
                choices = range(choices[0], choices[1] + 1)
            if len(choices) < 2:
                raise self.error(name, "must be two or more values to draw from")
            found[name] = choices
        return self._plain() | found

    def _plain(self) -> dict[str, Value]:
        return {name: self._take(name, None, int, float, str, bool) for name in list(self._unread)}

    def anything(self, field: str) -> object:
        """Return the field's value, None if it is missing."""
        return self._unread.pop(field, None)

    def table(self, field: str) -> Table | None:
        """Return the table ``[field]``, None if it is missing."""
        values = self._take(field, None, dict, wanted=f"a table, written [{field}]")
        return None if values is None else Table(values, self._file, self._within(field))

    def each(self, field: str, read: Callable[[Table], Item]) -> tuple[Item, ...]:
        """Read the tables ``[[field]]``, and reject what ``read`` leaves of each."""
        items, wanted = [], f"tables, written [[{field}]]"
        for place, values in enumerate(self._take(field, [], list, wanted=wanted), start=1):
            if not isinstance(values, dict):
                raise self.error(field, f"must be {wanted}")
            table = Table(values, self._file, self._within(f"{field}[{place}]"))
            items.append(read(table))
            table.close()
        return tuple(items)

    def close(self) -> None:
        """Raise CourseError if a field was not read; most likely it is misspelled."""
        for field in self._unread:
            raise self.error(field, "is not a field of this table")


def read(file: Path, head_only: bool = False) -> Table:
    """Read the top-level table of a TOML file. Raises CourseError if it is missing or not TOML.

    With ``head_only``, reads only the fields before the first table: much less to parse.
    """
    try:
        text = read_text(file, _MOST_BYTES)
        if head_only:
            text = re.split(r"^\[", text, maxsplit=1, flags=re.MULTILINE)[0]
        return Table(tomllib.loads(text), file)
    except OSError as error:
        raise CourseError(f"{file}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise CourseError(f"{file}: is not UTF-8: {error}") from None
    except ValueError as error:  # not valid, or a number with thousands of digits
        raise CourseError(f"{file}: is not valid TOML: {error}") from None
    except RecursionError:
        raise CourseError(f"{file}: is not valid TOML: nested too deeply") from None
