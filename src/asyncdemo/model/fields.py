"""Convert frozen dataclasses to plain values for JSON and TOML, and back, by the types of their fields.

Handles only what recorded runs and the lab's files are made of: numbers, strings, booleans, enums,
dataclasses, tuples, mappings, and None. Not a general serializer.
"""

from __future__ import annotations

import functools
import math
import reprlib
import typing
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Final, TypeVar, cast

_T = TypeVar("_T")
_LARGEST: Final = 2**63 - 1
"""Times are kept in 64 bits."""
_short: Final = reprlib.Repr()
"""For messages: a wrong value can be nested as deeply, or be as long, as its file allows."""
_short.maxlevel, _short.maxlist, _short.maxdict = 3, 20, 20
_short.maxstring = _short.maxlong = 80
_WORDS: Final = {str: "text", bool: "true or false", float: "a number"}


class FieldError(ValueError):
    """An invalid field. The message completes the sentence "Line 7: ..."."""


def write(value: Any, leave_out: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Return the fields of a dataclass that differ from their defaults, as plain values."""
    kind: Any = type(value)
    return {
        name: _plain(getattr(value, name))
        for name, default, _ in _fields(kind)
        if name not in leave_out and getattr(value, name) != default
    }


def read(kind: type[_T], record: object, name: str = "", *, strict: bool = False, **given: Any) -> _T:
    """Make a dataclass from its plain values.

    Args:
        kind: The dataclass.
        record: Field -> plain value.
        name: Its name in messages, in front of the names of its fields.
        strict: Whether a field that the dataclass does not have is an error.
        given: Values of fields that come from elsewhere.

    Raises:
        FieldError: If a field is missing or invalid.
    """
    if not isinstance(record, Mapping):
        raise _wrong(name, "an object", record)
    inner = f"{name}." if name else ""
    values, known = dict(given), _fields(cast("Any", kind))
    names = [field for field, _, _ in known]
    if strict and (unknown := [field for field in record if field not in names]):
        raise FieldError(f'"{inner}{unknown[0]}" is not known; it may be one of {", ".join(names)}')
    for field, default, annotation in known:
        if field in given:
            continue
        if field in record:
            values[field] = _value(f"{inner}{field}", record[field], annotation, strict)
        elif default is MISSING:
            raise FieldError(f'"{inner}{field}" is missing')
    try:
        return kind(**values)
    except ValueError as error:
        raise FieldError(f'"{name}": {error}' if name else str(error)) from error


def time(name: str, value: object) -> int:
    """Return the value. Raise FieldError if it is not a 64-bit integer."""
    if type(value) is not int or not -_LARGEST <= value <= _LARGEST:
        raise _wrong(name, "an integer", value)
    return value


@functools.cache
def _fields(kind: Any) -> tuple[tuple[str, Any, Any], ...]:
    """Return (name, default or MISSING, type) for each field."""
    hints = typing.get_type_hints(kind)
    return tuple(
        (
            field.name,
            field.default if field.default_factory is MISSING else field.default_factory(),
            hints[field.name],
        )
        for field in fields(kind)
    )


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value):
        return write(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {_plain(key): _plain(item) for key, item in value.items()}
    return value


def _value(name: str, value: Any, kind: Any, strict: bool) -> Any:
    if kind is int:
        return time(name, value)
    if kind in _WORDS:
        return _scalar(name, value, kind)
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is UnionType:
        return _one_of(name, value, inner, strict)
    if origin is tuple:
        return _tuple(name, value, inner, strict)
    if origin is not None:
        if not isinstance(value, Mapping):
            raise _wrong(name, "an object", value)
        return {
            _value(name, key, inner[0], strict): _value(f"{name}.{key}", item, inner[1], strict)
            for key, item in value.items()
        }
    if issubclass(kind, Enum):
        try:
            return kind(value)
        except ValueError:
            known = ", ".join(str(member.value) for member in kind)
            raise _wrong(name, f"one of {known}", value) from None
    return read(kind, value, name, strict=strict)


def _scalar(name: str, value: Any, kind: Any) -> Any:
    if kind is float and type(value) is int and abs(value) <= _LARGEST:
        value = float(value)
    if type(value) is not kind or (kind is float and not math.isfinite(value)):
        raise _wrong(name, _WORDS[kind], value)
    return value


def _one_of(name: str, value: Any, members: tuple[Any, ...], strict: bool) -> Any:
    """If there are several members besides None, each is a scalar."""
    if value is None and NoneType in members:
        return None
    kinds = [member for member in members if member is not NoneType]
    if len(kinds) == 1:
        return _value(name, value, kinds[0], strict)
    if type(value) not in kinds:
        raise _wrong(name, "a number, text or truth value", value)
    return value


def _tuple(name: str, value: Any, members: tuple[Any, ...], strict: bool) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise _wrong(name, "a list", value)
    if members[-1] is Ellipsis:
        return tuple(_value(f"{name}[{at}]", item, members[0], strict) for at, item in enumerate(value))
    if len(value) != len(members):
        raise _wrong(name, f"a list of {len(members)}", value)
    return tuple(
        _value(f"{name}[{at}]", item, member, strict)
        for at, (item, member) in enumerate(zip(value, members, strict=True))
    )


def _wrong(name: str, wanted: str, value: object) -> FieldError:
    shown = _short.repr(value)
    shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
    return FieldError(f'"{name}" should be {wanted}, not {shown}' if name else f"should be {wanted}")
