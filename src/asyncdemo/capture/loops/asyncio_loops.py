"""Observes asyncio's own event loops through their handles: every step, when it was ready, what woke it.

The handle classes stay the same. ``Handle._run`` is replaced by a function that takes the same single frame
and reads the clock, and ``BaseEventLoop.call_soon`` by one that notes when a callback became ready and what
was running then. The note is in the handle (see ``capture.loops.handles``); a handle made in another way has
none, and runs as usual. Nothing that the script owns is wrapped.

A callback that only passes a result on (a timer setting a future, ``gather`` counting its children) is a
*relay*: what it makes ready was ready when the relay itself was, and was woken by what woke the relay. So a
task that a blocked loop could not run is *ready* from the moment its timer was due.
"""

from __future__ import annotations

import ast
import asyncio
import contextvars
import sys
from _thread import get_ident  # gevent replaces that of the module
from asyncio import base_events, events, format_helpers, selector_events
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.capture.frames import disguise
from asyncdemo.capture.gaps import Event
from asyncdemo.capture.guard import Guard
from asyncdemo.capture.instrument import (
    Patches,
    Transform,
    around,
    call_hook,
    locate,
    on_entry,
    on_entry_with_all,
)
from asyncdemo.capture.loops.handles import (
    NOT_SCHEDULED,
    STEP,
    Ready,
    TaskState,
    Traceback,
    is_handle,
    is_relay,
    leave_note,
    note_of,
)
from asyncdemo.capture.loops.state import LoopState
from asyncdemo.capture.loops.tasks import LONG_WAIT_NS, Tasks, observing_creation

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
"""The slots of handles whose constructor is known to do nothing but set these."""
NO_TASK = -1
_handle_init = events.Handle.__init__
_MAKES_THREAD_SAFE = hasattr(events, "_ThreadSafeHandle")
"""Python 3.14+. Before, ``call_soon_threadsafe`` calls ``_call_soon``, too."""


Failed = Callable[[Exception], bool]


class EventLoops:
    """Changes asyncio so that every step of its loops is recorded."""

    def __init__(self, tasks: Tasks) -> None:
        self._recorder = tasks.recorder
        self._loops = tasks.loops
        self._tasks = tasks

    def install(self, patches: Patches) -> None:
        base: Any = base_events.BaseEventLoop
        patches.set(base, "_asyncdemo", None)
        self._replace(patches, events.Handle, "_run", self._run)
        if set(getattr(events.Handle, "__slots__", ())) == _HANDLE_SLOTS:
            self._replace(patches, base, "call_soon", self._call_soon)
        self._replace(patches, base, "create_task", self._create_task)
        makers = ("_call_soon", "call_soon_threadsafe") if _MAKES_THREAD_SAFE else ("_call_soon",)
        for name in makers:
            patches.rewrite(base_events, f"BaseEventLoop.{name}", self._scheduled, _with_handle)
        patches.rewrite(base_events, "BaseEventLoop._add_callback", self._added, on_entry_with_all)
        patches.rewrite(base_events, "BaseEventLoop.run_forever", self._loops.running, around)
        patches.rewrite(
            selector_events, "BaseSelectorEventLoop._process_events", self._woke, on_entry_with_all
        )
        patches.rewrite(asyncio.runners, "_cancel_all_tasks", self._left_pending, on_entry)

    def _replace(
        self, patches: Patches, owner: Any, name: str, make: Callable[[Any, Failed], FunctionType]
    ) -> None:
        """Replace by ``make(original, failed)``, which guards itself: an extra call would cost too much."""
        original = getattr(owner, name)
        failed, hook = self._loops.failed, original.__qualname__
        patches.set(owner, name, make(original, lambda error: failed(hook, error)))

    # -- hooks ----------------------------------------------------------------------------------

    def _woke(self, loop: Any, events_found: Any) -> None:
        loop_state = self._loops.state_of(loop)
        if loop_state.io_seen:
            for key, _ in events_found:
                seen_ns = loop_state.io_seen.get(key.fd)
                if seen_ns is not None:
                    loop_state.io_ready.update(
                        (id(handle), seen_ns) for handle in key.data if handle is not None
                    )
            loop_state.io_seen.clear()
        loop_state.slept_ns, loop_state.woke_ns = -loop_state.started_ns, self._recorder.now()
        loop_state.looks, loop_state.ended_ns = True, 0
        self._recorder.keep_up()
        if events.Handle.__init__ is not _handle_init:  # the script has replaced it
            loop_state.is_plain = False

    def _left_pending(self, loop: Any) -> None:
        pending = (self._recorder.tasks.get(id(task)) for task in asyncio.all_tasks(loop))
        self._recorder.define(wire.Pending(sorted(track for track in pending if track is not None)))

    def _scheduled(self, loop: Any, handle: Any) -> None:
        """A handle was made, by ``call_soon_threadsafe`` or where the fast ``call_soon`` does not apply."""
        if not is_handle(handle):
            return
        loop_state = self._loops.state_of(loop)
        ident = get_ident()
        if ident == loop_state.ident:
            ready_ns, waker = loop_state.due_ns or self._recorder.now(), loop_state.current
        else:
            thread = self._recorder.threads.get(ident)
            ready_ns, waker = self._recorder.now(), wire.BY_THREAD if thread is None else thread.track
        state = self._tasks.scheduled(handle._callback, loop_state, waker, ready_ns)
        leave_note(handle, Ready(ready_ns, waker) if state is None else state)

    def _added(self, loop: Any, handle: Any) -> None:
        """The handle of a file or a signal is about to run; it is the same one each time."""
        if not is_handle(handle):
            return
        io_ready = self._loops.state_of(loop).io_ready
        ready_ns = io_ready.pop(id(handle), 0) if io_ready else 0
        note = note_of(handle)
        if type(note) is not TaskState:
            leave_note(handle, Ready(ready_ns or self._recorder.now(), wire.BY_IO))

    # -- in place of asyncio's own --------------------------------------------------------------

    def _run(self, original: Any, failed: Failed) -> FunctionType:
        recorder, classify, finish = self._recorder, self._tasks.reasons.classify, self._tasks.finish
        now, record = recorder.now, recorder.record_step
        slow_ns, on_slow = self._loops.slow_ns, self._loops.on_slow
        record_long_wait, begin, unknown = (
            self._tasks.record_long_wait,
            self._begin_callback,
            recorder.wait(""),
        )

        def _run(self: Any) -> None:
            note, task = self._source_traceback, None
            if type(note) is Traceback:
                note = note_of(self)
            if type(note) is TaskState:
                state, loop_state = note, self._loop._asyncdemo
                before = ready = start = waker = 0
                stepped = None
                try:
                    before, stepped = loop_state.current, loop_state.state
                    loop_state.current, loop_state.state = state.track, state
                    waker, ended = state.waker, state.end_ns
                    ready = state.ready_ns or ended
                    # if it woke itself, it only let others go first
                    if ready - ended > LONG_WAIT_NS and waker != state.track:
                        ready = record_long_wait(state, ready, loop_state)
                    state.ready_ns = NOT_SCHEDULED
                    start = loop_state.ended_ns or now()
                    loop_state.ended_ns, loop_state.started_ns = 0, start
                except Exception as error:  # noqa: BLE001 - as for every hook
                    give_up(loop_state, error)
                    loop_state = None
                callback, args = self._callback, self._args
                try:  # spelled out: a call with * takes a slower path
                    if not args and args is not None:
                        self._context.run(callback)
                    elif type(args) is tuple and len(args) == 1:
                        self._context.run(callback, args[0])
                    else:
                        self._context.run(callback, *args)
                except (SystemExit, KeyboardInterrupt):
                    raise
                except BaseException as error:  # noqa: BLE001 - as the original does
                    _report(self, error)
                finally:
                    if loop_state is not None:
                        try:
                            state.end_ns = end = now()
                            loop_state.started_ns, loop_state.current, loop_state.state = (
                                -end,
                                before,
                                stepped,
                            )
                            if not state.ready_ns:  # it has scheduled itself
                                wait = wire.WAIT_YIELD
                            else:
                                task = state()
                                wait = wait_of(task, state, end)
                            record((state.track, ready, start, end, wait, waker))
                            if end - start > slow_ns:
                                on_slow(loop_state, state.track, start, end)
                            elif loop_state.looks:
                                loop_state.ended_ns = end
                        except Exception as error:  # noqa: BLE001
                            give_up(loop_state, error)
                    # a traceback's frames lead to this one, which must not keep the task alive
                    self = callback = args = task = None
            else:
                loop_state, before, start = None, 0, 0
                try:
                    loop_state, before, start = begin(self, note)
                except Exception as error:  # noqa: BLE001 - as for every hook
                    give_up(loop_state, error)
                    loop_state = None
                callback, args = self._callback, self._args
                try:
                    if not args and args is not None:
                        self._context.run(callback)
                    elif type(args) is tuple and len(args) == 1:
                        self._context.run(callback, args[0])
                    else:
                        self._context.run(callback, *args)
                except (SystemExit, KeyboardInterrupt):
                    raise
                except BaseException as error:  # noqa: BLE001 - as the original does
                    _report(self, error)
                finally:
                    if loop_state is not None:
                        end = now()
                        loop_state.started_ns, loop_state.due_ns, loop_state.current = -end, 0, before
                        if end - start > slow_ns:
                            try:
                                on_slow(loop_state, NO_TASK, start, end)
                            except Exception as error:  # noqa: BLE001
                                give_up(loop_state, error)
                        elif loop_state.looks:
                            loop_state.ended_ns = end
                    self = callback = args = None

        def give_up(loop_state: LoopState | None, error: Exception) -> None:
            """Stop observing what runs now."""
            if loop_state is not None:
                loop_state.rest()
            if not failed(error):
                raise error

        def wait_of(task: Any, state: TaskState, end_ns: int) -> int:
            future = task._fut_waiter
            if future is None:
                if not state.methods.done(task):
                    return wire.WAIT_YIELD
                finish(task, state, end_ns)
                return wire.WAIT_DONE
            try:
                return classify(state.methods.get_coro(task), future)
            except Exception as error:
                if not failed(error):
                    raise
                return unknown

        def record_by(new: Callable[[Event], None]) -> None:
            nonlocal record
            record = new

        recorder.follow(record_by)
        disguise(_run, original)
        return _run  # type: ignore[return-value]

    def _begin_callback(self, handle: Any, note: Any) -> tuple[LoopState | None, int, int]:
        """Begin what is no task's step. Return (loop state, None if unobserved; what was current; start)."""
        loop = handle._loop
        if type(note) is Ready:
            loop_state: LoopState = loop._asyncdemo
        elif issubclass(type(loop), base_events.BaseEventLoop):
            loop_state = self._loops.state_of(loop)
        else:
            return None, 0, 0
        before = loop_state.current
        start = loop_state.ended_ns or self._recorder.now()
        loop_state.ended_ns = 0
        relays = is_relay(handle._callback)
        if type(note) is Ready:
            if relays:
                loop_state.current, loop_state.due_ns = note.waker, note.ready_ns
            else:
                loop_state.current = wire.BY_LOOP
        elif issubclass(type(handle), events.TimerHandle):
            loop_state.current = wire.BY_TIMER
            if relays:
                due = int(handle._when * 1e9) + self._loops.offset_ns
                if loop_state.slept_ns < due < loop_state.woke_ns:
                    due = loop_state.woke_ns  # epoll counts in ms, so it overslept: nothing was in the way
                loop_state.due_ns = due if due < start else start
        else:
            loop_state.current = wire.BY_LOOP
        loop_state.started_ns = start
        return loop_state, before, start

    def _call_soon(self, original: Any, failed: Failed) -> FunctionType:
        now, scheduled = self._recorder.now, self._tasks.scheduled
        handle_type = events.Handle
        states, new_ready = self._tasks.states, object.__new__
        new_handle, copy_context = object.__new__, contextvars.copy_context

        def call_soon(self: Any, callback: Any, *args: Any, context: Any = None) -> Any:
            note: Any
            loop_state = self._asyncdemo
            if (
                loop_state is None
                or not loop_state.is_plain
                or self._debug
                or self._closed
                or events.Handle is not handle_type
            ):
                own = original(self, callback, *args, context=context)
                note_in(self, own)
                return own
            try:
                current = loop_state.current
                kind: Any = type(callback)
                stepped = loop_state.state
                if kind is STEP and stepped is not None and stepped() is callback.__self__:
                    note = stepped  # it lets others go first
                    note.waker, note.ready_ns = current, 0
                else:
                    ready = loop_state.due_ns or now()
                    note = None
                    if kind is BuiltinFunctionType:
                        task = callback.__self__
                        note = states.get(id(task))
                        if note is not None and len(args) == 1 and task._fut_waiter is args[0]:
                            note.waker, note.ready_ns = current, ready
                        else:
                            note = scheduled(callback, loop_state, current, ready)
                    elif kind is STEP or kind is MethodType:
                        note = scheduled(callback, loop_state, current, ready)
                    if note is None:
                        note = new_ready(Ready)
                        note.ready_ns, note.waker = ready, current
            except Exception as error:
                note = None
                if not failed(error):
                    raise
            # what the constructor does, without its frame
            handle: Any = new_handle(handle_type)
            handle._context = copy_context() if context is None else context
            handle._loop = self
            handle._callback = callback
            handle._args = args
            handle._cancelled = False
            handle._repr = None
            handle._source_traceback = note
            self._ready.append(handle)
            return handle

        def note_in(loop: Any, handle: Any) -> None:
            """Leave a note if the loop's class made the handle in its own way, without one."""
            try:
                if is_handle(handle) and note_of(handle) is None:
                    self._scheduled(loop, handle)
            except Exception as error:
                if not failed(error):
                    raise

        return _named_as(original, call_soon)

    def _create_task(self, original: Any, failed: Failed) -> FunctionType:
        create_task = observing_creation(
            original, lambda loop: loop._task_factory is not None, self._tasks, failed
        )
        return _named_as(original, create_task)


def _after_handle(function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    """``HOOK(self, handle)`` after ``handle = ...``"""
    for place, statement in enumerate(function.body):
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "handle":
            names = [ast.Name(id=name, ctx=ast.Load()) for name in ("self", "handle")]
            call = ast.Expr(value=call_hook(*names, at=statement))
            function.body.insert(place + 1, locate(call, statement))
            return


_with_handle = Transform(_after_handle, Guard.call)


def _named_as(original: Any, function: Any) -> FunctionType:
    """Make errors about wrong arguments show the original's name, which they take from the code."""
    shown = original.__code__
    function.__code__ = function.__code__.replace(co_name=shown.co_name, co_qualname=shown.co_qualname)
    return function  # type: ignore[no-any-return]


def _report(handle: Any, error: BaseException) -> None:
    """Report an exception in a callback as ``Handle._run`` does."""
    debug = {"debug": handle._loop.get_debug()} if sys.version_info >= (3, 13) else {}
    callback = format_helpers._format_callback_source(handle._callback, handle._args, **debug)
    context = {"message": f"Exception in callback {callback}", "exception": error, "handle": handle}
    if handle._source_traceback:
        context["source_traceback"] = handle._source_traceback
    handle._loop.call_exception_handler(context)
