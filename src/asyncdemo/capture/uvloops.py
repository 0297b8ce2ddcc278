"""Observes uvloop, which makes its own handles: ``call_soon`` is overridden on ``uvloop.Loop``.

C tasks call ``loop.call_soon`` as a method, so each step passes here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.capture.eventloop import LONG_WAIT_NS, EventLoops
from asyncdemo.capture.instrument import Patches
from asyncdemo.capture.reasons import Reasons
from asyncdemo.capture.recorder import Recorder


def install(
    module: Any,
    recorder: Recorder,
    loops: EventLoops,
    reasons: Reasons,
    patches: Patches,
    slow_ns: int,
    on_slow: Callable[[Any, int, int, int], None],
) -> None:
    loop_type = module.Loop
    originals = {
        name: getattr(loop_type, name) for name in ("call_soon", "call_at", "call_later", "create_task")
    }
    original_run = loop_type.run_forever
    now, record, tasks, ends = recorder.now, recorder.record, recorder.tasks, loops.ends

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
            track = tasks.get(id(task), -1)
            if track < 0:
                track, task = loops.first_seen(self, callback)
            previous = lens.current
            if task is not None and track >= 0:
                lens.current = track
                if self.ready_ns - ends[track] > LONG_WAIT_NS:
                    loops.record_long_wait(task, track, ends[track], self.ready_ns)
            elif loops.is_relay(callback):
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
                        loops.finish(task, track, end)
                    else:
                        wait = wire.WAIT_YIELD
                    record((track, self.ready_ns, start, end, wait, self.waker))
                    ends[track] = end
                if end - start > slow_ns:
                    on_slow(lens, track, start, end)

    def call_soon(self: Any, callback: Any, *args: Any, context: Any = None) -> Any:
        lens = loops.lens_of(self)
        wrapped = Callback(callback, lens, lens.due_ns or now(), lens.current)
        return originals["call_soon"](self, wrapped, *args, context=context)

    def timer(name: str, due: Callable[[Any, float], float]) -> Callable[..., Any]:
        original = originals[name]

        def call(self: Any, when: float, callback: Any, *args: Any, context: Any = None) -> Any:
            lens = loops.lens_of(self)
            due_ns = int(due(self, when) * 1e9) + loops.offset_ns
            return original(self, when, Timer(callback, lens, due_ns, wire.BY_TIMER), *args, context=context)

        return call

    class Timer(Callback):
        __slots__ = ()

        def __call__(self, *args: Any) -> Any:
            start = now()
            self.ready_ns = min(self.ready_ns, start)
            return Callback.__call__(self, *args)

    def create_task(self: Any, coro: Any, **options: Any) -> Any:
        lens = loops.lens_of(self)
        creator = sys._getframe(1)
        at_ns = now()
        task = originals["create_task"](self, coro, **options)
        if id(task) not in tasks and not task.done():
            loops.adopt(task, creator, lens.current, at_ns)
        return task

    def run_forever(self: Any) -> None:
        with loops.running(self):
            original_run(self)

    patches.set(loop_type, "call_soon", call_soon)
    patches.set(loop_type, "call_later", timer("call_later", lambda loop, delay: loop.time() + delay))
    patches.set(loop_type, "call_at", timer("call_at", lambda loop, when: when))
    patches.set(loop_type, "create_task", create_task)
    patches.set(loop_type, "run_forever", run_forever)
