"""Identifies callables by reading attributes only of known types.

A script's own object may respond to any attribute with an exception or by running code (``__getattr__``, a
property), so none of its attributes are read: its type decides.
"""

from __future__ import annotations

import functools
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, MethodWrapperType
from typing import Any

_partial = functools.partial
NAMED = frozenset({BuiltinFunctionType, FunctionType, type})
"""Types whose instances have their own name."""
_BOUND = frozenset({BuiltinFunctionType, MethodType, MethodWrapperType})


def owner(function: Any) -> Any:
    """Return what a method is bound to; None for anything else."""
    return function.__self__ if type(function) in _BOUND else None


def innermost(callback: Any) -> Any:
    """Return the function behind a ``partial`` or a bound method; anything else is returned unchanged."""
    while True:
        kind = type(callback)
        if kind is _partial:
            callback = callback.func
        elif kind is MethodType:
            callback = callback.__func__
        else:
            return callback


def code(function: Any) -> CodeType | None:
    return function.__code__ if type(function) is FunctionType else None


def module(function: Any) -> str:
    """Return the name of the module that it is from, "" if that cannot be known."""
    kind = type(function)
    found: Any = None
    if kind is FunctionType:
        found = function.__module__
    elif kind in _BOUND:
        found = function.__module__ if kind is BuiltinFunctionType else None
        found = found or _module_of_type(type(function.__self__))
    else:
        found = _module_of_type(kind)
    return found if type(found) is str else ""


def _module_of_type(kind: type) -> object:
    return kind.__module__ if type(kind) is type else None
