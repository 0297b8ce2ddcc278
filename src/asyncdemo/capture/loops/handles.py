"""Leaves notes in the handles of asyncio's loops, and tells which callbacks are steps of tasks, or relays.

The only place for a note in a handle is where debug mode keeps a traceback. A note is falsy, like no
traceback, so that all of asyncio ignores it.
"""

from __future__ import annotations

import asyncio
import functools
import traceback
import weakref
from asyncio import events
from types import BuiltinFunctionType, FunctionType, MethodType, MethodWrapperType, ModuleType
from typing import Any

from asyncdemo.capture import callables

_Handle: Any = events.Handle
_SLOT = _Handle._source_traceback
TASK_TYPES: tuple[Any, ...] = tuple({asyncio.Task, asyncio.tasks._PyTask})  # type: ignore[attr-defined]
"""asyncio's own task types: one in C, one in Python."""
Traceback = traceback.StackSummary
_NOTE = "__asyncdemo__"
"""The attribute of a traceback that holds the note in debug mode."""


NOT_SCHEDULED = -1


class TaskState(weakref.ref[Any]):
    """The state of one task, and a weak reference to it: a strong one would keep it alive.

    The handle of a scheduled step carries it. A task has at most one step scheduled: ``ready_ns`` and
    ``waker`` are those of that step.
    """

    __slots__ = ("end_ns", "key", "methods", "name", "ready_ns", "reports_waits", "track", "waker")

    end_ns: int
    """When its last step ended; before the first one, when it was made."""
    key: int
    methods: Any
    """The class whose methods are called on it: one of asyncio's own, or one that behaves like them."""
    name: str
    """As it was reported."""
    ready_ns: int
    """Since when the scheduled step can run; 0: since the previous step ended; ``NOT_SCHEDULED``: there is
    none."""
    reports_waits: bool
    """Whether its long waits are reported."""
    track: int
    waker: int

    def __bool__(self) -> bool:
        return False


class Ready:
    """Since when a callback that is no task's step could run, and what made it ready.

    It is in the handle where debug mode keeps a traceback, and is falsy, like no traceback.
    """

    __slots__ = ("ready_ns", "waker")

    def __init__(self, ready_ns: int, waker: int) -> None:
        self.ready_ns = ready_ns
        self.waker = waker

    def __bool__(self) -> bool:
        return False


def is_handle(thing: object) -> bool:
    """Return whether it is asyncio's handle, or a subclass's that keeps its traceback in the same place."""
    kind: Any = type(thing)
    return issubclass(kind, _Handle) and kind._source_traceback is _SLOT


def note_of(handle: Any) -> TaskState | Ready | None:
    """Return the note in a handle for which ``is_handle`` is true."""
    note = handle._source_traceback
    if type(note) is Traceback:
        note = vars(note).get(_NOTE)
    return note if type(note) is TaskState or type(note) is Ready else None


def leave_note(handle: Any, note: TaskState | Ready) -> None:
    if type(handle._source_traceback) is Traceback:
        vars(handle._source_traceback)[_NOTE] = note
    elif not handle._source_traceback:
        handle._source_traceback = note


# -- which callbacks are steps, and of what ---------------------------------------------------------

_WAKEUP = "task_wakeup"
"""asyncio's name for the method of a task that a future calls when it is done."""
_PYTHON_STEPS = frozenset({"__step", "__wakeup", "_Task__step", "_Task__wakeup"})
"""The names of the step methods in task classes that are written in Python."""


class NoLoop:
    """Stands in for a loop, to make a future or a task without one."""

    def __init__(self) -> None:
        self.scheduled: list[Any] = []

    def get_debug(self) -> bool:
        return False

    def call_soon(self, callback: Any, context: Any = None) -> None:
        self.scheduled.append(callback)


async def _nothing() -> None:
    pass


def _step_type() -> type:
    """The type of the callback that asyncio's tasks schedule as their step, which has no public name."""
    coroutine, loop = _nothing(), NoLoop()
    # named, because the numbers of unnamed tasks are the script's
    task: Any = asyncio.Task(coroutine, loop=loop, name="step")  # type: ignore[arg-type]
    task._log_destroy_pending = False
    coroutine.close()
    return type(loop.scheduled[0])


STEP: Any = _step_type()


def stepped_task(callback: Any) -> Any:
    """Return the task whose step or wake-up the callback is; None for others, such as ``task.cancel``."""
    kind = type(callback)
    if kind is STEP:
        return callback.__self__
    if kind is BuiltinFunctionType:
        task = callback.__self__
        return task if issubclass(type(task), TASK_TYPES) and callback.__name__ == _WAKEUP else None
    if kind is MethodType:
        function = callback.__func__
        if type(function) is FunctionType and function.__name__ in _PYTHON_STEPS:
            return callback.__self__
    return None


# -- which callbacks only pass a result on: asyncio's own --------------------------------------------

_RELAY_PACKAGES = frozenset({"asyncio", "_asyncio", "concurrent", "uvloop"})
_MOST_CALLBACKS = 10_000
_relays: dict[int, tuple[object, bool]] = {}
"""id(code), or else id(type) -> that object, kept because ids are reused, and the answer."""


def is_relay(callback: Any) -> bool:
    function = callback
    kind: Any = type(function)
    if kind is MethodType:
        function = callback.__func__
        kind = type(function)
    if kind is FunctionType:
        key = function.__code__
    elif kind is BuiltinFunctionType and type(function.__self__) is not ModuleType:
        key = type(function.__self__)
    elif kind is functools.partial or kind is BuiltinFunctionType or kind is MethodWrapperType:
        return _is_of_relay_package(callables.innermost(function))
    else:
        key = kind
    known = _relays.get(id(key))
    if known is None:
        if len(_relays) > _MOST_CALLBACKS:
            _relays.clear()
        known = _relays[id(key)] = key, _is_of_relay_package(function)
    return known[1]


def _is_of_relay_package(function: Any) -> bool:
    return callables.module(function).partition(".")[0] in _RELAY_PACKAGES
