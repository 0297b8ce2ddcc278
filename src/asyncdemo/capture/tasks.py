"""The tasks of the process as tracks: made, stepped for the first time, waiting long, done."""

from __future__ import annotations

import functools
import weakref
from _thread import get_ident  # gevent replaces that of the module
from collections import Counter
from types import AsyncGeneratorType, CodeType, CoroutineType, FrameType
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.capture.reasons import Reasons, chain, code_of, frame_of
from asyncdemo.capture.recorder import Recorder

LONG_WAIT_NS = 10_000_000
"""After waits longer than this the place that awaited is recorded."""

TASKS_TOLD = 5
"""Of so many tasks that run the same function."""

NO_TASK = -1


class Tasks:
    def __init__(self, recorder: Recorder, reasons: Reasons) -> None:
        self._recorder = recorder
        self._reasons = reasons
        self._refs: dict[int, weakref.ref[Any]] = {}
        self.ends: list[int] | dict[int, int] = {} if recorder.process else []
        """By track: when its last step ended. Tracks of a process that the script starts count from far up;
        in a list threads have a place too."""
        self._serials: dict[int, tuple[weakref.ref[Any], int]] = {}
        self._tasks_of: Counter[CodeType | None] = Counter()
        self._told: set[int] = set()
        """The tracks whose long waits are told."""

    def adopt(
        self, task: Any, coroutine: Any, creator: FrameType | None, parent: int | None, at_ns: int, track: int
    ) -> int:
        """Give a task its track. creator: the frame that made it.

        The task is not asked for its coroutine: Python 3.12.1 crashes if it was eager and is done.
        """
        recorder = self._recorder
        key = id(task)
        self._refs[key] = weakref.ref(task, functools.partial(self._destroyed, key, track))
        recorder.tasks[key] = track
        code = code_of(coroutine)
        self._tasks_of[code] += 1
        if self._tasks_of[code] <= TASKS_TOLD:
            self._told.add(track)
        lens = getattr(task.get_loop(), "_asyncdemo", None)
        here = recorder.threads.get(get_ident())  # where the loop will run, if it does not yet
        thread = lens.thread if lens is not None and lens.thread is not None else here and here.track
        # A tuple of plain values is nothing that a garbage collection walks twice.
        recorder.define(
            (
                "task",
                track,
                task.get_name() if hasattr(task, "get_name") else "",
                getattr(coroutine, "__qualname__", None) or type(coroutine).__name__,
                None if code is None else recorder.code_site(code),
                recorder.frame_site(recorder.caller(creator)),
                parent if parent is not None and parent >= 0 else None,
                at_ns,
                thread,
                (
                    type(coroutine) is not CoroutineType  # uvloop's are compiled
                    or recorder.origins.is_stdlib(coroutine.cr_code.co_filename)
                )
                and self._made_by_itself(creator),
            )
        )
        ends = self.ends
        if isinstance(ends, list) and len(ends) <= track:
            ends.extend([0] * (track + 1 - len(ends)))
        ends[track] = at_ns
        return track

    def _made_by_itself(self, frame: FrameType | None) -> bool:
        """Was a task of the standard library's also made by the standard library, for its own use?"""
        while frame is not None and self._recorder.origins.is_stdlib(frame.f_code.co_filename):
            if frame.f_code.co_name not in _TASK_MAKERS:
                return True
            frame = frame.f_back
        return frame is None

    def _destroyed(self, key: int, track: int, _: object) -> None:
        self._recorder.tasks.pop(key, None)
        self._refs.pop(key, None)
        self._recorder.define(["destroyed", track, self._recorder.now()])

    def finish(self, task: Any, track: int, at_ns: int) -> None:
        """The task is done. Reads private attributes: ``exception()`` would count as looking at it."""
        key = id(task)
        self._recorder.tasks.pop(key, None)
        self._refs.pop(key, None)
        self._told.discard(track)
        error = None
        if task.cancelled():
            outcome = "cancelled"
        else:
            exception = getattr(task, "_exception", None)
            outcome = "returned" if exception is None else "raised"
            error = None if exception is None else type(exception).__name__
        self._recorder.define(("end", track, at_ns, outcome, error, None, task.get_name()))

    def record_eager_step(self, task: Any, track: int, start_ns: int, parent: int) -> None:
        """If the first step of a task ran while the task was being made, that was just now."""
        future = getattr(task, "_fut_waiter", None)
        if future is None and not task.done():
            return
        end = self._recorder.now()
        wait = wire.WAIT_DONE if future is None else self._reasons.classify(task.get_coro(), future)
        self._recorder.record((track, start_ns, start_ns, end, wait, parent))
        self.ends[track] = end
        if future is None:
            self.finish(task, track, end)

    def first_seen(self, handle: Any, callback: Any) -> tuple[int, Any]:
        """(track, task) if the callback is the step of a task not seen before, else (-1, None).

        Its first step, or a later one if it was made without the loop and began while it was made
        (``asyncio.Task(..., eager_start=True)``): then what it did before is not known.
        """
        task: Any = getattr(callback, "__self__", None)
        is_step = type(callback).__name__ == "TaskStepMethWrapper"
        if not (is_step or getattr(callback, "__name__", "") == _WAKEUP or _is_python_step(callback, task)):
            return NO_TASK, None
        recorder = self._recorder
        at_ns = handle.ready_ns or recorder.now()
        return self.adopt(task, task.get_coro(), None, handle.waker, at_ns, recorder.next_track()), task

    def record_long_wait(self, task: Any, track: int, start_ns: int, end_ns: int) -> None:
        """Which calls of the user's code the task was suspended in while it waited so long.

        Told of the first few tasks that run a function: where many do, they are concurrent already.
        """
        if track not in self._told:
            return
        recorder = self._recorder
        places: list[tuple[int, int | None]] = []
        for awaitable in chain(task.get_coro()):
            frame = frame_of(awaitable)
            # an async generator goes on when it is asked to: its awaits follow each other by nature
            own = (
                frame is not None
                and type(awaitable) is not AsyncGeneratorType
                and recorder.origins.is_user(frame.f_code.co_filename)
            )
            places.append((self._serial(awaitable), recorder.frame_site(frame) if own else None))
        if any(site is not None for _, site in places):
            recorder.define(["pause", track, start_ns, end_ns, places])

    def _serial(self, awaitable: Any) -> int:
        """A number for this very object: ids come back once an object is gone."""
        key = id(awaitable)
        known = self._serials.get(key)
        if known is not None and known[0]() is awaitable:
            return known[1]
        serial = self._recorder.next_serial()
        self._serials[key] = weakref.ref(awaitable, lambda _: self._serials.pop(key, None)), serial
        return serial


_WAKEUP = "task_wakeup"
"""What asyncio calls the method of a task that a future calls when it is done."""


def _is_python_step(callback: Any, task: Any) -> bool:
    """Is it the step of a task class that is written in Python?"""
    name = getattr(getattr(callback, "__func__", None), "__name__", "")
    return name in ("__step", "_Task__step") and hasattr(task, "get_coro")


_TASK_MAKERS = frozenset(
    {
        "create_task",
        "ensure_future",
        "_ensure_future",
        "gather",
        "wait",
        "as_completed",
        "run",
        "run_until_complete",
    }
)
"""What people make tasks with."""
