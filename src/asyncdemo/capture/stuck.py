"""Who has not ended, and at which line: asked when a run is about to be stopped.

Runs in the watchdog's thread while the script goes on, so everything may change under its hands.
"""

from __future__ import annotations

import asyncio
import linecache
import sys
import threading
from types import FrameType
from typing import Any

from asyncdemo.capture.loops import Loops
from asyncdemo.capture.reasons import chain, frame_of
from asyncdemo.capture.recorder import Origins, Recorder

MOST = 50
"""Who hangs hangs in few places; a hundred names more tell nothing."""

Stuck = tuple[str, str, int | None, str, bool]
"""(name, function, site, text of its line, does it execute?)"""


def who_is_stuck(recorder: Recorder, loops: Loops) -> list[Stuck]:
    """Tasks first, in the order in which they were made, then threads that run no loop."""
    found: list[Stuck] = []
    hosts = set()
    frames = sys._current_frames()
    for lens in loops.lenses[:]:
        loop = lens.loop()
        if loop is None or not lens.running:
            continue
        hosts.add(lens.ident)
        found += _stuck_tasks(recorder, loop, frames.get(lens.ident))
    for ident in list(recorder.threads):
        if ident not in hosts and ident in frames:
            found.append(_stuck_thread(recorder, ident, frames[ident]))
    return [one for one in found if one[2] is not None][:MOST]


def _stuck_tasks(recorder: Recorder, loop: Any, running_frame: FrameType | None) -> list[Stuck]:
    current = asyncio.current_task(loop)
    pending = [task for task in asyncio.all_tasks(loop) if not task.done()]
    pending.sort(key=lambda task: recorder.tasks.get(id(task), -1))
    found = []
    for task in pending:
        coroutine: Any = task.get_coro()
        if task is current:
            frame = recorder.user_caller(running_frame)
        else:
            frames = [frame_of(one) for one in chain(coroutine)]
            frame = _own(recorder.origins, [one for one in frames if one is not None])
        name, function = task.get_name(), getattr(coroutine, "__qualname__", "")
        found.append((name, function, *_place(recorder, frame), task is current))
    return found


def _stuck_thread(recorder: Recorder, ident: int, frame: FrameType) -> Stuck:
    name = next((thread.name for thread in threading.enumerate() if thread.ident == ident), "")
    caller = recorder.user_caller(frame)
    function = "" if caller is None else caller.f_code.co_qualname
    return name, function, *_place(recorder, caller), caller is frame


def _own(origins: Origins, stack: list[FrameType]) -> FrameType | None:
    """The innermost frame of the user's own code."""
    return next((frame for frame in reversed(stack) if origins.is_user(frame.f_code.co_filename)), None)


def _place(recorder: Recorder, frame: FrameType | None) -> tuple[int | None, str]:
    if frame is None:
        return None, ""
    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno or 0).strip()
    return recorder.frame_site(frame), line
