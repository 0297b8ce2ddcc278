"""Observes threads: their start and end, and the ``threading`` and ``queue`` primitives they wait in."""

from __future__ import annotations

import queue
import threading
import time
import weakref
from _thread import get_ident  # gevent replaces that of the module
from collections.abc import Callable
from types import CodeType, FunctionType, MethodType
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.capture.blocking import locks
from asyncdemo.capture.blocking.limits import Limits
from asyncdemo.capture.blocking.waits import Labelled, Waiting, Waits
from asyncdemo.capture.frames import hide_own_frames
from asyncdemo.capture.guard import caller_of_hooked
from asyncdemo.capture.instrument import Patches, around, around_call
from asyncdemo.capture.loops.state import Loops, LoopState
from asyncdemo.capture.recorder import QUEUED, WAITING, Recorder, ThreadState, cause_of

_NOTHING = cause_of("")
_clock = time.perf_counter_ns  # the real one, also where the script's is virtual


class Threads:
    def __init__(self, recorder: Recorder, loops: Loops, limits: Limits, waits: Waits) -> None:
        self._recorder = recorder
        self._loops = loops
        self._limits = limits
        self._waits = waits
        self._started: dict[int, tuple[weakref.ref[threading.Thread], _Start]] = {}
        """id(thread) -> its start. By id, because a thread class of the script's may define equality."""
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
        locks.install(self._recorder, self._loops, limits, waits, patches)

    def _limited(self, reason: str, state: int) -> Callable[[Any], Labelled]:
        def labelled(owner: Any) -> Labelled:
            resource = self._limits.resource_of(owner)
            if resource is None and state == QUEUED:
                return self._waits.labelled("")  # the standard library's own
            return self._waits.labelled(reason, state, resource)

        return labelled

    def _starting(self, thread: threading.Thread) -> _Starting:
        recorder = self._recorder
        created = recorder.maker_site(caller_of_hooked())
        start = self._start_of(thread)
        if start is None:  # else this call raises
            key, track = id(thread), recorder.next_track()
            start = _Start(track, created, self._loops.current_track(), recorder.now())
            self._started[key] = weakref.ref(thread, lambda _: self._started.pop(key, None)), start
        self.on_start()
        return _Starting(self._waits.thread_state(), self._loops.running_loop_state(), start)

    def _start_of(self, thread: threading.Thread) -> _Start | None:
        reference, start = self._started.get(id(thread), (None, None))
        return start if reference is not None and reference() is thread else None

    def _joining(self, thread: threading.Thread) -> Waiting:
        start = self._start_of(thread)
        track = None if start is None else start.track
        return self._waits.waiting("thread", on=track)

    def _running(self, thread: threading.Thread) -> _ThreadRun | Labelled:
        if self._loops.in_greenlet():
            return self._waits.labelled("")  # gevent has made it a greenlet, which is observed as one
        return _ThreadRun(self._recorder, thread, self._start_of(thread))


class _Start:
    """One call of ``Thread.start``, at the line ``created``, by the track ``parent`` (negative: unknown)."""

    __slots__ = ("at_ns", "created", "parent", "runs_ns", "track")

    def __init__(self, track: int, created: int | None, parent: int, at_ns: int) -> None:
        self.track, self.created, self.parent, self.at_ns = track, created, parent, at_ns
        self.runs_ns = 0
        """Since when the thread has been running; 0: not yet."""


class _Starting(Labelled):
    """Around ``Thread.start``, whose wait until the thread runs is the system's doing, and not reported."""

    __slots__ = ("_before_ns", "_loop_state", "_start")

    def __init__(self, thread_state: ThreadState, loop_state: LoopState | None, start: _Start) -> None:
        super().__init__(thread_state, _NOTHING)
        self._loop_state = loop_state
        self._start = start
        self._before_ns = 0 if loop_state is None else loop_state.usage.unexplained_ns(_clock())

    def __exit__(self, *exc_info: object) -> None:
        super().__exit__(*exc_info)
        loop_state, runs_ns = self._loop_state, self._start.runs_ns
        if loop_state is not None and runs_ns:
            took_ns = loop_state.usage.unexplained_ns(runs_ns) - self._before_ns
            loop_state.usage.first_turn_took(took_ns, loop_state.started_ns)


def _code_of(target: Any) -> CodeType | None:
    """The code of a function or a method; None for anything else, whose attributes are never read."""
    function = target.__func__ if type(target) is MethodType else target
    return function.__code__ if type(function) is FunctionType else None


class _ThreadRun:
    __slots__ = ("_recorder", "_start", "_thread")

    def __init__(self, recorder: Recorder, thread: threading.Thread, start: _Start | None) -> None:
        self._recorder = recorder
        self._thread = thread
        self._start = start

    def __enter__(self) -> None:
        thread, recorder = self._thread, self._recorder
        known = vars(thread)
        start = self._start or _Start(recorder.next_track(), None, -1, recorder.now())
        start.runs_ns = _clock()
        thread_state = recorder.open_thread(
            get_ident(),
            known.get("_name", ""),
            _code_of(type(thread).run if known.get("_target") is None else known["_target"]),
            start.created,
            start.parent if start.parent >= 0 else None,
            start.at_ns,
            start.track,
        )
        recorder.record((wire.THREAD_RUNS, thread_state.track, recorder.now(), 0, 0, 0))

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        if error is not None:
            hide_own_frames(error)  # before ``threading.excepthook`` prints it
        raised = kind is not None and not issubclass(kind, SystemExit)
        self._recorder.close_thread(
            get_ident(),
            "raised" if raised else "returned",
            kind.__name__ if kind and raised else None,
        )
