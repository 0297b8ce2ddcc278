"""Who has not ended, and at which line: asked when a run is about to be stopped.

Runs in the watchdog's thread while the script goes on, so everything may change under its hands.
"""

from __future__ import annotations

import asyncio
import inspect
import linecache
import sys
import threading
from types import FrameType
from typing import Any

from asyncdemo.capture.hubs import HubLens
from asyncdemo.capture.loops import Loops
from asyncdemo.capture.reasons import chain, frame_of
from asyncdemo.capture.recorder import READY, RUNNING, WAITING, Origins, Recorder

MOST = 50
"""Who hangs hangs in few places; a hundred names more tell nothing."""

Stuck = tuple[str, str, int | None, str, int]
"""(name, function, site or None if it has not begun, text of its line, state)"""


def who_is_stuck(recorder: Recorder, loops: Loops) -> list[Stuck]:
    """Tasks first, in the order in which they were made, then threads that run no loop."""
    found: list[Stuck] = []
    hosts = set()
    frames = sys._current_frames()
    for lens in loops.lenses[:]:
        loop = lens.loop()
        if loop is None or not lens.running:
            continue
        if not isinstance(lens, HubLens):
            found += _stuck_tasks(recorder, loop, frames.get(lens.ident))
        elif lens.live:
            found += _stuck_greenlets(recorder, lens, frames.get(lens.ident))
        else:
            continue
        hosts.add(lens.ident)
    for ident in list(recorder.threads):
        caller = recorder.user_caller(frames.get(ident))
        if ident not in hosts and caller is not None:
            found.append(_stuck_thread(recorder, ident, caller, frames[ident]))
    return found[:MOST]


def _stuck_tasks(recorder: Recorder, loop: Any, running_frame: FrameType | None) -> list[Stuck]:
    current = asyncio.current_task(loop)
    pending = [task for task in asyncio.all_tasks(loop) if not task.done()]
    pending.sort(key=lambda task: recorder.tasks.get(id(task), -1))
    found = []
    for task in pending:
        coroutine: Any = task.get_coro()
        if task is current:
            frame, state = recorder.user_caller(running_frame), RUNNING
        elif inspect.iscoroutine(coroutine) and inspect.getcoroutinestate(coroutine) == inspect.CORO_CREATED:
            frame, state = None, READY
        else:
            frames = [frame_of(one) for one in chain(coroutine)]
            frame = _own(recorder.origins, [one for one in frames if one is not None])
            state = READY if getattr(task, "_fut_waiter", None) is None else WAITING
            if frame is None:
                continue  # none of the user's code is in it
        name, function = task.get_name(), getattr(coroutine, "__qualname__", "")
        found.append((name, function, *_place(recorder, frame), state))
    return found


def _stuck_greenlets(recorder: Recorder, hub: HubLens, running_frame: FrameType | None) -> list[Stuck]:
    found = []
    for one in list(hub.live.values()):
        greenlet = None if one.ref is None else one.ref()
        if one.track == hub.current:
            frame, state = running_frame, RUNNING
        elif one.track in {unstarted.track for unstarted in list(hub.unstarted.values())}:
            frame, state = None, READY
        else:
            frame, state = getattr(greenlet, "gr_frame", None), WAITING
        caller = recorder.user_caller(frame)
        function = "" if caller is None else caller.f_code.co_qualname
        found.append((one.name, function, *_place(recorder, caller), state))
    return found


def _stuck_thread(recorder: Recorder, ident: int, caller: FrameType, innermost: FrameType) -> Stuck:
    name = next((thread.name for thread in threading.enumerate() if thread.ident == ident), "")
    state = RUNNING if caller is innermost else WAITING
    return name, caller.f_code.co_qualname, *_place(recorder, caller), state


def _own(origins: Origins, stack: list[FrameType]) -> FrameType | None:
    """The innermost frame of the user's own code."""
    return next((frame for frame in reversed(stack) if origins.is_user(frame.f_code.co_filename)), None)


def _place(recorder: Recorder, frame: FrameType | None) -> tuple[int | None, str]:
    if frame is None:
        return None, ""
    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno or 0).strip()
    return recorder.frame_site(frame), line
