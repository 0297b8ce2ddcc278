"""The event loops of the process: what each is doing right now, and in which thread."""

from __future__ import annotations

import asyncio
import sys
import time
import weakref
from _thread import get_ident, get_native_id  # gevent replaces those of the module
from asyncio import base_events, events
from collections.abc import Callable
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.capture.blocking.usage import Usage
from asyncdemo.capture.loops.handles import TASK_TYPES, TaskState, is_handle, note_of, stepped_task
from asyncdemo.capture.recorder import Cause, Recorder, nothing


class LoopState:
    """What one event loop is doing right now. The watchdog reads it from its own thread."""

    __slots__ = (
        "busy",
        "call",
        "current",
        "due_ns",
        "ended_ns",
        "ident",
        "io_ready",
        "io_seen",
        "is_plain",
        "looks",
        "loop",
        "making",
        "running",
        "runs_ns",
        "sample",
        "slept_ns",
        "started_ns",
        "state",
        "thread",
        "usage",
        "woke_ns",
    )

    def __init__(self, loop: Callable[[], Any], ident: int) -> None:
        """``loop()`` returns the loop, or None if it is gone."""
        self.loop = loop
        self.ident = ident
        self.running = False
        self.runs_ns = 0
        """Since when it has been running."""
        self.thread: int | None = None
        """The track of the thread that runs the loop."""
        self.current = wire.BY_LOOP
        """Track of the task being stepped, or the waker that a relay passes on."""
        self.state: TaskState | None = None
        """The state of the task being stepped."""
        self.started_ns = 0
        """When the running callback started; if none is running, minus the end of the last one."""
        self.ended_ns = 0
        """When the previous callback ended, if the next one begins immediately after it; else 0."""
        self.looks = False
        """Whether the loop tells when it looks for events: after that, nothing is between the callbacks."""
        self.is_plain = False
        """Whether the loop makes its handles as asyncio's own does."""
        self.making: Any = None
        """The task being created, whose first step may run meanwhile."""
        self.slept_ns = 0
        self.woke_ns = 0
        """When the loop last began to look for events, and when it finished."""
        self.io_seen: dict[int, int] = {}
        """While a step blocks: file descriptor -> when the watchdog first saw it ready."""
        self.io_ready: dict[int, int] = {}
        """The same by id(handle), for the events that the loop is about to handle."""
        self.due_ns = 0
        """In a relay: since when what it makes ready has been ready."""
        self.call: tuple[str, int, Cause] | None = None
        """(reason, start_ns, cause) of the blocking call that the step is in."""
        self.sample: Any = None
        """What the watchdog saw of the running step."""
        self.usage = Usage()
        """What the loop's thread had used when the watchdog first saw what runs now."""
        self.busy = True
        """Whether a call that blocks now would keep others from running. In a loop it always would."""

    @property
    def track(self) -> int:
        """The task whose step is running; negative if what runs is no task's step."""
        return self.current if not self.due_ns else -1

    def rest(self) -> None:
        """Stop observing what runs now."""
        self.current, self.state = wire.BY_LOOP, None
        self.started_ns = self.due_ns = self.ended_ns = 0

    def selector(self) -> Any:
        """Return what tells the loop of events, or None if that cannot be accessed."""
        return getattr(getattr(self.loop(), "_selector", None), "_selector", None)

    def starved(self, tasks: dict[int, int], offset_ns: int, now_ns: int) -> list[tuple[int, int]]:
        """Return (track, since when) for the tasks that could run if nothing blocked the loop.

        These are tasks whose step is scheduled, or whose timer is due. Each list is read from another thread,
        in one go. A loop that does not show its handles has none.
        """
        loop = self.loop()
        found: dict[int, int] = {}
        if not _is_asyncio(loop):
            return []
        for handle in list(loop._ready):
            note = note_of(handle) if is_handle(handle) else None
            if type(note) is TaskState and note.key in tasks:
                found[note.track] = note.ready_ns or note.end_ns
        for timer in list(loop._scheduled):
            if not is_handle(timer) or timer._cancelled:
                continue
            due_ns = int(timer._when * 1e9) + offset_ns
            if due_ns < now_ns:
                for future in timer._args or ():
                    callbacks = future._callbacks if type(future) in _FUTURES else None
                    for callback, _ in callbacks or ():
                        track = tasks.get(id(stepped_task(callback)))
                        if track is not None:
                            found.setdefault(track, due_ns)
        return list(found.items())


_setattr = object.__setattr__
_ref, _get_running_loop = weakref.ref, events._get_running_loop  # the script may replace them
_call_soon = base_events.BaseEventLoop._call_soon  # type: ignore[attr-defined]
_FUTURES = frozenset({asyncio.Future, asyncio.futures._PyFuture, *TASK_TYPES})  # type: ignore[attr-defined]
"""Types whose attributes are asyncio's own."""


def _is_asyncio(loop: Any) -> bool:
    return issubclass(type(loop), base_events.BaseEventLoop)


class Loops:
    """Every loop that was seen, and which one runs here; and what is done about steps and faults in them.

    Attributes:
        on_run: Called with a loop that is about to run.
        slow_ns: Callbacks longer than this are passed to ``on_slow``.
        on_slow: Called with (loop state, track or -1, start_ns, end_ns).
        failed: Called with (hook, error) if a hook fails. Returns False if the error is the script's own.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.on_run: Callable[[Any], None] = lambda loop: None
        self.slow_ns = sys.maxsize
        self.on_slow: Callable[[LoopState, int, int, int], None] = lambda *_: None
        self.failed: Callable[[str, BaseException], bool] = lambda hook, error: False
        self.loop_states: list[LoopState] = []
        self.hubs: dict[int, Any] = {}
        """Thread ident -> the state of its gevent hub, which replaces that of a loop if none runs there."""
        self._known_types: tuple[type, ...] = (base_events.BaseEventLoop,)
        # perf_counter and loop.time() may be different clocks
        offset = time.perf_counter_ns() - time.monotonic_ns()
        self.offset_ns = offset if abs(offset) > 10_000 else 0

    def state_of(self, loop: Any) -> LoopState:
        kind: Any = type(loop)
        if not issubclass(kind, self._known_types):
            # it may allow neither an attribute nor a weak reference, and its steps are not observed anyway
            return LoopState(nothing, get_ident())
        loop_state: LoopState | None = loop._asyncdemo
        if loop_state is None:
            loop_state = LoopState(_ref(loop), get_ident())
            _setattr(loop, "_asyncdemo", loop_state)
            loop_state.is_plain = _is_asyncio(loop) and kind._call_soon is _call_soon
            self.loop_states.append(loop_state)
        return loop_state

    def know(self, kind: type) -> None:
        """Register a type of loops that keep their own state: ``_asyncdemo``, which is None at first."""
        self._known_types += (kind,)

    def running_loop_state(self) -> LoopState | None:
        """Return the state of the loop that runs in this thread, if one does."""
        loop = _get_running_loop()
        if loop is not None:
            try:
                loop_state: LoopState | None = object.__getattribute__(loop, "_asyncdemo")
            except AttributeError:
                return None  # a custom loop, which is not observed: for us its thread acts
            return loop_state or self.state_of(loop)
        hub = self._hub() if self.hubs else None
        return hub if hub is not None and hub.busy else None

    def in_greenlet(self) -> bool:
        """Return whether a hub's greenlet, or the hub itself, runs here, rather than the thread."""
        hub = self._hub() if self.hubs else None
        return hub is not None and hub.thread is not None and hub.current != hub.thread

    def _hub(self) -> LoopState | None:
        """The hub of this thread; idents of threads that are over are reused."""
        hub: LoopState | None = self.hubs.get(get_ident())
        return None if hub is None or hub.loop() is None else hub

    def current_track(self) -> int:
        """Return the track that runs in this thread now; negative if there is none."""
        if self.hubs or _get_running_loop() is not None:  # else there is no loop: this is a hot path
            loop_state = self.running_loop_state()
            if loop_state is not None:
                return loop_state.track
        thread = self.recorder.threads.get(get_ident())
        return -1 if thread is None else thread.track

    def running(self, loop: Any) -> _Running:
        return _Running(self, loop)


class _Running:
    """Around ``run_forever``: ties the loop to the thread that runs it, whose own lane waits for it."""

    __slots__ = ("_loop_state", "_recorder", "_thread")

    def __init__(self, loops: Loops, loop: Any) -> None:
        self._loop_state = loops.state_of(loop)
        self._recorder = loops.recorder
        loops.on_run(loop)

    def __enter__(self) -> None:
        recorder = self._recorder
        self._loop_state.ident = ident = get_ident()
        self._loop_state.usage.follow(get_native_id())
        self._loop_state.usage.read(0)
        self._loop_state.running = True
        self._loop_state.runs_ns = recorder.now()
        self._thread = thread = recorder.threads.get(ident)
        if thread is not None:
            self._loop_state.thread = thread.track
            wait = recorder.wait("event loop")
            recorder.record((wire.THREAD_WAITS, thread.track, recorder.now(), wait, 0, 0))

    def __exit__(self, *exc_info: object) -> None:
        loop_state = self._loop_state
        loop_state.running = loop_state.looks = False
        loop_state.ended_ns = 0
        loop_state.usage.close()
        if self._thread is not None:
            recorder = self._recorder
            recorder.record((wire.THREAD_RUNS, self._thread.track, recorder.now(), 0, 0, 0))
