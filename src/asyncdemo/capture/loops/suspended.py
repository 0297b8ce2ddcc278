"""Suspended coroutines and generators: which one waits in which, their code, frames and variables.

Reads no attribute of an object of the script's own types.
"""

from __future__ import annotations

import asyncio
import gc
from types import AsyncGeneratorType, CodeType, CoroutineType, FrameType, GeneratorType
from typing import Any

ASYNCIO_DIR = asyncio.__file__.rpartition("__init__")[0]


_ATTRIBUTES = {
    CoroutineType: ("cr_await", "cr_code", "cr_frame"),
    GeneratorType: ("gi_yieldfrom", "gi_code", "gi_frame"),
    AsyncGeneratorType: ("ag_await", "ag_code", "ag_frame"),
}
_FOLLOWING, _CODE, _FRAME = range(3)


def _suspended(awaitable: Any) -> Any:
    """The coroutine or generator behind an awaitable; None if there is none."""
    kind = type(awaitable)
    if kind in _ATTRIBUTES:
        return awaitable
    if kind.__name__.startswith("async_generator_"):  # asend and athrow do not show their generator
        return next((r for r in gc.get_referents(awaitable) if type(r) is AsyncGeneratorType), None)
    if kind.__name__ == "coroutine_wrapper":  # returned by a coroutine's __await__
        return next((r for r in gc.get_referents(awaitable) if type(r) is CoroutineType), None)
    return None


def coroutines(coroutine: Any) -> list[Any]:
    """The coroutines suspended in one another, outermost first; empty if anything else is among them."""
    found = []
    current = coroutine
    while type(current) is CoroutineType:
        found.append(current)
        current = current.cr_await
    return found if _suspended(current) is None else []


def beyond_asyncio(coroutine: Any) -> list[Any]:
    """The suspended coroutines, innermost first, without asyncio's own at the inner end."""
    suspended = list(reversed(chain(coroutine)))
    for place, one in enumerate(suspended):
        code = code_of(one)
        if code is None or not code.co_filename.startswith(ASYNCIO_DIR):
            return suspended[place:]
    return []


def is_compiled(kind: type) -> bool:
    """Return whether this is the type of Cython's coroutines, which have the attributes of Python's."""
    # Their `__await__` returns a `coroutine_wrapper` of the same module, without any of these.
    return type(kind) is type and kind.__name__ == "coroutine" and kind.__module__.startswith("_cython")


def code_of(suspended: Any) -> CodeType | None:
    code = _read(suspended, _CODE)
    return code if type(code) is CodeType else None


def frame_of(suspended: Any) -> FrameType | None:
    frame = _read(suspended, _FRAME)
    return frame if type(frame) is FrameType else None


def _read(suspended: Any, attribute: int) -> Any:
    names = _ATTRIBUTES.get(type(suspended))
    if names is None:
        if not is_compiled(type(suspended)):
            return None
        names = _ATTRIBUTES[CoroutineType]
    return getattr(suspended, names[attribute], None)


def local_of(suspended: Any, name: str) -> object:
    frame = frame_of(suspended)
    return None if frame is None else frame.f_locals.get(name)


def chain(coroutine: Any) -> list[Any]:
    """Return the coroutines and generators suspended in one another, outermost first."""
    found: list[Any] = []
    current = _suspended(coroutine)
    while current is not None:
        found.append(current)
        current = _suspended(_read(current, _FOLLOWING))
    return found
