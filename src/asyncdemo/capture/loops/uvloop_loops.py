"""Observes uvloop, which makes its own handles: ``call_soon`` is overridden on ``uvloop.Loop``.

C tasks call ``loop.call_soon`` as a method, so each step passes through here. uvloop calls methods of
protocols, such as ``data_received``, in a way that cannot be overridden, so these calls are not observed.
"""

from __future__ import annotations

from _thread import get_ident  # gevent replaces that of the module
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.capture.instrument import Patches
from asyncdemo.capture.loops.asyncio_loops import NO_TASK
from asyncdemo.capture.loops.handles import TaskState, is_relay
from asyncdemo.capture.loops.state import LoopState
from asyncdemo.capture.loops.tasks import LONG_WAIT_NS, Tasks, observing_creation

_ONE_YEAR_S = 31_536_000
_CO_COROUTINE = 0x80  # inspect.CO_COROUTINE


def install(module: Any, tasks: Tasks, patches: Patches) -> None:
    """``module`` is ``uvloop``, which has just been loaded."""
    recorder, loops = tasks.recorder, tasks.loops
    failed, slow_ns, on_slow, classify = loops.failed, loops.slow_ns, loops.on_slow, tasks.reasons.classify
    loop_type = module.Loop
    patches.set(loop_type, "_asyncdemo", None)
    loops.know(loop_type)
    originals = {
        name: getattr(loop_type, name)
        for name in (
            "add_reader",
            "add_signal_handler",
            "add_writer",
            "call_later",
            "call_soon",
            "call_soon_threadsafe",
            "create_task",
        )
    }
    original_run = loop_type.run_forever
    now, scheduled = recorder.now, tasks.scheduled

    class Callback:
        """Called in place of the script's callback, and otherwise looks like it."""

        __slots__ = ("before", "callback", "loop_state", "ready_ns", "start_ns", "state", "waker")

        def __init__(
            self, callback: Any, loop_state: LoopState, ready_ns: int, waker: int, state: TaskState | None
        ) -> None:
            self.callback = callback
            self.loop_state = loop_state
            self.ready_ns = ready_ns
            self.waker = waker
            self.state = state

        def __getattr__(self, name: str) -> Any:
            return getattr(self.callback, name)

        def __repr__(self) -> str:
            return repr(self.callback)

        def __call__(self, *args: Any) -> Any:
            observed = True
            try:
                self.begin()
            except Exception as error:
                observed = False
                self.loop_state.rest()
                if not failed("uvloop.Loop", error):
                    raise
            try:
                return self.callback(*args)
            finally:
                if observed:
                    try:
                        self.end()
                    except Exception as error:
                        self.loop_state.rest()
                        if not failed("uvloop.Loop", error):
                            raise
                # a traceback's frames lead to this one, which must not keep the task of the exception alive
                self = args = None  # type: ignore[assignment]

        def begin(self) -> None:
            loop_state, state = self.loop_state, self.state
            self.before = loop_state.current
            if state is not None:
                loop_state.current = track = state.track
                # if it woke itself, it only let others go first
                if self.waker != track and self.ready_ns - state.end_ns > LONG_WAIT_NS:
                    tasks.record_long_wait(state, self.ready_ns, loop_state)
            elif is_relay(self.callback):
                loop_state.current, loop_state.due_ns = self.waker, self.ready_ns
            else:
                loop_state.current = wire.BY_LOOP
            self.start_ns = loop_state.started_ns = now()

        def end(self) -> None:
            loop_state, state, end = self.loop_state, self.state, now()
            loop_state.started_ns, loop_state.due_ns = -end, 0
            loop_state.current = self.before
            if state is not None:
                task: Any = state()
                future = task._fut_waiter
                state.end_ns = end
                if future is not None:
                    wait = classify(state.methods.get_coro(task), future)
                elif state.methods.done(task):
                    wait = wire.WAIT_DONE
                    tasks.finish(task, state, end)
                else:
                    wait = wire.WAIT_YIELD
                recorder.record_step((state.track, self.ready_ns, self.start_ns, end, wait, self.waker))
            if end - self.start_ns > slow_ns:
                on_slow(loop_state, NO_TASK if state is None else state.track, self.start_ns, end)

    class Timer(Callback):
        __slots__ = ()

        def begin(self) -> None:
            start, idle_since = now(), -self.loop_state.started_ns
            # it counts in ms, so it may have overslept: nothing was in the way
            self.ready_ns = start if 0 < idle_since < self.ready_ns else min(self.ready_ns, start)
            Callback.begin(self)

    def soon(loop: Any, callback: Any) -> Any:
        loop_state = loop._asyncdemo or loops.state_of(loop)
        ready_ns, waker = loop_state.due_ns or now(), loop_state.current
        return Callback(
            callback, loop_state, ready_ns, waker, scheduled(callback, loop_state, waker, ready_ns)
        )

    def soon_threadsafe(loop: Any, callback: Any) -> Any:
        loop_state = loops.state_of(loop)
        ident = get_ident()
        if ident == loop_state.ident:
            waker = loop_state.current
        else:
            thread = recorder.threads.get(ident)
            waker = wire.BY_THREAD if thread is None else thread.track
        ready_ns = now()
        return Callback(
            callback, loop_state, ready_ns, waker, scheduled(callback, loop_state, waker, ready_ns)
        )

    def later(loop: Any, callback: Any, delay: Any) -> Any:
        """Does not use ``loop.time()``, which stands still during an iteration."""
        loop_state = loops.state_of(loop)
        wait_ns = int(delay * 1e9) if type(delay) in (int, float) and 0 < delay < _ONE_YEAR_S else 0
        return Timer(callback, loop_state, now() + wait_ns, wire.BY_TIMER, None)

    def by_io(loop: Any, callback: Any) -> Any:
        return Callback(callback, loops.state_of(loop), 0, wire.BY_IO, None)

    def by_signal(loop: Any, callback: Any) -> Any:
        """uvloop refuses coroutine functions here, so only what is surely not one is wrapped."""
        function = callback.__func__ if type(callback) is MethodType else callback
        if type(function) is not FunctionType or function.__code__.co_flags & _CO_COROUTINE:
            return callback
        return by_io(loop, callback)

    def wrapped(name: str, wrap: Callable[..., Any], loop: Any, callback: Any, *more: Any) -> Any:
        try:
            return wrap(loop, callback, *more)
        except Exception as error:
            if not failed(f"uvloop.Loop.{name}", error):
                raise
            return callback

    def call_soon(self: Any, callback: Any, *args: Any, context: Any = None) -> Any:
        callback = wrapped("call_soon", soon, self, callback)
        return originals["call_soon"](self, callback, *args, context=context)

    def call_soon_threadsafe(self: Any, callback: Any, *args: Any, context: Any = None) -> Any:
        callback = wrapped("call_soon_threadsafe", soon_threadsafe, self, callback)
        return originals["call_soon_threadsafe"](self, callback, *args, context=context)

    def call_later(self: Any, delay: Any, callback: Any, *args: Any, context: Any = None) -> Any:
        """Called by ``call_at``, too."""
        callback = wrapped("call_later", later, self, callback, delay)
        return originals["call_later"](self, delay, callback, *args, context=context)

    def add_reader(self: Any, fileobj: Any, callback: Any, *args: Any) -> Any:
        callback = wrapped("add_reader", by_io, self, callback)
        return originals["add_reader"](self, fileobj, callback, *args)

    def add_writer(self: Any, fileobj: Any, callback: Any, *args: Any) -> Any:
        callback = wrapped("add_writer", by_io, self, callback)
        return originals["add_writer"](self, fileobj, callback, *args)

    def add_signal_handler(self: Any, sig: Any, callback: Any, *args: Any) -> Any:
        callback = wrapped("add_signal_handler", by_signal, self, callback)
        return originals["add_signal_handler"](self, sig, callback, *args)

    create_task = observing_creation(
        originals["create_task"],
        lambda loop: loop.get_task_factory() is not None,
        tasks,
        lambda error: failed("uvloop.Loop.create_task", error),
    )

    def run_forever(self: Any) -> None:
        with loops.running(self):
            original_run(self)

    for made in (
        add_reader,
        add_writer,
        add_signal_handler,
        call_soon,
        call_soon_threadsafe,
        call_later,
        create_task,
        run_forever,
    ):
        patches.set(loop_type, made.__name__, made)
