"""Frozen dataclasses as JSON objects and back, by the types of their fields.

Knows only what the model is made of: numbers, strings, enums, dataclasses, tuples, a dictionary
of knobs, and None. Not a general serializer.
"""

from __future__ import annotations

import functools
import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from typing import Any

_LARGEST = 2**63 - 1
"""Times are kept in 64 bits."""


class FieldError(ValueError):
    """The text completes the sentence "Line 7: ..."."""


def write(value: Any, leave_out: frozenset[str] = frozenset()) -> dict[str, Any]:
    """The fields of a dataclass that are not at their default."""
    kind: Any = type(value)
    return {
        name: _plain(getattr(value, name))
        for name, default, _ in _fields(kind)
        if name not in leave_out and getattr(value, name) != default
    }


def read(kind: Any, record: Mapping[str, Any], **given: Any) -> Any:
    """A dataclass from its JSON object; ``given`` are fields that come from elsewhere.

    Raises FieldError if a field is missing or is not what it should be.
    """
    values = dict(given)
    for name, default, annotation in _fields(kind):
        if name in given:
            continue
        if name in record:
            values[name] = _value(name, record[name], annotation)
        elif default is MISSING:
            raise FieldError(f'"{name}" is missing')
    return kind(**values)


def time(name: str, value: object) -> int:
    """Raises FieldError if the value is no integer of 64 bits."""
    if type(value) is not int or not -_LARGEST <= value <= _LARGEST:
        raise FieldError(f'"{name}" should be an integer')
    return value


@functools.cache
def _fields(kind: Any) -> tuple[tuple[str, Any, Any], ...]:
    """(name, default or MISSING, type) of each field."""
    hints = typing.get_type_hints(kind)
    return tuple((field.name, _default(field), hints[field.name]) for field in fields(kind))


def _default(field: Field[Any]) -> Any:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return field.default


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value):
        return write(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


def _value(name: str, value: Any, annotation: Any) -> Any:
    if annotation is int:
        return time(name, value)
    if annotation is str or annotation is bool:
        if type(value) is not annotation:
            raise FieldError(f'"{name}" should be {"text" if annotation is str else "true or false"}')
        return value
    origin = typing.get_origin(annotation)
    if origin is types.UnionType:
        return _optional(name, value, typing.get_args(annotation))
    if origin is tuple:
        return _tuple(name, value, typing.get_args(annotation))
    if origin is dict:
        return _knobs(name, value)
    if issubclass(annotation, Enum):
        return _enum(name, value, annotation)
    if not isinstance(value, dict):
        raise FieldError(f'"{name}" should be an object')
    return read(annotation, value)


def _optional(name: str, value: Any, members: tuple[Any, ...]) -> Any:
    (member,) = (one for one in members if one is not types.NoneType)
    return None if value is None else _value(name, value, member)


def _tuple(name: str, value: Any, members: tuple[Any, ...]) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise FieldError(f'"{name}" should be a list')
    if members[-1] is Ellipsis:
        return tuple(_value(name, item, members[0]) for item in value)
    if len(value) != len(members):
        raise FieldError(f'"{name}" should hold lists of {len(members)}')
    return tuple(_value(name, item, member) for item, member in zip(value, members, strict=True))


def _enum(name: str, value: Any, kind: type[Enum]) -> Enum:
    try:
        return kind(value)
    except ValueError:
        known = ", ".join(str(member.value) for member in kind)
        raise FieldError(f'"{name}" should be one of {known}') from None


def _knobs(name: str, value: Any) -> dict[str, int | float | str | bool]:
    if not isinstance(value, dict) or not all(isinstance(knob, int | float | str) for knob in value.values()):
        raise FieldError(f'"{name}" should be an object of numbers, texts and truth values')
    return value
