"""What may yet end a wait, apart from tasks and threads: timeouts, timers and files of loops, and signals.

Like ``stuck``, this is read while the script goes on, and only from asyncio's and threading's own types.
"""

from __future__ import annotations

import asyncio
import functools
import queue
import signal
import subprocess
import threading
from concurrent import futures
from types import BuiltinMethodType, FrameType, FunctionType, MethodType
from typing import Any

from asyncdemo.capture.blocking import locks
from asyncdemo.capture.guard import CAPTURE_DIR
from asyncdemo.capture.loops.handles import TASK_TYPES
from asyncdemo.capture.loops.state import LoopState
from asyncdemo.capture.loops.suspended import ASYNCIO_DIR

_OWN_FILES = 1
"""The file by which other threads wake a loop."""
_WITH_TIMEOUTS = {threading.__file__, queue.__file__, subprocess.__file__, futures._base.__file__}
"""Files whose functions that wait have an argument ``timeout``."""
_WAKES_SLEEPER: Any = asyncio.futures._set_result_unless_cancelled  # type: ignore[attr-defined]
_ENDS_WAIT: Any = asyncio.tasks._release_waiter  # type: ignore[attr-defined]
_METHOD_TYPES = (MethodType, BuiltinMethodType)


def is_idle(loop_state: LoopState) -> bool:
    """Whether nothing can happen to the loop by itself: it has no timer, and no file but its own."""
    loop: Any = loop_state.loop()
    if loop is None or not loop_state.running:
        return True
    timers, selector = getattr(loop, "_scheduled", None), getattr(loop, "_selector", None)
    if timers is None or selector is None:  # another kind of loop, which does not tell
        return False
    files = selector.get_map() or {}
    return len(files) <= _OWN_FILES and all(timer._cancelled for timer in list(timers))


def timers(loop_state: LoopState) -> tuple[dict[int, float], bool]:
    """Return (id of a task or future -> after how many seconds its wait ends, whether other timers are set).

    A timer that only wakes a sleeping task counts as neither.
    """
    loop: Any = loop_state.loop()
    if loop is None or not loop_state.running:
        return {}, False
    timers = getattr(loop, "_scheduled", None)
    if timers is None:  # another kind of loop, which does not tell
        return {}, True
    limits: dict[int, float] = {}
    others = False
    for timer in [timer for timer in list(timers) if not timer._cancelled]:
        callback, arguments = timer._callback, timer._args
        owner = callback.__self__ if type(callback) in _METHOD_TYPES else None
        if type(owner) is asyncio.Timeout:
            ended: Any = owner._task  # type: ignore[attr-defined]
        elif type(owner) in TASK_TYPES:  # its ``cancel``
            ended = owner
        elif callback is _ENDS_WAIT and arguments:
            ended = arguments[0]
        else:
            others = others or callback is not _WAKES_SLEEPER
            continue
        left_s = max(0.0, round(timer._when - asyncio.BaseEventLoop.time(loop), 1))
        limits[id(ended)] = min(left_s, limits.get(id(ended), left_s))
    return limits, others


def handles_signals() -> bool:
    return any(_is_of_script(signal.getsignal(number)) for number in signal.valid_signals())


def _is_of_script(handler: Any) -> bool:
    """Whether it is a signal handler that neither Python, ``asyncio.run`` nor the tracer set."""
    if handler is signal.default_int_handler or not callable(handler):
        return False
    if type(handler) is functools.partial:
        handler = handler.func
    if type(handler) is MethodType:
        handler = handler.__func__
    code = handler.__code__ if type(handler) is FunctionType else None
    if code is None:
        return True
    of_runner = code.co_name == "_on_sigint" and code.co_filename.startswith(ASYNCIO_DIR)
    return not (of_runner or code.co_filename.startswith(CAPTURE_DIR))


def alarm_is_set() -> bool:
    if not hasattr(signal, "getitimer"):  # in a page
        return False
    return signal.getitimer(signal.ITIMER_REAL)[0] > 0 and callable(signal.getsignal(signal.SIGALRM))


def timeout(frame: FrameType | None) -> float | None:
    """The timeout of the call of the standard library that the thread waits in, if it has one."""
    call = None
    while frame is not None and frame.f_code.co_filename in _WITH_TIMEOUTS | {locks.__file__}:
        call, frame = frame, frame.f_back
    if call is None:
        return None
    limit: Any = call.f_locals.get("timeout")
    if call.f_code.co_filename == locks.__file__:
        limit = locks.timeout_of(call.f_locals.get("arguments", ()), call.f_locals.get("options", {}))
    return float(limit) if type(limit) in (int, float) and limit >= 0 else None
