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
import time
import weakref
from asyncio import base_events, events, format_helpers, selector_events
from collections import Counter
from collections.abc import Callable
from types import AsyncGeneratorType, CodeType, CoroutineType, FrameType
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.capture.frames import disguise
from asyncdemo.capture.instrument import Patches, around, on_entry, on_entry_with_all
from asyncdemo.capture.reasons import Reasons, chain, code_of, frame_of
from asyncdemo.capture.recorder import Recorder
from asyncdemo.capture.usage import Usage

LONG_WAIT_NS = 10_000_000
"""After waits longer than this the place that awaited is recorded."""

TASKS_TOLD = 5
"""Of so many tasks that run the same function."""

_NO_TASK = -1


class LoopLens:
    """What one event loop is doing right now; read by the watchdog from its own thread."""

    __slots__ = (
        "call",
        "current",
        "due_ns",
        "ident",
        "io_ready",
        "io_seen",
        "loop",
        "running",
        "sample",
        "slept_ns",
        "started_ns",
        "thread",
        "usage",
        "woke_ns",
    )

    def __init__(self, loop: Any, ident: int) -> None:
        self.loop = weakref.ref(loop)
        self.ident = ident
        self.running = False
        self.thread: int | None = None
        """The track of the thread that runs the loop."""
        self.current = wire.BY_LOOP
        """Track of the task being stepped, or the waker that a relay passes on."""
        self.started_ns = 0
        """When the callback being run started; while none is, minus the end of the last one."""
        self.slept_ns = 0
        self.woke_ns = 0
        """From when until when the loop last looked for events."""
        self.io_seen: dict[int, int] = {}
        """While a step blocks: file descriptor -> when the watchdog first saw it ready."""
        self.io_ready: dict[int, int] = {}
        """The same by id of the handle, for the events that the loop is about to handle."""
        self.due_ns = 0
        """In a relay: since when whoever it makes ready has been ready."""
        self.call: tuple[str, int] | None = None
        """(reason, start_ns) of the blocking call that the step is inside of."""
        self.sample: Any = None
        """What the watchdog saw of the step being run."""
        self.usage = Usage()
        """Of the loop's thread, when the watchdog first saw what runs now."""

    @property
    def track(self) -> int:
        """The task whose step is being run; negative if what runs is no task's step."""
        return self.current if not self.due_ns else -1

    def starved(self, tasks: dict[int, int], offset_ns: int, now_ns: int) -> list[tuple[int, int]]:
        """(track, since when) of the tasks that could run if nothing blocked the loop.

        Those whose step is scheduled, and those whose timer is due. Read from another thread, in
        one go each; loops that do not show their handles give nothing.
        """
        loop = self.loop()
        found: dict[int, int] = {}
        for handle in list(getattr(loop, "_ready", ())):
            track = tasks.get(id(getattr(handle._callback, "__self__", None)))
            if track is not None:
                found[track] = handle.ready_ns
        for timer in list(getattr(loop, "_scheduled", ())):
            due_ns = int(timer._when * 1e9) + offset_ns
            if due_ns < now_ns and not timer._cancelled:
                for future in timer._args or ():
                    for callback, _ in getattr(future, "_callbacks", None) or ():
                        track = tasks.get(id(getattr(callback, "__self__", None)))
                        if track is not None:
                            found.setdefault(track, due_ns)
        return list(found.items())


class EventLoops:
    """The loops of the process, and the tasks they run."""

    def __init__(
        self,
        recorder: Recorder,
        reasons: Reasons,
        slow_ns: int,
        on_slow: Callable[[LoopLens, int, int, int], None],
        on_fault: Callable[[Exception], None],
    ) -> None:
        """on_slow(loop, track or -1, start_ns, end_ns) is called after a callback longer than slow_ns.

        on_fault is called with an exception of the lens itself.
        """
        self.lenses: list[LoopLens] = []
        self._recorder = recorder
        self._reasons = reasons
        self._slow_ns = slow_ns
        self._on_slow = on_slow
        self._on_fault = on_fault
        self._refs: dict[int, weakref.ref[Any]] = {}
        self.ends: list[int] = []
        """By track: when its last step ended. Threads have a place here too."""
        self._serials: dict[int, tuple[weakref.ref[Any], int]] = {}
        self._relays: dict[object, bool] = {}
        self._tasks_of: Counter[CodeType | None] = Counter()
        self._told: set[int] = set()
        """The tracks whose long waits are told."""
        # perf_counter and loop.time() may be different clocks
        offset = time.perf_counter_ns() - time.monotonic_ns()
        self.offset_ns = offset if abs(offset) > 10_000 else 0

    # -- bookkeeping ----------------------------------------------------------------------------

    def lens_of(self, loop: Any) -> LoopLens:
        lens: LoopLens | None = getattr(loop, "_asyncdemo", None)
        if lens is None:
            lens = loop._asyncdemo = LoopLens(loop, _thread.get_ident())
            self.lenses.append(lens)
        return lens

    def running_lens(self) -> LoopLens | None:
        """That of the loop that runs in this thread, if one does."""
        loop = events._get_running_loop()
        return None if loop is None else self.lens_of(loop)

    def current_track(self) -> int:
        """What executes in this thread now; negative if that is no track."""
        lens = self.running_lens()
        if lens is not None:
            return lens.track
        thread = self._recorder.threads.get(_thread.get_ident())
        return -1 if thread is None else thread.track

    def running(self, loop: Any) -> _Running:
        return _Running(self, loop)

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
        recorder.define(
            [
                "task",
                track,
                task.get_name() if hasattr(task, "get_name") else "",
                getattr(coroutine, "__qualname__", None) or type(coroutine).__name__,
                None if code is None else recorder.code_site(code),
                recorder.frame_site(recorder.caller(creator)),
                parent if parent is not None and parent >= 0 else None,
                at_ns,
                None if lens is None else lens.thread,
                (
                    type(coroutine) is not CoroutineType  # uvloop's are compiled
                    or recorder.origins.is_stdlib(coroutine.cr_code.co_filename)
                )
                and self._made_by_itself(creator),
            ]
        )
        ends = self.ends
        while len(ends) <= track:
            ends.append(0)
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
        self._recorder.define(["end", track, at_ns, outcome, error, None, task.get_name()])

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
        """(track, task) if the callback is the step of a task not seen before, else (-1, None)."""
        task: Any = getattr(callback, "__self__", None)
        if type(callback).__name__ != "TaskStepMethWrapper" and not _is_python_step(callback, task):
            return _NO_TASK, None
        recorder = self._recorder
        at_ns = handle.ready_ns or recorder.now()
        return self.adopt(task, task.get_coro(), None, handle.waker, at_ns, recorder.next_track()), task

    def is_relay(self, callback: Any) -> bool:
        """Does the callback only pass on what happened? True of asyncio's own callbacks."""
        while isinstance(callback, functools.partial):
            callback = callback.func
        function = getattr(callback, "__func__", callback)
        key = getattr(function, "__code__", type(function))
        known = self._relays.get(key)
        if known is None:
            module = (
                getattr(function, "__module__", None) or type(getattr(function, "__self__", None)).__module__
            )
            known = self._relays[key] = module.partition(".")[0] in _RELAY_PACKAGES
        return known

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

    # -- the changes to asyncio -----------------------------------------------------------------

    def install(self, patches: Patches) -> None:
        base = base_events.BaseEventLoop
        patches.set(base, "_asyncdemo", None)
        traced_handle, io_handle, traced_timer = self._handles()
        patches.set(events, "Handle", io_handle)
        patches.set(events, "TimerHandle", traced_timer)
        for name, function in self._loop_methods(traced_handle).items():
            patches.set(base, name, function)
        patches.rewrite(base_events, "BaseEventLoop.run_forever", self.running, around)
        patches.rewrite(
            selector_events, "BaseSelectorEventLoop._process_events", self._woke, on_entry_with_all
        )
        patches.rewrite(asyncio.runners, "_cancel_all_tasks", self._left_pending, on_entry)

    def _woke(self, loop: Any, events_found: Any) -> None:
        lens = loop._asyncdemo
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
        recorder, tasks, ends = self._recorder, self._recorder.tasks, self.ends
        now, record, classify = recorder.now, recorder.record, self._reasons.classify
        first_seen, is_relay, finish = self.first_seen, self.is_relay, self.finish
        record_long_wait, slow_ns, on_slow = self.record_long_wait, self._slow_ns, self._on_slow
        offset_ns, on_fault = self.offset_ns, self._on_fault
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
                    track, task = _NO_TASK, None
                lens.started_ns = start = now()
                try:
                    self._context.run(callback, *self._args)
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
                self = callback = task = future = None  # type: ignore[assignment]

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
                    on_slow(lens, _NO_TASK, start, end)
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
        lens_of, adopt, record_eager_step = self.lens_of, self.adopt, self.record_eager_step
        base: Any = base_events.BaseEventLoop
        original_create, original_add = base.create_task, base._add_callback
        get_ident, next_track = _thread.get_ident, recorder.next_track

        def call_soon(self: Any, callback: Any, *args: Any, context: Any = None) -> Any:
            if self._closed:
                self._check_closed()
            if self._debug:
                self._check_thread()
                self._check_callback(callback, "call_soon")
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
            io_ready = self._asyncdemo.io_ready
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
            if id(task) in recorder.tasks or not hasattr(task, "get_coro"):
                return task
            adopt(task, coro, creator, parent, at_ns, track)
            record_eager_step(task, track, at_ns, parent)
            return task

        return {
            "call_soon": call_soon,
            "_call_soon": _call_soon,
            "_add_callback": _add_callback,
            "create_task": create_task,
        }


def _report(handle: Any, error: BaseException) -> None:
    """What ``Handle._run`` says of an exception in a callback."""
    debug = {"debug": handle._loop.get_debug()} if sys.version_info >= (3, 13) else {}
    callback = format_helpers._format_callback_source(handle._callback, handle._args, **debug)
    context = {"message": f"Exception in callback {callback}", "exception": error, "handle": handle}
    if handle._source_traceback:
        context["source_traceback"] = handle._source_traceback
    handle._loop.call_exception_handler(context)


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
_RELAY_PACKAGES = frozenset({"asyncio", "_asyncio", "concurrent", "uvloop"})


class _Running:
    """Around ``run_forever``: ties the loop to the thread that runs it, whose own lane waits for it."""

    __slots__ = ("_lens", "_recorder", "_thread")

    def __init__(self, loops: EventLoops, loop: Any) -> None:
        self._lens = loops.lens_of(loop)
        self._recorder = loops._recorder

    def __enter__(self) -> None:
        recorder = self._recorder
        self._lens.ident = ident = _thread.get_ident()
        self._lens.usage.follow(_thread.get_native_id())
        self._lens.running = True
        self._thread = thread = recorder.threads.get(ident)
        if thread is not None:
            self._lens.thread = thread.track
            wait = recorder.wait("event loop")
            recorder.record((wire.THREAD_WAITS, thread.track, recorder.now(), wait, 0, 0))

    def __exit__(self, *exc_info: object) -> None:
        self._lens.running = False
        if self._thread is not None:
            recorder = self._recorder
            recorder.record((wire.THREAD_RUNS, self._thread.track, recorder.now(), 0, 0, 0))
