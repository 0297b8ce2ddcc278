"""Who has not ended, at which line, and what for: asked when a run is about to be stopped, or stands still.

Runs in the watchdog's thread while the script goes on, so everything may change under its hands. Reads
attributes of asyncio's and threading's own types only. What each of them waited for is known to the parent
already (``recorder.wait``); told here is what is too dear to record at each wait.
"""

from __future__ import annotations

import asyncio
import inspect
import linecache
import queue
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from types import FrameType
from typing import Any, NamedTuple

from asyncdemo.capture import wire
from asyncdemo.capture.loops.hubs import HubState
from asyncdemo.capture.loops.state import Loops, LoopState
from asyncdemo.capture.loops.wait_reasons import ASYNCIO_DIR, chain, code_of, frame_of
from asyncdemo.capture.recorder import READY, RUNNING, WAITING, Origins, Recorder

MOST = 200
"""Who hangs hangs in few places; hundreds of names more tell nothing."""

_OWN_FILES = 1
"""Of a loop: that by which other threads wake it."""
_QUEUE_FILE = queue.__file__


class Stuck(NamedTuple):
    """site: None if it has not begun. source: the text of that line.

    wait: index of the blocking call that its step is inside of. resource, on: what it waits at, and the
    tracks it waits for, if that is seen here. unfinished: in ``queue.join``, the items that are not done.
    """

    name: str
    function: str
    site: int | None
    source: str
    state: int
    track: int | None = None
    wait: int | None = None
    reason: str = ""
    resource: int | None = None
    on: tuple[int, ...] = ()
    unfinished: int | None = None


class Census:
    """Counts those who have not ended, and tells the parent."""

    def __init__(self, recorder: Recorder, loops: Loops, resource_of: Callable[[object], int | None]) -> None:
        self._recorder = recorder
        self._loops = loops
        self._resource_of = resource_of

    def tell(self) -> list[Stuck]:
        found = self.take()
        recorder = self._recorder
        recorder.define(wire.Stuck(found, all(map(_is_idle, self._loops.loop_states[:]))))
        recorder.tell_sums()
        recorder.record((wire.STUCK, recorder.now(), 0, 0, 0, 0))
        return found

    def take(self) -> list[Stuck]:
        """Tasks first, in the order in which they were made, then threads that run no loop."""
        recorder = self._recorder
        found: list[Stuck] = []
        hosts = set()
        frames = sys._current_frames()
        for loop_state in self._loops.loop_states[:]:
            loop = loop_state.loop()
            if loop is None or not loop_state.running:
                continue
            if not isinstance(loop_state, HubState):
                found += self._tasks(loop, loop_state, frames.get(loop_state.ident))
            elif loop_state.live:
                found += self._greenlets(loop_state, frames.get(loop_state.ident))
            else:
                continue
            hosts.add(loop_state.ident)
        for ident in list(recorder.threads):
            caller = recorder.user_caller(frames.get(ident))
            if ident not in hosts and caller is not None:
                found.append(self._thread(ident, caller, frames[ident]))
        return found[:MOST]

    def _tasks(self, loop: Any, loop_state: LoopState, running_frame: FrameType | None) -> list[Stuck]:
        recorder = self._recorder
        current = asyncio.current_task(loop)
        pending = [task for task in asyncio.all_tasks(loop) if not task.done()]
        pending.sort(key=lambda task: recorder.tasks.get(id(task), -1))
        found = []
        for task in pending:
            coroutine: Any = task.get_coro()
            cause, reason, waited_for = None, "", _WaitedFor()
            if task is current:
                frame, state = recorder.user_caller(running_frame), RUNNING
                call = loop_state.call
                if call is not None:
                    reason, _, cause = call
            elif _has_not_begun(coroutine):
                frame, state = None, READY
            else:
                frames = [frame_of(one) for one in chain(coroutine)]
                frame = _own(recorder.origins, [one for one in frames if one is not None])
                future = getattr(task, "_fut_waiter", None)
                state = READY if future is None else WAITING
                if frame is None:
                    continue  # none of the user's code is in it
                if future is not None:
                    waited_for = self._waited_for(coroutine, future)
            found.append(
                Stuck(
                    task.get_name(),
                    getattr(coroutine, "__qualname__", ""),
                    *self._place(frame),
                    state,
                    recorder.tasks.get(id(task)),
                    None if cause is None else recorder.wait(*cause),
                    reason,
                    waited_for.resource,
                    waited_for.on,
                    waited_for.unfinished,
                )
            )
        return found

    def _waited_for(self, coroutine: Any, future: Any) -> _WaitedFor:
        """What asyncio's own coroutines that are suspended innermost, or the bare future, are about."""
        for suspended in reversed(chain(coroutine)):
            code, frame = code_of(suspended), frame_of(suspended)
            if code is None or frame is None or not code.co_filename.startswith(ASYNCIO_DIR):
                break
            found = self._told_by(code.co_qualname, frame.f_locals)
            if found is not None:
                return found
        if type(future).__name__ == "_GatheringFuture":
            return _WaitedFor(on=self._tracks(future._children))
        return _WaitedFor(on=self._tracks([future]))

    def _told_by(self, function: str, names: Mapping[str, Any]) -> _WaitedFor | None:
        owner = names.get("self")
        if function in ("TaskGroup.__aexit__", "TaskGroup._aexit"):
            return _WaitedFor(on=self._tracks(names["self"]._tasks))
        if function == "_wait":
            return _WaitedFor(on=self._tracks(names["fs"]))
        if function == "wait_for":
            return _WaitedFor(on=self._tracks([names["fut"]]))
        if function.endswith("_wait_for_one"):
            return _WaitedFor(on=self._tracks(names.get("todo", getattr(owner, "_todo", ()))))
        if function == "Queue.join":
            return _WaitedFor(self._resource_of(owner), unfinished=names["self"]._unfinished_tasks)
        resource = self._resource_of(owner)
        return None if resource is None else _WaitedFor(resource)

    def _tracks(self, futures: Iterable[Any]) -> tuple[int, ...]:
        """Of those that are tasks which have not ended."""
        tasks = self._recorder.tasks
        found = [tasks.get(id(one)) for one in list(futures)]
        return tuple(sorted(track for track in found if track is not None))[:MOST]

    def _greenlets(self, hub: HubState, running_frame: FrameType | None) -> list[Stuck]:
        recorder = self._recorder
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
            found.append(Stuck(one.name, function, *self._place(caller), state, one.track))
        return found

    def _thread(self, ident: int, caller: FrameType, innermost: FrameType) -> Stuck:
        name = next((thread.name for thread in threading.enumerate() if thread.ident == ident), "")
        state = RUNNING if caller is innermost else WAITING
        loop_state = self._recorder.threads.get(ident)
        return Stuck(
            name,
            caller.f_code.co_qualname,
            *self._place(caller),
            state,
            None if loop_state is None else loop_state.track,
            unfinished=_unfinished(innermost, caller),
        )

    def _place(self, frame: FrameType | None) -> tuple[int | None, str]:
        if frame is None:
            return None, ""
        line = linecache.getline(frame.f_code.co_filename, frame.f_lineno or 0).strip()
        return self._recorder.frame_site(frame), line


def _is_idle(loop_state: LoopState) -> bool:
    """Is there nothing that could yet happen to the loop by itself: no timer, no file but its own?"""
    loop: Any = loop_state.loop()
    if loop is None or not loop_state.running:
        return True
    timers, selector = getattr(loop, "_scheduled", None), getattr(loop, "_selector", None)
    if timers is None or selector is None:  # another kind of loop, which does not tell
        return False
    files = selector.get_map() or {}
    return len(files) <= _OWN_FILES and all(timer._cancelled for timer in list(timers))


def _has_not_begun(coroutine: Any) -> bool:
    return inspect.iscoroutine(coroutine) and inspect.getcoroutinestate(coroutine) == inspect.CORO_CREATED


class _WaitedFor(NamedTuple):
    resource: int | None = None
    on: tuple[int, ...] = ()
    unfinished: int | None = None


def _unfinished(innermost: FrameType | None, caller: FrameType) -> int | None:
    """If the thread is in ``queue.Queue.join``: how many items of it are not done."""
    frame = innermost
    while frame is not None and frame is not caller:
        code = frame.f_code
        if code.co_filename == _QUEUE_FILE and code.co_name == "join":
            count: int = frame.f_locals["self"].unfinished_tasks
            return count
        frame = frame.f_back
    return None


def _own(origins: Origins, stack: list[FrameType]) -> FrameType | None:
    """The innermost frame of the user's own code."""
    return next((frame for frame in reversed(stack) if origins.is_user(frame.f_code.co_filename)), None)
