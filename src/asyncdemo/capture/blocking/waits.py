"""Records what a thread waits for, where the outermost primitive is.

A thread in ``Queue.get`` waits for an item, not for the condition that the queue is made of.
"""

from __future__ import annotations

import sys
import threading
import weakref
from _thread import get_ident  # gevent replaces that of the module

from asyncdemo.capture import wire
from asyncdemo.capture.loops.state import LoopLens, Loops
from asyncdemo.capture.recorder import WAITING, Cause, Recorder, ThreadLens, cause_of, nothing

_getframe = sys._getframe  # the script may replace it

TRANSFERS = ("net.read", "net.write")
"""What is told as the service that is talked to, where that is known."""

_WORTH_TELLING_NS = 100_000
"""A blocking call shorter than this is part of its step and nothing else."""

_MAIN_IDENT = threading.main_thread().ident


_CONDITION = cause_of("condition")


class Waits:
    """What the threads of the process wait for; a wait inside a loop's step is a blocking call."""

    def __init__(self, recorder: Recorder, loops: Loops) -> None:
        self._recorder = recorder
        self._loops = loops

    def lens(self) -> ThreadLens:
        """That of this thread; a thread that was not started by ``threading`` gets a track here."""
        recorder = self._recorder
        ident = get_ident()
        lens = recorder.threads.get(ident)
        if lens is None:
            main = ident == _MAIN_IDENT  # it waits while it still imports
            name = "MainThread" if main else f"thread {ident}"
            lens = recorder.open_thread(ident, name, None, None, None, recorder.now())
        return lens

    def waiting(
        self,
        reason: str,
        state: int = WAITING,
        resource: int | None = None,
        on: int | None = None,
        item: int | None = None,
    ) -> Waiting:
        """A context manager for a call that may wait for that."""
        return Waiting(self._recorder, self._loops, self.lens(), (reason, state, resource, on, item))

    def labelled(
        self, reason: str, state: int = WAITING, resource: int | None = None, item: int | None = None
    ) -> Labelled:
        """While in it, a condition that is waited for is recorded as this."""
        return Labelled(self.lens(), (reason, state, resource, None, item))

    def serving(self, service: str) -> Serving:
        """While in it, what is read from or written to a socket is recorded as waiting for this service."""
        return Serving(self.lens(), service)

    def condition(self) -> Waiting:
        lens = self.lens()
        return Waiting(self._recorder, self._loops, lens, lens.label or _CONDITION)


class Waiting:
    __slots__ = (
        "__weakref__",
        "_cause",
        "_depth",
        "_lens",
        "_loop",
        "_loops",
        "_recorder",
    )

    def __init__(self, recorder: Recorder, loops: Loops, lens: ThreadLens, cause: Cause) -> None:
        self._recorder = recorder
        self._loops = loops
        self._lens = lens
        if lens.depth and lens.outermost() is None:
            lens.depth = 0  # a signal handler raised where that wait was to be left, so nobody has left it
        self._depth = lens.depth
        self._loop: LoopLens | None = None
        self._cause = cause

    def __enter__(self) -> None:
        lens, recorder = self._lens, self._recorder
        lens.depth = self._depth + 1
        if self._depth:
            return
        lens.outermost = weakref.ref(self)
        reason = self._cause[0]
        if not reason:
            return
        if lens.service and reason in TRANSFERS:
            self._cause = cause_of(lens.service)
        self._loop = loop = self._loops.running_lens()
        if loop is None:
            wait = recorder.wait(*self._cause, recorder.user_site(sys._getframe(1)))
            recorder.record((wire.THREAD_WAITS, lens.track, recorder.now(), wait, 0, 0))
        else:
            loop.call = (self._cause[0], recorder.now(), self._cause)

    def __exit__(self, *exc_info: object) -> None:
        lens, recorder = self._lens, self._recorder
        lens.depth = self._depth  # not counted down: a signal handler may have raised in between
        if self._depth:
            return
        lens.outermost = nothing
        if not self._cause[0]:
            return
        loop = self._loop
        if loop is None:
            recorder.record((wire.THREAD_RUNS, lens.track, recorder.now(), 0, 0, 0))
        elif loop.call is not None:
            reason, start_ns, _ = loop.call
            loop.call = None
            end_ns = recorder.now()
            if end_ns - start_ns >= _WORTH_TELLING_NS:
                call = recorder.call(reason, _getframe(1))
                recorder.record((wire.CALLED, loop.track, start_ns, end_ns, call, 0))


class Labelled:
    __slots__ = ("_label", "_lens", "_previous")

    def __init__(self, lens: ThreadLens, label: Cause) -> None:
        self._lens = lens
        self._label = label
        self._previous = lens.label

    def __enter__(self) -> None:
        if self._previous is None:
            self._lens.label = self._label

    def __exit__(self, *exc_info: object) -> None:
        self._lens.label = self._previous


class Serving:
    __slots__ = ("_lens", "_previous", "_service")

    def __init__(self, lens: ThreadLens, service: str) -> None:
        self._lens = lens
        self._service = service
        self._previous = lens.service

    def __enter__(self) -> None:
        self._lens.service = self._previous or self._service

    def __exit__(self, *exc_info: object) -> None:
        self._lens.service = self._previous
