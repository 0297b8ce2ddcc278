"""Frozen dataclasses from plain data and back, by their annotations; what does not fit is named with its
place.

The lab's files are read by it: published figures (TOML) and records (JSON). It knows what these need:
texts, numbers, truth values, ``StrEnum``, ``X | None``, ``tuple[X, ...]``, ``Mapping[str, X]`` and other
dataclasses.
Not for: files, or what the values mean (``__post_init__`` of the dataclass raises ValueError).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

from asyncdemo.errors import LabFileError

_T = TypeVar("_T")
_WORDS: Final = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


def from_plain(kind: type[_T], value: object, where: str) -> _T:
    """where: how a message names the value. Raises LabFileError."""
    made: _T = _read(kind, value, where)
    return made


def to_plain(value: object) -> Any:
    """What ``json`` can write. A field at its default is left out."""
    if is_dataclass(value) and not isinstance(value, type):
        shown = ((field, getattr(value, field.name)) for field in fields(value))
        return {field.name: to_plain(own) for field, own in shown if not _is_default(field, own)}
    if isinstance(value, Mapping):
        return {str(key): to_plain(own) for key, own in value.items()}
    if isinstance(value, tuple):
        return [to_plain(own) for own in value]
    return value.value if isinstance(value, StrEnum) else value


def _read(kind: Any, value: object, where: str) -> Any:
    origin, inner = get_origin(kind), get_args(kind)
    if origin in {Union, UnionType}:
        if value is None:
            return None
        return _read(next(part for part in inner if part is not NoneType), value, where)
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise LabFileError(f"{where} must be a list, and is {_shown(value)}")
        return tuple(_read(inner[0], own, f"{where}[{place}]") for place, own in enumerate(value))
    if origin is not None and issubclass(origin, Mapping):
        return {key: _read(inner[1], own, f"{where}.{key}") for key, own in _table(value, where).items()}
    if is_dataclass(kind):
        return _read_dataclass(kind, _table(value, where), where)
    return _read_scalar(kind, value, where)


def _read_dataclass(kind: Any, given: Mapping[str, object], where: str) -> object:
    hints, known = _hints(kind), {field.name: field for field in fields(kind)}
    for name in given:
        if name not in known:
            raise LabFileError(f"{where}.{name} is not known; it may be one of {', '.join(known)}")
    for name, field in known.items():
        if name not in given and field.default is MISSING and field.default_factory is MISSING:
            raise LabFileError(f"{where}.{name} is missing")
    try:
        return kind(**{name: _read(hints[name], own, f"{where}.{name}") for name, own in given.items()})
    except ValueError as error:
        raise LabFileError(f"{where}: {error}") from error


def _read_scalar(kind: Any, value: object, where: str) -> object:
    if issubclass(kind, StrEnum):
        try:
            return kind(value)
        except ValueError:
            words = ", ".join(member.value for member in kind)
            raise LabFileError(f"{where} is {_shown(value)}; it may be one of {words}") from None
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if type(value) is not kind:
        raise LabFileError(f"{where} must be {_WORDS[kind]}, and is {_shown(value)}")
    if isinstance(value, float) and not math.isfinite(value):
        raise LabFileError(f"{where} must be finite, and is {value}")
    return value


def _table(value: object, where: str) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise LabFileError(f"{where} must have named fields, and is {_shown(value)}")
    return value


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _is_default(field: Field[Any], value: object) -> bool:
    if field.default is not MISSING:
        return bool(value == field.default)
    return field.default_factory is not MISSING and bool(value == field.default_factory())


@cache
def _hints(kind: Any) -> Mapping[str, Any]:
    return get_type_hints(kind)
