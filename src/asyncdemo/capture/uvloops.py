"""Observes uvloop, which makes its own handles: ``call_soon`` is overridden on ``uvloop.Loop``.

C tasks call ``loop.call_soon`` as a method, so each step passes here.
"""

from __future__ import annotations

import _thread
import sys
from collections.abc import Callable
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.capture.eventloop import Relays
from asyncdemo.capture.instrument import Patches
from asyncdemo.capture.loops import LoopLens, Loops
from asyncdemo.capture.reasons import Reasons
from asyncdemo.capture.recorder import Recorder
from asyncdemo.capture.tasks import LONG_WAIT_NS, Tasks

_ONE_YEAR_S = 31_536_000


def install(
    module: Any,
    recorder: Recorder,
    loops: Loops,
    tasks: Tasks,
    relays: Relays,
    reasons: Reasons,
    patches: Patches,
    slow_ns: int,
    on_slow: Callable[[LoopLens, int, int, int], None],
) -> None:
    loop_type = module.Loop
    originals = {
        name: getattr(loop_type, name)
        for name in ("call_soon", "call_soon_threadsafe", "call_later", "create_task")
    }
    original_run = loop_type.run_forever
    now, record, tracks, ends = recorder.now, recorder.record, recorder.tasks, tasks.ends

    class Callback:
        """Called in place of the script's callback; looks like it otherwise."""

        __slots__ = ("callback", "lens", "ready_ns", "waker")

        def __init__(self, callback: Any, lens: Any, ready_ns: int, waker: int) -> None:
            self.callback = callback
            self.lens = lens
            self.ready_ns = ready_ns
            self.waker = waker

        def __getattr__(self, name: str) -> Any:
            return getattr(self.callback, name)

        def __repr__(self) -> str:
            return repr(self.callback)

        def __call__(self, *args: Any) -> Any:
            callback, lens = self.callback, self.lens
            task = getattr(callback, "__self__", None)
            track = tracks.get(id(task), -1)
            if track < 0:
                track, task = tasks.first_seen(self, callback)
            previous = lens.current
            if task is not None and track >= 0:
                lens.current = track
                # woken by itself, it only let others go first
                if self.waker != track and self.ready_ns - ends[track] > LONG_WAIT_NS:
                    tasks.record_long_wait(task, track, ends[track], self.ready_ns)
            elif relays.is_relay(callback):
                lens.current, lens.due_ns = self.waker, self.ready_ns
                task = None
            else:
                lens.current, task = wire.BY_LOOP, None
            lens.started_ns = start = now()
            try:
                return callback(*args)
            finally:
                end = now()
                lens.started_ns, lens.due_ns = -end, 0
                lens.current = previous
                if task is not None:
                    future = task._fut_waiter
                    if future is not None:
                        wait = reasons.classify(task.get_coro(), future)
                    elif task.done():
                        wait = wire.WAIT_DONE
                        tasks.finish(task, track, end)
                    else:
                        wait = wire.WAIT_YIELD
                    record((track, self.ready_ns, start, end, wait, self.waker))
                    ends[track] = end
                if end - start > slow_ns:
                    on_slow(lens, track, start, end)
                # a traceback's frames lead to this one, which must not keep the task of the exception alive
                self = callback = args = task = future = None  # type: ignore[assignment]

    def call_soon(self: Any, callback: Any, *args: Any, context: Any = None) -> Any:
        lens = loops.lens_of(self)
        wrapped = Callback(callback, lens, lens.due_ns or now(), lens.current)
        return originals["call_soon"](self, wrapped, *args, context=context)

    def call_soon_threadsafe(self: Any, callback: Any, *args: Any, context: Any = None) -> Any:
        lens = loops.lens_of(self)
        if _thread.get_ident() == lens.ident:
            waker = lens.current
        else:
            thread = recorder.threads.get(_thread.get_ident())
            waker = wire.BY_THREAD if thread is None else thread.track
        wrapped = Callback(callback, lens, now(), waker)
        return originals["call_soon_threadsafe"](self, wrapped, *args, context=context)

    def call_later(self: Any, delay: Any, callback: Any, *args: Any, context: Any = None) -> Any:
        """Reached from ``call_at`` too. Not from ``loop.time()``: that stands still during an iteration."""
        lens = loops.lens_of(self)
        wait_ns = int(delay * 1e9) if isinstance(delay, (int, float)) and 0 < delay < _ONE_YEAR_S else 0
        wrapped = Timer(callback, lens, now() + wait_ns, wire.BY_TIMER)
        return originals["call_later"](self, delay, wrapped, *args, context=context)

    class Timer(Callback):
        __slots__ = ()

        def __call__(self, *args: Any) -> Any:
            start, idle_since = now(), -self.lens.started_ns
            # it counts in ms, so it may have slept past it: nobody was in the way
            self.ready_ns = start if 0 < idle_since < self.ready_ns else min(self.ready_ns, start)
            return Callback.__call__(self, *args)

    def create_task(self: Any, coro: Any, **options: Any) -> Any:
        lens = loops.lens_of(self)
        parent = lens.current
        creator = sys._getframe(1)
        track = recorder.next_track()
        at_ns = now()
        if self.get_task_factory() is None and not options.get("eager_start"):
            task = originals["create_task"](self, coro, **options)
        else:  # its first step may run in here
            lens.current = track
            try:
                task = originals["create_task"](self, coro, **options)
            finally:
                lens.current = parent
        if id(task) not in tracks and hasattr(task, "get_coro"):
            tasks.adopt(task, coro, creator, parent, at_ns, track)
            tasks.record_eager_step(task, track, at_ns, parent)
        return task

    def run_forever(self: Any) -> None:
        with loops.running(self):
            original_run(self)

    patches.set(loop_type, "call_soon", call_soon)
    patches.set(loop_type, "call_soon_threadsafe", call_soon_threadsafe)
    patches.set(loop_type, "call_later", call_later)
    patches.set(loop_type, "create_task", create_task)
    patches.set(loop_type, "run_forever", run_forever)
