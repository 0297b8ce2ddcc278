"""Reads TOML tables field by field, with errors that name the file and the field.

Not here: what the fields mean (see ``catalog``).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeVar, overload

from asyncdemo.errors import CourseError

Item = TypeVar("Item")
Value = int | float | str | bool

Knobs = Mapping[str, Value]
"""Constants of a script by name, with their values."""

_REQUIRED: Final = object()


class Table:
    """One table of a manifest. Read each field once, with its type; ``close`` rejects the rest."""

    def __init__(self, data: Mapping[str, object], file: Path, name: str = "") -> None:
        self._unread = dict(data)
        self._file = file
        self._name = name

    def error(self, field: str, problem: str) -> CourseError:
        return CourseError(f"{self._file}: {self._within(field)}: {problem}")

    def _within(self, field: str) -> str:
        """Return the field's name from the top of the file."""
        return f"{self._name}.{field}" if self._name else field

    def _take(self, field: str, default: object, kind: type | tuple[type, ...], wanted: str) -> object:
        value = self._unread.pop(field, default)
        if value is _REQUIRED:
            raise self.error(field, f"is missing; it must be {wanted}")
        if value is not default and (
            not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool)
        ):
            raise self.error(field, f"must be {wanted}, not {value!r}")
        return value

    def text(self, field: str, default: str | object = _REQUIRED) -> str:
        return str(self._take(field, default, str, "a text"))

    def number(self, field: str, default: float | object = _REQUIRED) -> float:
        value = self._take(field, default, (int, float), "a number")
        assert isinstance(value, int | float)
        return value

    def whole(self, field: str, default: int | object = _REQUIRED) -> int:
        value = self._take(field, default, int, "a whole number")
        assert isinstance(value, int)
        return value

    def flag(self, field: str, default: bool | object = _REQUIRED) -> bool:
        return bool(self._take(field, default, bool, "true or false"))

    @overload
    def number_or_text(self, field: str) -> float | str: ...
    @overload
    def number_or_text(self, field: str, default: None) -> float | str | None: ...
    def number_or_text(self, field: str, default: object = _REQUIRED) -> float | str | None:
        value = self._take(field, default, (int, float, str), "a number or a name")
        assert value is None or isinstance(value, int | float | str)
        return value

    def choice(self, field: str, allowed: tuple[str, ...], default: str | object = _REQUIRED) -> str:
        value = self.text(field, default)
        if value not in allowed:
            raise self.error(field, f"must be one of {', '.join(allowed)}, not {value!r}")
        return value

    def texts(self, field: str, default: tuple[str, ...] | object = _REQUIRED) -> tuple[str, ...]:
        values = self._take(field, default, list, "a list of texts")
        assert isinstance(values, list | tuple)
        if not all(isinstance(value, str) for value in values):
            raise self.error(field, "must be a list of texts")
        return tuple(values)

    def values(self, field: str) -> dict[str, Value]:
        """Return a table of plain values, {} if it is missing."""
        return self._plain(field, self._take(field, {}, dict, "a table of values"))

    def drawn_tables(self, field: str) -> list[dict[str, Value | Sequence[Value]]]:
        """Return a list of tables of plain values, or of lists to draw one from; [] if it is missing.

        ``[2, 8]``, two whole numbers, stands for all from 2 to 8. Any other list stands for its items.
        """
        tables = self._take(field, [], list, "a list of tables of values")
        assert isinstance(tables, list)
        return [self._drawn(f"{field}[{place}]", values) for place, values in enumerate(tables, start=1)]

    def _drawn(self, field: str, values: object) -> dict[str, Value | Sequence[Value]]:
        if not isinstance(values, dict):
            raise self.error(field, f"must be a table of values, not {values!r}")
        plain = {name: value for name, value in values.items() if not isinstance(value, list)}
        drawn: dict[str, Value | Sequence[Value]] = dict(self._plain(field, plain))
        for name, choices in values.items():
            if not isinstance(choices, list):
                continue
            self._plain(field, {f"{name}[{place}]": value for place, value in enumerate(choices, start=1)})
            if len(choices) == 2 and all(type(value) is int for value in choices):
                choices = range(choices[0], choices[1] + 1)
            if len(choices) < 2:
                raise self.error(f"{field}.{name}", "must be two or more values to draw from")
            drawn[name] = choices
        return drawn

    def _plain(self, field: str, values: object) -> dict[str, Value]:
        if not isinstance(values, dict):
            raise self.error(field, f"must be a table of values, not {values!r}")
        for name, value in values.items():
            if not isinstance(value, int | float | str):
                raise self.error(f"{field}.{name}", f"must be a plain value, not {value!r}")
        return dict(values)

    def anything(self, field: str) -> object:
        """Return the field's value, None if it is missing."""
        return self._unread.pop(field, None)

    def table(self, field: str) -> Table | None:
        """Return the table ``[field]``, None if it is missing."""
        values = self._take(field, None, dict, f"a table, written [{field}]")
        if values is None:
            return None
        assert isinstance(values, dict)
        return Table(values, self._file, self._within(field))

    def tables(self, field: str) -> list[Table]:
        """Return the tables ``[[field]]``, [] if there are none."""
        items = self._take(field, [], list, f"tables, written [[{field}]]")
        assert isinstance(items, list)
        tables = []
        for place, item in enumerate(items, start=1):
            if not isinstance(item, dict):
                raise self.error(field, f"must be tables, written [[{field}]]")
            tables.append(Table(item, self._file, self._within(f"{field}[{place}]")))
        return tables

    def each(self, field: str, read: Callable[[Table], Item]) -> tuple[Item, ...]:
        """Read the tables ``[[field]]``, and reject what ``read`` leaves of each."""
        items = []
        for table in self.tables(field):
            items.append(read(table))
            table.close()
        return tuple(items)

    def close(self) -> None:
        """Raise CourseError if a field was not read; most likely it is misspelled."""
        for field in self._unread:
            raise self.error(field, "is not a field of this table")


def read(file: Path) -> Table:
    """Read the top-level table of a TOML file. Raises CourseError if it is missing or not TOML."""
    return _parsed(_text(file), file)


def read_head(file: Path) -> Table:
    """Read only the fields before the first table of a TOML file: much less to parse."""
    head = re.split(r"^\[", _text(file), maxsplit=1, flags=re.MULTILINE)[0]
    return _parsed(head, file)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise CourseError(f"{file}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise CourseError(f"{file}: is not UTF-8: {error}") from None


def _parsed(text: str, file: Path) -> Table:
    try:
        return Table(tomllib.loads(text), file)
    except tomllib.TOMLDecodeError as error:
        raise CourseError(f"{file}: is not valid TOML: {error}") from None
