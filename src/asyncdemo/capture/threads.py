"""Observes threads: their start and end, what they wait for, and executors with their work items.

Waits are recorded where the outermost primitive is: a thread in ``Queue.get`` waits for an item,
not for the condition that the queue is made of.
"""

from __future__ import annotations

import _thread
import concurrent.futures
import concurrent.futures.thread
import queue
import sys
import threading
import weakref
from collections.abc import Callable
from types import FrameType
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.capture.instrument import (
    Patches,
    around,
    around_call,
    at_end,
    on_entry_with_all,
    on_return,
)
from asyncdemo.capture.limits import Limits
from asyncdemo.capture.loops import Loops
from asyncdemo.capture.reasons import Reasons
from asyncdemo.capture.recorder import QUEUED, WAITING, Recorder, ThreadLens

_WORTH_TELLING_NS = 100_000
"""A blocking call shorter than this is part of its step and nothing else."""


class Waits:
    """What the threads of the process wait for; a wait inside a loop's step is a blocking call."""

    def __init__(self, recorder: Recorder, loops: Loops) -> None:
        self._recorder = recorder
        self._loops = loops

    def lens(self) -> ThreadLens:
        """That of this thread; a thread that was not started by ``threading`` gets a track here."""
        recorder = self._recorder
        ident = _thread.get_ident()
        lens = recorder.threads.get(ident)
        if lens is None:
            main = ident == threading.main_thread().ident  # it waits while it still imports
            name = "MainThread" if main else f"thread {ident}"
            lens = recorder.open_thread(ident, name, None, None, None, recorder.now())
        return lens

    def waiting(self, reason: str, state: int = WAITING, wait: int = -1) -> Waiting:
        """A context manager for a call that may wait; ``wait`` is an index from ``Recorder.wait``."""
        return Waiting(self._recorder, self._loops, self.lens(), reason, state, wait)

    def labelled(self, reason: str, state: int = WAITING, wait: int = -1) -> Labelled:
        """While in it, a condition that is waited for is recorded as this."""
        return Labelled(self.lens(), (reason, state, wait))

    def condition(self) -> Waiting:
        lens = self.lens()
        reason, state, wait = lens.label or ("condition", WAITING, -1)
        return Waiting(self._recorder, self._loops, lens, reason, state, wait)


class Waiting:
    __slots__ = ("_lens", "_loop", "_loops", "_reason", "_recorder", "_state", "_wait")

    def __init__(
        self, recorder: Recorder, loops: Loops, lens: ThreadLens, reason: str, state: int, wait: int
    ) -> None:
        self._recorder = recorder
        self._loops = loops
        self._lens = lens
        self._reason = reason
        self._state = state
        self._wait = wait

    def __enter__(self) -> None:
        lens, recorder = self._lens, self._recorder
        lens.depth += 1
        if lens.depth > 1 or not self._reason:
            return
        self._loop = loop = self._loops.running_lens()
        if loop is None:
            wait = self._wait if self._wait >= 0 else recorder.wait(self._reason, self._state)
            recorder.record((wire.THREAD_WAITS, lens.track, recorder.now(), wait, 0, 0))
        else:
            loop.call = (self._reason, recorder.now())

    def __exit__(self, *exc_info: object) -> None:
        lens, recorder = self._lens, self._recorder
        lens.depth -= 1
        if lens.depth or not self._reason:
            return
        loop = self._loop
        if loop is None:
            recorder.record((wire.THREAD_RUNS, lens.track, recorder.now(), 0, 0, 0))
        elif loop.call is not None:
            reason, start_ns = loop.call
            loop.call = None
            end_ns = recorder.now()
            if end_ns - start_ns >= _WORTH_TELLING_NS:
                call = recorder.call(reason, sys._getframe(1))
                recorder.record((wire.CALLED, loop.track, start_ns, end_ns, call, 0))


class Labelled:
    __slots__ = ("_label", "_lens", "_previous")

    def __init__(self, lens: ThreadLens, label: tuple[str, int, int]) -> None:
        self._lens = lens
        self._label = label

    def __enter__(self) -> None:
        self._previous = self._lens.label
        if self._previous is None:
            self._lens.label = self._label

    def __exit__(self, *exc_info: object) -> None:
        self._lens.label = self._previous


class Threads:
    """Threads as tracks."""

    def __init__(self, recorder: Recorder, loops: Loops, limits: Limits, waits: Waits) -> None:
        self._recorder = recorder
        self._loops = loops
        self._limits = limits
        self._waits = waits
        self._tracks: weakref.WeakKeyDictionary[threading.Thread, tuple[int, int | None, int, int]] = (
            weakref.WeakKeyDictionary()
        )
        self.on_start: Callable[[], None] = lambda: None

    def install(self, patches: Patches) -> None:
        waits, limits = self._waits, self._limits
        patches.rewrite(threading, "Thread.start", self._starting, around)
        patches.rewrite(threading, "Thread._bootstrap_inner", self._running, around_call("run"))
        patches.rewrite(threading, "Thread.join", self._joining, around)
        patches.rewrite(threading, "Condition.wait", lambda _: waits.condition(), around)
        patches.rewrite(threading, "Event.wait", lambda _: waits.labelled("event"), around)
        patches.rewrite(threading, "Barrier.wait", lambda _: waits.labelled("barrier"), around)
        for owner, module, method, reason, state in (
            ("Semaphore", threading, "acquire", "semaphore", QUEUED),
            ("Queue", queue, "get", "empty queue", WAITING),
            ("Queue", queue, "put", "full queue", QUEUED),
            ("Queue", queue, "join", "queue.join", WAITING),
        ):
            patches.rewrite(module, f"{owner}.{method}", self._limited(reason, state), around)
        lock, rlock = _lock_types(self._recorder, limits, waits)
        patches.set(threading, "Lock", lock)
        patches.set(threading, "RLock", rlock)

    def _limited(self, reason: str, state: int) -> Callable[[Any], Labelled]:
        def labelled(owner: Any) -> Labelled:
            resource = self._limits.resource_of(owner)
            if resource is None and state == QUEUED:
                return self._waits.labelled("")  # the standard library's own
            return self._waits.labelled(reason, state, self._recorder.wait(reason, state, resource))

        return labelled

    def _starting(self, thread: threading.Thread) -> Labelled:
        recorder = self._recorder
        frame: FrameType | None = sys._getframe(2)
        created = recorder.frame_site(recorder.caller(frame))
        self._tracks[thread] = recorder.next_track(), created, self._loops.current_track(), recorder.now()
        self.on_start()
        return self._waits.labelled("")  # it waits until the thread runs, which is nobody's business

    def _joining(self, thread: threading.Thread) -> Waiting:
        known = self._tracks.get(thread)
        track = None if known is None else known[0]
        return self._waits.waiting("thread", WAITING, self._recorder.wait("thread", WAITING, on=track))

    def _running(self, thread: threading.Thread) -> _ThreadRun:
        return _ThreadRun(self._recorder, thread, self._tracks.get(thread))


class _ThreadRun:
    __slots__ = ("_known", "_recorder", "_thread")

    def __init__(
        self, recorder: Recorder, thread: threading.Thread, known: tuple[int, int | None, int, int] | None
    ) -> None:
        self._recorder = recorder
        self._thread = thread
        self._known = known

    def __enter__(self) -> None:
        thread = self._thread
        target = getattr(thread, "_target", None) or type(thread).run
        code = getattr(getattr(target, "__func__", target), "__code__", None)
        track, created, parent, at_ns = self._known or (None, None, -1, self._recorder.now())
        lens = self._recorder.open_thread(
            _thread.get_ident(), thread.name, code, created, parent if parent >= 0 else None, at_ns, track
        )
        self._recorder.record((wire.THREAD_RUNS, lens.track, self._recorder.now(), 0, 0, 0))

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        raised = kind is not None and not issubclass(kind, SystemExit)
        self._recorder.close_thread(
            _thread.get_ident(),
            "raised" if raised else "returned",
            kind.__name__ if kind and raised else None,
        )


def _lock_types(recorder: Recorder, limits: Limits, waits: Waits) -> tuple[type, type]:
    """Locks that record who holds them and who queues; the standard library still gets real ones."""

    class Lock:
        _make_real: Callable[[], Any] = staticmethod(threading.Lock)
        _real: Any
        _depth: int
        _resource: int

        def __new__(cls) -> Any:
            frame = sys._getframe(1)
            while frame.f_code.co_filename == "<string>" and frame.f_back is not None:
                frame = frame.f_back  # what dataclasses generate
            if recorder.origins.is_stdlib(frame.f_code.co_filename):
                return cls._make_real()
            lock = object.__new__(cls)
            lock._real = cls._make_real()
            lock._depth = 0
            lock._resource = limits.add(lock, "lock", 1, frame)
            return lock

        def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
            if timeout != -1 and (timeout < 0 or not blocking):
                return bool(self._real.acquire(blocking, timeout))  # raises
            taken = self._real.acquire(False)
            if not taken and blocking:
                with waits.waiting("lock", QUEUED, recorder.wait("lock", QUEUED, self._resource)):
                    taken = self._real.acquire(True, timeout)
            if taken:
                self._depth += 1
                if self._depth == 1:
                    limits.take(self._resource)
            return bool(taken)

        def release(self) -> None:
            depth = self._depth
            if depth == 1:
                self._depth = 0
                limits.give_back(self._resource)
            self._real.release()
            if depth != 1:
                self._depth = depth - 1

        def __enter__(self) -> bool:
            return self.acquire()

        def __exit__(self, *exc_info: object) -> None:
            self.release()

        def __getattr__(self, name: str) -> Any:
            return getattr(self._real, name)

        def __repr__(self) -> str:
            return repr(self._real)

        def __dir__(self) -> list[str]:
            return dir(self._real)

        def __reduce_ex__(self, protocol: Any) -> Any:
            return self._real.__reduce_ex__(protocol)  # raises: a lock cannot be copied

        @property  # type: ignore[misc]
        def __class__(self) -> type:
            return type(self._real)

    class RLock(Lock):
        _make_real = staticmethod(threading.RLock)

        # what Condition uses to let go of a lock however often it is held
        def _release_save(self) -> tuple[Any, int]:
            depth, self._depth = self._depth, 0
            limits.give_back(self._resource)
            return self._real._release_save(), depth

        def _acquire_restore(self, state: tuple[Any, int]) -> None:
            self._real._acquire_restore(state[0])
            self._depth = state[1]
            limits.take(self._resource)

    for made in (Lock, RLock):
        real = type(made._make_real())
        made.__name__ = made.__qualname__ = real.__name__
        made.__module__ = real.__module__
    return Lock, RLock


class Executors:
    """Pools of workers as resources, and the work items that queue for them."""

    def __init__(
        self, recorder: Recorder, reasons: Reasons, loops: Loops, limits: Limits, waits: Waits
    ) -> None:
        self._recorder = recorder
        self._reasons = reasons
        self._loops = loops
        self._limits = limits
        self._waits = waits
        self._items: dict[int, tuple[int, weakref.ref[Any]]] = {}
        """id(concurrent future) -> its item."""
        self._awaited: dict[int, int] = {}
        """item -> id of the asyncio future it completes."""

    def install(self, patches: Patches) -> None:
        futures = concurrent.futures
        patches.rewrite(futures.thread, "ThreadPoolExecutor.__init__", self._pool_made, at_end)
        patches.rewrite(futures.thread, "_WorkItem.__init__", self._queued, at_end)
        patches.rewrite(futures.thread, "_WorkItem.run", lambda item: _ItemRun(self, item.future), around)
        patches.rewrite(futures._base, "Future.result", self._result, around)
        patches.rewrite(futures._base, "Future.exception", self._result, around)
        import asyncio.futures

        patches.rewrite(asyncio.futures, "_chain_future", self._chained, on_entry_with_all)

    def install_process_pool(self, patches: Patches, module: Any) -> None:
        patches.rewrite(module, "ProcessPoolExecutor.__init__", self._pool_made, at_end)
        patches.rewrite(module, "ProcessPoolExecutor.submit", self._submitted, on_return)

    def _pool_made(self, pool: Any) -> None:
        self._limits.add(pool, "executor", pool._max_workers, sys._getframe(2))

    def _add(self, future: Any, pool: Any) -> int:
        recorder = self._recorder
        item = recorder.next_item()
        key = id(future)
        self._items[key] = item, weakref.ref(future, lambda _: self._items.pop(key, None))
        resource = self._limits.resource_of(pool)
        if resource is not None:
            recorder.record(
                (wire.ITEM_QUEUED, item, recorder.now(), resource, self._loops.current_track(), 0)
            )
        return item

    def _queued(self, work_item: Any) -> None:
        # hook <- _WorkItem.__init__ <- ThreadPoolExecutor.submit
        frame = sys._getframe(2)
        self._add(work_item.future, frame.f_locals.get("self"))

    def _submitted(self, pool: Any, future: Any) -> Any:
        """A process pool starts an item when a worker is free; the parent of the run infers when that was."""
        item = self._add(future, pool)
        future.add_done_callback(lambda _: self.done(item))
        return future

    def item_of(self, future: Any) -> int | None:
        known = self._items.get(id(future))
        return None if known is None or known[1]() is not future else known[0]

    def done(self, item: int) -> None:
        recorder = self._recorder
        recorder.record((wire.ITEM_DONE, item, recorder.now(), 0, 0, 0))
        self._reasons.items.pop(self._awaited.pop(item, -1), None)

    def _chained(self, source: Any, destination: Any) -> None:
        item = self.item_of(source)
        if item is not None:
            self._awaited[item] = id(destination)
            self._reasons.items[id(destination)] = item
            if source.done():
                self._reasons.items.pop(self._awaited.pop(item, -1), None)

    def _result(self, future: Any) -> Labelled:
        item = self.item_of(future)
        if item is None:
            return self._waits.labelled("future")
        return self._waits.labelled("thread", WAITING, self._recorder.wait("thread", WAITING, item=item))


class _ItemRun:
    """Around the work of one item, in its worker thread."""

    __slots__ = ("_executors", "_item", "_lens")

    def __init__(self, executors: Executors, future: Any) -> None:
        self._executors = executors
        self._item = executors.item_of(future)
        self._lens = executors._waits.lens()

    def __enter__(self) -> None:
        recorder = self._executors._recorder
        at_ns = recorder.now()
        recorder.record((wire.THREAD_RUNS, self._lens.track, at_ns, 0, 0, 0))
        if self._item is not None:
            recorder.record((wire.ITEM_STARTED, self._item, at_ns, self._lens.track, 0, 0))

    def __exit__(self, *exc_info: object) -> None:
        recorder = self._executors._recorder
        if self._item is not None:
            self._executors.done(self._item)
        idle = recorder.wait("idle")
        recorder.record((wire.THREAD_WAITS, self._lens.track, recorder.now(), idle, 0, 0))
