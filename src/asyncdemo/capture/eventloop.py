"""Observes asyncio's own event loops from their handles: every step, when it was ready, who woke it.

``asyncio.events.Handle`` and ``TimerHandle`` are replaced by subclasses whose ``_run`` is the same
single frame with two clock reads, and ``BaseEventLoop.call_soon`` by one that stamps the time a
callback became ready and what was running then. Nothing the script owns is wrapped.

A callback that only passes a result on (a timer setting a future, ``gather`` counting its children)
is a *relay*: who it makes ready was ready when the relay itself was, and was woken by who woke the
relay. So a task that a blocked loop could not run is *ready* from the moment its timer was due.
"""

from __future__ import annotations

import _thread
import asyncio
import functools
import sys
from asyncio import base_events, events, format_helpers, selector_events
from collections.abc import Callable
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.capture.frames import disguise
from asyncdemo.capture.instrument import Patches, around, on_entry, on_entry_with_all
from asyncdemo.capture.loops import LoopLens, Loops
from asyncdemo.capture.reasons import Reasons
from asyncdemo.capture.recorder import Recorder
from asyncdemo.capture.tasks import LONG_WAIT_NS, NO_TASK, Tasks

_HANDLE_SLOTS = {
    "__weakref__",
    "_args",
    "_callback",
    "_cancelled",
    "_context",
    "_loop",
    "_repr",
    "_source_traceback",
}
"""Of the handles whose constructor is known to do nothing but set these."""
_RELAY_PACKAGES = frozenset({"asyncio", "_asyncio", "concurrent", "uvloop"})


class Relays:
    """Tells which callbacks only pass on what happened: asyncio's own."""

    def __init__(self) -> None:
        self._known: dict[object, bool] = {}

    def is_relay(self, callback: Any) -> bool:
        while isinstance(callback, functools.partial):
            callback = callback.func
        function = getattr(callback, "__func__", callback)
        key = getattr(function, "__code__", type(function))
        known = self._known.get(key)
        if known is None:
            module = (
                getattr(function, "__module__", None) or type(getattr(function, "__self__", None)).__module__
            )
            known = self._known[key] = module.partition(".")[0] in _RELAY_PACKAGES
        return known


class EventLoops:
    """Changes asyncio so that every step of its loops is recorded."""

    def __init__(
        self,
        recorder: Recorder,
        reasons: Reasons,
        loops: Loops,
        tasks: Tasks,
        relays: Relays,
        slow_ns: int,
        on_slow: Callable[[LoopLens, int, int, int], None],
        on_fault: Callable[[Exception], None],
    ) -> None:
        """on_slow(loop, track or -1, start_ns, end_ns) is called after a callback longer than slow_ns.

        on_fault is called with an exception of the lens itself.
        """
        self._recorder = recorder
        self._reasons = reasons
        self._loops = loops
        self._tasks = tasks
        self._relays = relays
        self._slow_ns = slow_ns
        self._on_slow = on_slow
        self._on_fault = on_fault

    def install(self, patches: Patches) -> None:
        base = base_events.BaseEventLoop
        patches.set(base, "_asyncdemo", None)
        traced_handle, io_handle, traced_timer = self._handles()
        patches.set(events, "Handle", io_handle)
        patches.set(events, "TimerHandle", traced_timer)
        for name, function in self._loop_methods(traced_handle).items():
            patches.set(base, name, function)
        patches.rewrite(base_events, "BaseEventLoop.run_forever", self._loops.running, around)
        patches.rewrite(
            selector_events, "BaseSelectorEventLoop._process_events", self._woke, on_entry_with_all
        )
        patches.rewrite(asyncio.runners, "_cancel_all_tasks", self._left_pending, on_entry)

    def _woke(self, loop: Any, events_found: Any) -> None:
        lens = self._loops.lens_of(loop)
        if lens.io_seen:
            for key, _ in events_found:
                seen_ns = lens.io_seen.get(key.fd)
                if seen_ns is not None:
                    lens.io_ready.update((id(handle), seen_ns) for handle in key.data if handle is not None)
            lens.io_seen.clear()
        lens.slept_ns, lens.woke_ns = -lens.started_ns, self._recorder.now()

    def _left_pending(self, loop: Any) -> None:
        pending = (self._recorder.tasks.get(id(task)) for task in asyncio.all_tasks(loop))
        self._recorder.define(["pending", sorted(track for track in pending if track is not None)])

    def _handles(self) -> tuple[type, type, type]:
        recorder, tasks, ends = self._recorder, self._recorder.tasks, self._tasks.ends
        now, record, classify = recorder.now, recorder.record, self._reasons.classify
        first_seen, is_relay, finish = self._tasks.first_seen, self._relays.is_relay, self._tasks.finish
        record_long_wait, slow_ns, on_slow = self._tasks.record_long_wait, self._slow_ns, self._on_slow
        offset_ns, on_fault = self._loops.offset_ns, self._on_fault
        handle_type, timer_type = events.Handle, events.TimerHandle

        class Handle(handle_type):  # type: ignore[misc, valid-type]
            __slots__ = ("ready_ns", "waker")

            def _run(self) -> None:
                callback = self._callback
                lens = self._loop._asyncdemo
                previous = lens.current
                ready, waker = self.ready_ns, self.waker
                try:
                    try:
                        task = callback.__self__
                        track = tasks[id(task)]
                    except (AttributeError, KeyError):
                        track, task = first_seen(self, callback)
                    if task is not None:
                        lens.current = track
                        # woken by itself, it only let others go first
                        if waker != track and ready - ends[track] > LONG_WAIT_NS:
                            record_long_wait(task, track, ends[track], ready)
                    elif is_relay(callback):
                        lens.current = waker
                        lens.due_ns = ready
                    else:
                        lens.current = wire.BY_LOOP
                except Exception as error:  # noqa: BLE001 - the lens' fault must not become the script's
                    on_fault(error)
                    track, task = NO_TASK, None
                args = self._args
                lens.started_ns = start = now()
                try:
                    if not args:  # written out: a call with * takes a slower path
                        self._context.run(callback)
                    elif len(args) == 1:
                        self._context.run(callback, args[0])
                    else:
                        self._context.run(callback, *args)
                except (SystemExit, KeyboardInterrupt):
                    end = now()
                    lens.started_ns, lens.due_ns = -end, 0
                    lens.current = previous
                    if task is not None:
                        record((track, ready, start, end, wire.WAIT_DONE, waker))
                        finish(task, track, end)
                    raise
                except BaseException as error:  # noqa: BLE001 - as the original does
                    _report(self, error)
                end = now()
                lens.started_ns = -end
                lens.current = previous
                try:
                    if task is not None:
                        future = task._fut_waiter
                        if future is not None:
                            ends[track] = end
                            record((track, ready, start, end, classify(task.get_coro(), future), waker))
                        elif task.done():
                            record((track, ready, start, end, wire.WAIT_DONE, waker))
                            finish(task, track, end)
                        else:
                            record((track, ready, start, end, wire.WAIT_YIELD, waker))
                    else:
                        lens.due_ns = 0
                    if end - start > slow_ns:
                        on_slow(lens, track, start, end)
                except Exception as error:  # noqa: BLE001 - as above
                    on_fault(error)
                # a traceback's frames lead to this one, which must not keep the task of the exception alive
                self = callback = args = task = future = None  # type: ignore[assignment]

        class IOHandle(Handle):
            """What ``add_reader``, ``add_writer`` and signal handlers make."""

            __slots__ = ()

            def __init__(self, callback: Any, args: Any, loop: Any, context: Any = None) -> None:
                handle_type.__init__(self, callback, args, loop, context)
                self.ready_ns, self.waker = 0, wire.BY_IO

        class TimerHandle(timer_type):  # type: ignore[misc, valid-type]
            __slots__ = ()

            def _run(self) -> None:
                lens = self._loop._asyncdemo
                previous = lens.current
                lens.current = wire.BY_TIMER
                callback = self._callback
                lens.started_ns = start = now()
                if is_relay(callback):
                    due = int(self._when * 1e9) + offset_ns
                    if lens.slept_ns < due < lens.woke_ns:
                        due = lens.woke_ns  # it slept past it, as epoll counts in ms: nobody was in the way
                    lens.due_ns = due if due < start else start
                try:
                    self._context.run(callback, *self._args)
                except (SystemExit, KeyboardInterrupt):
                    lens.started_ns, lens.due_ns = -now(), 0
                    lens.current = previous
                    raise
                except BaseException as error:  # noqa: BLE001 - as the original does
                    _report(self, error)
                end = now()
                lens.started_ns, lens.due_ns = -end, 0
                lens.current = previous
                if end - start > slow_ns:
                    on_slow(lens, NO_TASK, start, end)
                self = callback = None  # type: ignore[assignment]

        for made, original in ((Handle, handle_type), (IOHandle, handle_type), (TimerHandle, timer_type)):
            made.__name__, made.__qualname__ = original.__name__, original.__qualname__
            made.__module__ = original.__module__
        for run in (Handle._run, TimerHandle._run):
            disguise(run, handle_type._run)
        return Handle, IOHandle, TimerHandle

    def _loop_methods(self, handle_type: type) -> dict[str, Callable[..., Any]]:
        recorder, threads = self._recorder, self._recorder.threads
        now, getframe = recorder.now, sys._getframe
        lens_of, adopt = self._loops.lens_of, self._tasks.adopt
        record_eager_step, on_fault = self._tasks.record_eager_step, self._on_fault
        base: Any = base_events.BaseEventLoop
        original_create, original_add = base.create_task, base._add_callback
        get_ident, next_track = _thread.get_ident, recorder.next_track
        known_handle, new_handle = _slots_of(events.Handle) == _HANDLE_SLOTS, object.__new__

        def call_soon(self: Any, callback: Any, *args: Any, context: Any = None) -> Any:
            if self._closed:
                self._check_closed()
            if self._debug:
                self._check_thread()
                self._check_callback(callback, "call_soon")
            if known_handle and context is not None and not self._debug:
                # what the constructor does, without the frame that it takes
                handle: Any = new_handle(handle_type)
                handle._context, handle._loop = context, self
                handle._callback, handle._args = callback, args
                handle._cancelled = False
                handle._repr = handle._source_traceback = None
            else:
                handle = handle_type(callback, args, self, context)
            lens = self._asyncdemo
            if lens is None:
                lens = lens_of(self)
            handle.ready_ns = lens.due_ns or now()
            handle.waker = lens.current
            self._ready.append(handle)  # its source traceback leaves this frame out by itself
            return handle

        def _call_soon(self: Any, callback: Any, args: Any, context: Any) -> Any:
            """Reached only from call_soon_threadsafe."""
            handle = handle_type(callback, args, self, context)
            lens = lens_of(self)
            ident = get_ident()
            if ident == lens.ident:
                handle.waker = lens.current
            else:
                thread = threads.get(ident)
                handle.waker = wire.BY_THREAD if thread is None else thread.track
            handle.ready_ns = now()
            self._ready.append(handle)  # its source traceback leaves this frame out by itself
            return handle

        def _add_callback(self: Any, handle: Any) -> None:
            io_ready = lens_of(self).io_ready
            handle.ready_ns = io_ready.pop(id(handle), 0) or now() if io_ready else now()
            original_add(self, handle)

        def create_task(self: Any, coro: Any, **options: Any) -> Any:
            lens = self._asyncdemo or lens_of(self)
            parent = lens.current
            creator = getframe(1)
            track = next_track()
            at_ns = now()
            if self._task_factory is None and not options.get("eager_start"):
                task = original_create(self, coro, **options)
            else:  # its first step may run in here
                lens.current = track
                try:
                    task = original_create(self, coro, **options)
                finally:
                    lens.current = parent
            try:
                if id(task) not in recorder.tasks and hasattr(task, "get_coro"):
                    adopt(task, coro, creator, parent, at_ns, track)
                    record_eager_step(task, track, at_ns, parent)
            except Exception as error:  # noqa: BLE001 - the lens' fault must not become the script's
                on_fault(error)
            return task

        return {
            "call_soon": call_soon,
            "_call_soon": _call_soon,
            "_add_callback": _add_callback,
            "create_task": create_task,
        }


def _slots_of(handle_type: type) -> set[str]:
    """Of asyncio's own class, beneath the traced ones."""
    return set(getattr(handle_type.__mro__[-2], "__slots__", ()))


def _report(handle: Any, error: BaseException) -> None:
    """What ``Handle._run`` says of an exception in a callback."""
    debug = {"debug": handle._loop.get_debug()} if sys.version_info >= (3, 13) else {}
    callback = format_helpers._format_callback_source(handle._callback, handle._args, **debug)
    context = {"message": f"Exception in callback {callback}", "exception": error, "handle": handle}
    if handle._source_traceback:
        context["source_traceback"] = handle._source_traceback
    handle._loop.call_exception_handler(context)
