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
from types import CodeType, FrameType
from typing import Any

from asyncdemo.capture.guard import CAPTURE_DIR, disguised
from asyncdemo.capture.instrument import Patches, in_place_of, on_return, where_it_yields


def is_own(filename: str) -> bool:
    return filename.startswith(CAPTURE_DIR)


# -- frames that pass for others -------------------------------------------------------------------


def disguise(function: Any, original: Any) -> None:
    """Make the frames of ``function`` look like ``original`` in the middle of its one ``f(*args)`` call.

    Both make exactly one such call, in which everything else happens. Changes only names and line numbers.
    """
    call = next((i for i in dis.get_instructions(original) if i.opname == "CALL_FUNCTION_EX"), None)
    if call is None or call.positions is None or call.positions.lineno is None:
        return
    code, shown = function.__code__, original.__code__
    positions = call.positions
    line, end_line = positions.lineno or 0, positions.end_lineno or 0
    columns = (positions.col_offset, positions.end_col_offset)
    function.__code__ = code.replace(
        co_name=shown.co_name,
        co_qualname=shown.co_qualname,
        co_filename=shown.co_filename,
        co_firstlineno=line,
        co_linetable=_all_at(code, end_line - line, columns),
    )
    disguised.add(function.__code__)


def _all_at(code: CodeType, lines: int, columns: tuple[int | None, int | None]) -> bytes:
    """Return a line table that puts every instruction on the first line.

    CPython's ``Objects/locations.md`` describes the format: entries of at most 8 code units.
    """
    table = bytearray()
    units = len(code.co_code) // 2
    start, end = columns
    while units > 0:
        size = min(units, 8)
        units -= size
        if start is None or end is None:
            table += bytes([0x80 | 13 << 3 | (size - 1), 0])
        else:
            table += bytes([0x80 | 14 << 3 | (size - 1), 0, *_varint(lines), *_varint(start + 1)])
            table += bytes(_varint(end + 1))
    return bytes(table)


def _varint(value: int) -> list[int]:
    groups = []
    while value >= 64:
        groups.append(0x40 | value & 63)
        value >>= 6
    return [*groups, value]


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
_cause_of, _context_of = _Error.__cause__.__get__, _Error.__context__.__get__
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
