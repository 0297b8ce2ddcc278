"""Keeps the tracer's own frames out of the stacks that the script sees: tracebacks, tasks' stacks, origins.

A hook leaves no frame, a replaced Python function passes for the original (``disguise``), and stand-ins for C
functions are left out wherever the standard library lists frames. Only ``sys._getframe`` beyond the script's
own frames, and with it ``inspect.stack``, still shows them.
"""

from __future__ import annotations

import asyncio.base_tasks
import dis
import traceback
import warnings
from types import FrameType
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.capture.guard import CAPTURE_DIR, disguised
from asyncdemo.capture.instrument import Patches, in_place_of, on_return, where_it_yields
from asyncdemo.capture.recorder import Recorder


def is_own(filename: str) -> bool:
    return filename.startswith(CAPTURE_DIR)


# -- frames that pass for others -------------------------------------------------------------------


def disguise(function: Any, original: Any) -> None:
    """Make the frames of ``function`` look like ``original`` in the middle of its one ``f(*args)`` call.

    Both make exactly one such call, in which everything else happens. Changes only names and line numbers.
    """
    call = next((i for i in dis.get_instructions(original) if i.opname == "CALL_FUNCTION_EX"), None)
    if call is None or call.positions is None:
        return
    line, end_line, start, end = call.positions
    if line is None:
        return
    code, shown = function.__code__, original.__code__
    # CPython's `Objects/locations.md`: entries of at most 8 code units, all of them at the place of the call
    kind, place = 13, [0]
    if end_line is not None and start is not None and end is not None:
        kind, place = 14, [0, *_varint(end_line - line), *_varint(start + 1), *_varint(end + 1)]
    units = len(code.co_code) // 2
    sizes = [min(units - first, 8) for first in range(0, units, 8)]
    function.__code__ = code.replace(
        co_name=shown.co_name,
        co_qualname=shown.co_qualname,
        co_filename=shown.co_filename,
        co_firstlineno=line,
        co_linetable=b"".join(bytes([0x80 | kind << 3 | size - 1, *place]) for size in sizes),
    )
    disguised.add(function.__code__)


def _varint(value: int) -> list[int]:
    return [value] if value < 64 else [0x40 | value & 63, *_varint(value >> 6)]


# -- frames that are left out ----------------------------------------------------------------------


def install(patches: Patches) -> None:
    for name in ("walk_tb", "walk_stack", "_walk_tb_with_full_positions"):
        patches.rewrite(traceback, name, _is_shown, where_it_yields)
    patches.rewrite(asyncio.base_tasks, "_task_get_stack", _stack_of_task, on_return)
    patches.rewrite(warnings, "_warn_unawaited_coroutine", _origin, in_place_of("cr_origin"))


def _is_shown(item: tuple[FrameType, object]) -> bool:
    return not is_own(item[0].f_code.co_filename)


def _stack_of_task(task: object, frames: list[FrameType]) -> list[FrameType]:
    return [frame for frame in frames if not is_own(frame.f_code.co_filename)]


def _origin(coroutine: Any) -> Any:
    origin = coroutine.cr_origin
    return None if origin is None else tuple(place for place in origin if not is_own(place[0]))


def hide_own_frames(error: BaseException) -> None:
    """Remove the tracer's frames from the tracebacks of an exception, its causes and its contexts."""
    seen: set[int] = set()
    pending: list[BaseException | None] = [error]
    while pending:
        current = pending.pop()
        if current is None or id(current) in seen:
            continue
        seen.add(id(current))
        # through the type, so that no code of the script's own exceptions runs
        _set_traceback(current, _without_own(_traceback_of(current)))
        pending += [_cause_of(current), _context_of(current)]
        if issubclass(type(current), BaseExceptionGroup):
            pending += _members_of(current)


_Error: Any = BaseException
_traceback_of, _set_traceback = _Error.__traceback__.__get__, _Error.__traceback__.__set__
_args_of, _cause_of, _context_of = _Error.args.__get__, _Error.__cause__.__get__, _Error.__context__.__get__
_Group: Any = BaseExceptionGroup
_members_of = _Group.exceptions.__get__


def _without_own(chain: Any) -> Any:
    while chain is not None and is_own(chain.tb_frame.f_code.co_filename):
        chain = chain.tb_next
    link = chain
    while link is not None:
        while link.tb_next is not None and is_own(link.tb_next.tb_frame.f_code.co_filename):
            link.tb_next = link.tb_next.tb_next
        link = link.tb_next
    return chain


BOOT_FILE = f"{CAPTURE_DIR}boot/importlib_bootstrap.py"


def leave_out_of_warnings(*functions: Any) -> None:
    """Let Python skip the frames of these functions where it looks for the line that a warning is about.

    It skips those of files that have both ``importlib`` and ``_bootstrap`` in their name, as the first file
    of ours has.
    """
    for function in functions:
        function.__code__ = function.__code__.replace(co_filename=BOOT_FILE)


# -- the error that ended the script ----------------------------------------------------------------

_MOST_LETTERS = 300


def uncaught(error: BaseException, recorder: Recorder) -> wire.Uncaught:
    """Describe the error, or the first one in a group. Its text is left out if it is not a string."""
    in_group = issubclass(type(error), BaseExceptionGroup)
    while issubclass(type(error), BaseExceptionGroup):
        error = _members_of(error)[0]
    raised_in, line, entry = "", None, _traceback_of(error)
    while entry is not None:
        frame: FrameType = entry.tb_frame
        code = frame.f_code
        if not is_own(code.co_filename):
            raised_in = code.co_qualname
            if not recorder.origins.is_stdlib(code.co_filename):
                line = (code.co_filename, entry.tb_lineno or code.co_firstlineno, code.co_qualname)
        entry = entry.tb_next
    arguments = _args_of(error)
    text = arguments[0][:_MOST_LETTERS] if len(arguments) == 1 and type(arguments[0]) is str else ""
    site = None if line is None else recorder.site(*line)
    kind = type(error)
    return wire.Uncaught(kind.__name__, text, in_group, kind.__module__ == "__main__", raised_in, site)
