"""The event loops of the process: what each is doing right now, and in which thread."""

from __future__ import annotations

import time
import weakref
from _thread import get_ident, get_native_id  # gevent replaces those of the module
from asyncio import events
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.capture.recorder import Recorder
from asyncdemo.capture.usage import Usage


class LoopLens:
    """What one event loop is doing right now; read by the watchdog from its own thread."""

    __slots__ = (
        "busy",
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
        self.busy = True
        """Would a call that blocks now keep others from running? Of a loop that runs always."""

    @property
    def track(self) -> int:
        """The task whose step is being run; negative if what runs is no task's step."""
        return self.current if not self.due_ns else -1

    def selector(self) -> Any:
        """What tells the loop of events; None if that cannot be seen from here."""
        return getattr(getattr(self.loop(), "_selector", None), "_selector", None)

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


class Loops:
    """Every loop that was seen, and which one runs here."""

    def __init__(self, recorder: Recorder) -> None:
        self.lenses: list[LoopLens] = []
        self.hubs: dict[int, Any] = {}
        """Thread -> the lens of its gevent hub, which has a loop's place where no loop runs."""
        self._recorder = recorder
        # perf_counter and loop.time() may be different clocks
        offset = time.perf_counter_ns() - time.monotonic_ns()
        self.offset_ns = offset if abs(offset) > 10_000 else 0

    def lens_of(self, loop: Any) -> LoopLens:
        lens: LoopLens | None = getattr(loop, "_asyncdemo", None)
        if lens is None:
            lens = loop._asyncdemo = LoopLens(loop, get_ident())
            self.lenses.append(lens)
        return lens

    def running_lens(self) -> LoopLens | None:
        """That of the loop that runs in this thread, if one does."""
        loop = events._get_running_loop()
        if loop is not None:
            try:
                lens: LoopLens | None = object.__getattribute__(loop, "_asyncdemo")
            except AttributeError:
                return None  # somebody's own loop, which is not observed: for us its thread acts
            return lens or self.lens_of(loop)
        hub = self._hub() if self.hubs else None
        return hub if hub is not None and hub.busy else None

    def in_greenlet(self) -> bool:
        """Does a hub's greenlet run here, or the hub itself, rather than the thread?"""
        hub = self._hub() if self.hubs else None
        return hub is not None and hub.thread is not None and hub.current != hub.thread

    def _hub(self) -> LoopLens | None:
        """That of this thread; the idents of threads that are over come back."""
        hub: LoopLens | None = self.hubs.get(get_ident())
        return None if hub is None or hub.loop() is None else hub

    def current_track(self) -> int:
        """What executes in this thread now; negative if that is no track."""
        lens = self.running_lens()
        if lens is not None:
            return lens.track
        thread = self._recorder.threads.get(get_ident())
        return -1 if thread is None else thread.track

    def running(self, loop: Any) -> _Running:
        return _Running(self, loop)


class _Running:
    """Around ``run_forever``: ties the loop to the thread that runs it, whose own lane waits for it."""

    __slots__ = ("_lens", "_recorder", "_thread")

    def __init__(self, loops: Loops, loop: Any) -> None:
        self._lens = loops.lens_of(loop)
        self._recorder = loops._recorder

    def __enter__(self) -> None:
        recorder = self._recorder
        self._lens.ident = ident = get_ident()
        self._lens.usage.follow(get_native_id())
        self._lens.usage.read(0)
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
