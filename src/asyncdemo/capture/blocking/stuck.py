"""Reports what has not ended, at which line, and why, when a run is about to be stopped or stands still.

This runs in the watchdog's thread while the script runs, so anything may change meanwhile, and the script
waits for the GIL: the work is bounded. No code of the script is called: attributes are read only of asyncio's
and threading's own types, and what other objects refer to is asked of ``gc``. The parent already knows what
each task and thread waited for (``recorder.wait``); reported here is what is too expensive to record at each
wait.
"""

from __future__ import annotations

import asyncio
import gc
import inspect
import linecache
import os
import queue
import stat
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any, NamedTuple

from asyncdemo.capture import wire
from asyncdemo.capture.blocking import wake_sources
from asyncdemo.capture.loops.handles import TASK_TYPES
from asyncdemo.capture.loops.hubs import HubState
from asyncdemo.capture.loops.state import Loops, LoopState
from asyncdemo.capture.loops.suspended import ASYNCIO_DIR, chain, code_of, frame_of
from asyncdemo.capture.recorder import READY, RUNNING, WAITING, Recorder, line_of

MOST = 200
"""As ``model.MOST_STUCK``. What hangs, hangs in few places: hundreds more names would add nothing."""

_DEEPEST, _MOST_ITEMS, _MOST_OBJECTS = 3, 1_000, 50_000
_CONTAINERS: tuple[Any, ...] = (dict, deque, frozenset, list, set, tuple)
_NO_VARIABLES = (type, CodeType, FunctionType, ModuleType)
_QUEUE_FILE = queue.__file__
_LARGEST_SOURCE = 4_000_000
_stat = os.stat  # the script may replace it


class Stuck(NamedTuple):
    """A task or thread that has not ended.

    Attributes:
        site: None if it has not begun.
        source: The text of that line.
        wait: Index of the blocking call that its step is in, or that no hook saw.
        resource: What it waits at, if that is seen here.
        on: The tracks that it waits for, if they are seen here.
        unfinished: In ``queue.join``, the items that are not done.
        at_most_s: The timeout of the call, or what is left of it.
        refers_to: The tasks that its variables refer to; all tasks if there is too much to look at.
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
    at_most_s: float | None = None
    refers_to: tuple[int, ...] = ()


class Census:
    """Finds the tasks and threads that have not ended, and tells the parent."""

    def __init__(self, recorder: Recorder, loops: Loops, resource_of: Callable[[object], int | None]) -> None:
        self._recorder = recorder
        self._loops = loops
        self._resource_of = resource_of
        self.wait_of: Callable[[int], int | None] = lambda ident: None
        """Returns the index of what a thread waits for, if that is known although no hook saw it."""

    def report(self, interrupted: FrameType | None = None) -> list[Stuck]:
        """Tell the parent. In a signal handler, ``interrupted`` is the frame at which this thread was."""
        found = self.take(interrupted)
        recorder = self._recorder
        loop_states = self._loops.loop_states[:]
        alarms = wake_sources.alarm_is_set() or any(wake_sources.timers(one)[1] for one in loop_states)
        idle = all(map(wake_sources.is_idle, loop_states)) and not wake_sources.handles_signals()
        recorder.define(wire.Stuck(found, idle, alarms))
        recorder.record((wire.STUCK, recorder.now(), 0, 0, 0, 0))
        return found

    def take(self, interrupted: FrameType | None = None) -> list[Stuck]:
        """Return tasks first, in the order in which they were made, then threads that run no loop."""
        recorder = self._recorder
        found: list[Stuck] = []
        hosts = set()
        references = _References(recorder.tasks)
        frames = sys._current_frames()
        if interrupted is not None:
            frames[threading.get_ident()] = interrupted
        for loop_state in self._loops.loop_states[:]:
            loop = loop_state.loop()
            if loop is None or not loop_state.running:
                continue
            if not isinstance(loop_state, HubState):
                found += self._tasks(loop, loop_state, frames.get(loop_state.ident), references)
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

    def _tasks(
        self, loop: Any, loop_state: LoopState, running_frame: FrameType | None, references: _References
    ) -> list[Stuck]:
        recorder = self._recorder
        current = asyncio.current_task(loop)
        pending = [task for task in asyncio.all_tasks(loop) if not task.done()]
        pending.sort(key=lambda task: recorder.tasks.get(id(task), -1))
        limits, _ = wake_sources.timers(loop_state)
        found: list[Stuck] = []
        for task in pending:
            if len(found) >= MOST:
                break
            coroutine: Any = task.get_coro()
            cause, reason, waited_for = None, "", _WaitedFor()
            future = getattr(task, "_fut_waiter", None)
            at_most_s = limits.get(id(task), limits.get(id(future)))
            if task is current:
                frame, state = recorder.user_caller(running_frame), RUNNING
                at_most_s = wake_sources.timeout(running_frame)
                call = loop_state.call
                if call is not None:
                    reason, _, cause = call
            elif _has_not_begun(coroutine):
                frame, state = None, READY
            else:
                innermost_first = filter(None, map(frame_of, reversed(chain(coroutine))))
                is_user = recorder.origins.is_user
                frame = next((one for one in innermost_first if is_user(one.f_code.co_filename)), None)
                state = READY if future is None else WAITING
                if frame is None:
                    continue  # it has none of the user's code
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
                    at_most_s,
                    references.of(coroutine),
                )
            )
        return found

    def _waited_for(self, coroutine: Any, future: Any) -> _WaitedFor:
        """What the innermost coroutines of asyncio's own, or the bare future, wait for."""
        for suspended in reversed(chain(coroutine)):
            code, frame = code_of(suspended), frame_of(suspended)
            if code is None or frame is None or not code.co_filename.startswith(ASYNCIO_DIR):
                break
            found = self._waited_for_in(code.co_qualname, frame.f_locals)
            if found is not None:
                return found
        if type(future).__name__ == "_GatheringFuture":
            return _WaitedFor(on=self._tracks(future._children))
        return _WaitedFor(on=self._tracks([future]))

    def _waited_for_in(self, function: str, names: Mapping[str, Any]) -> _WaitedFor | None:
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
        """The tracks of those that are tasks and have not ended."""
        tasks = self._recorder.tasks
        found = [tasks.get(id(future)) for future in list(futures)]
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
        wait = self.wait_of(ident)
        thread_state = self._recorder.threads.get(ident)
        is_known = thread_state is not None and thread_state.depth > 0  # for a lock it waits without a frame
        state = RUNNING if caller is innermost and wait is None and not is_known else WAITING
        return Stuck(
            name,
            caller.f_code.co_qualname,
            *self._place(caller),
            state,
            None if thread_state is None else thread_state.track,
            wait,
            unfinished=_unfinished(innermost, caller),
            at_most_s=wake_sources.timeout(innermost),
        )

    def _place(self, frame: FrameType | None) -> tuple[int | None, str]:
        if frame is None:
            return None, ""
        filename = frame.f_code.co_filename
        line = linecache.getline(filename, line_of(frame)).strip() if _is_readable(filename) else ""
        return self._recorder.frame_site(frame), line


def _is_readable(filename: str) -> bool:
    """Return whether the source can be read soon: code may have any file name, such as that of a FIFO."""
    if filename in linecache.cache:
        return True
    try:
        found = _stat(filename)
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size <= _LARGEST_SOURCE


def _has_not_begun(coroutine: Any) -> bool:
    return inspect.iscoroutine(coroutine) and inspect.getcoroutinestate(coroutine) == inspect.CORO_CREATED


class _References:
    """The tracks of the tasks that variables refer to, also in a list, an attribute or an attribute's list.

    What several tasks share is looked at once. It is known by its id: a reference could be the last one left,
    and run its finalizer in this thread.
    """

    def __init__(self, tracks: Mapping[int, int]) -> None:
        self._tracks = tracks
        self._known: dict[tuple[int, int], set[int]] = {}
        self._left = _MOST_OBJECTS

    def of(self, coroutine: Any) -> tuple[int, ...]:
        found = set().union(*(self._look(one, _DEEPEST) for one in chain(coroutine)))
        return tuple(sorted(found if self._left > 0 else list(self._tracks.values())))[:MOST]

    def _look(self, owner: Any, levels: int) -> set[int]:
        known = self._known.get((id(owner), levels))
        if known is not None:
            return known
        found = self._known[id(owner), levels] = set()
        if self._left <= 0 or _is_large(owner):
            return found
        referents = gc.get_referents(owner)
        self._left -= len(referents)
        for one in referents:
            if type(one) in TASK_TYPES:
                track = self._tracks.get(id(one))
                found |= set() if track is None else {track}
            elif levels > 1 and type(one) not in _NO_VARIABLES:
                found |= self._look(one, levels - 1)
        return found


def _is_large(owner: Any) -> bool:
    kind = next((kind for kind in _CONTAINERS if issubclass(type(owner), kind)), None)
    return kind is not None and kind.__len__(owner) > _MOST_ITEMS  # not the script's own ``__len__``


class _WaitedFor(NamedTuple):
    resource: int | None = None
    on: tuple[int, ...] = ()
    unfinished: int | None = None


def _unfinished(innermost: FrameType | None, caller: FrameType) -> int | None:
    """How many items are not done, if the thread is in ``queue.Queue.join``."""
    frame = innermost
    while frame is not None and frame is not caller:
        code = frame.f_code
        if code.co_filename == _QUEUE_FILE and code.co_name == "join":
            count: int = frame.f_locals["self"].unfinished_tasks
            return count
        frame = frame.f_back
    return None
