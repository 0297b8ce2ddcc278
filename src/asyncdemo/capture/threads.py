"""Observes threads: their start and end, and the primitives of ``threading`` and ``queue`` they wait in."""

from __future__ import annotations

import queue
import threading
import weakref
from _thread import get_ident  # gevent replaces that of the module
from collections.abc import Callable
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.capture.guard import caller_of_hooked
from asyncdemo.capture.instrument import Patches, around, around_call
from asyncdemo.capture.limits import Limits
from asyncdemo.capture.locks import lock_types
from asyncdemo.capture.loops import Loops
from asyncdemo.capture.recorder import QUEUED, WAITING, Recorder
from asyncdemo.capture.waits import Labelled, Waiting, Waits


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
        lock, rlock = lock_types(self._recorder, limits, waits)
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
        created = recorder.frame_site(recorder.caller(caller_of_hooked()))
        self._tracks[thread] = recorder.next_track(), created, self._loops.current_track(), recorder.now()
        self.on_start()
        return self._waits.labelled("")  # it waits until the thread runs, which is nobody's business

    def _joining(self, thread: threading.Thread) -> Waiting:
        known = self._tracks.get(thread)
        track = None if known is None else known[0]
        return self._waits.waiting("thread", WAITING, self._recorder.wait("thread", WAITING, on=track))

    def _running(self, thread: threading.Thread) -> _ThreadRun | Labelled:
        if self._loops.in_greenlet():
            return self._waits.labelled("")  # gevent has made it a greenlet, which is observed as such
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
            get_ident(), thread.name, code, created, parent if parent >= 0 else None, at_ns, track
        )
        self._recorder.record((wire.THREAD_RUNS, lens.track, self._recorder.now(), 0, 0, 0))

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        raised = kind is not None and not issubclass(kind, SystemExit)
        self._recorder.close_thread(
            get_ident(),
            "raised" if raised else "returned",
            kind.__name__ if kind and raised else None,
        )
