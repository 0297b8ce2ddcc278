"""Records what a thread waits for, at the outermost primitive.

A thread in ``Queue.get`` waits for an item, not for the condition that the queue is made of.
"""

from __future__ import annotations

import sys
import threading
import weakref
from _thread import get_ident  # gevent replaces that of the module
from functools import partial
from itertools import chain, islice, starmap
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.capture.loops.state import Loops, LoopState
from asyncdemo.capture.recorder import WAITING, Cause, Recorder, ThreadState, cause_of, nothing

_getframe = sys._getframe  # the script may replace it

TRANSFERS = ("net.read", "net.write")
"""Waits that are reported as the service at the other end, if that is known."""

_WORTH_TELLING_NS = 100_000
"""A blocking call shorter than this is not reported: it is only part of its step."""

_MAIN_IDENT = threading.main_thread().ident


_CONDITION = cause_of("condition")


class Waits:
    """What the threads of the process wait for; a wait inside a loop's step is a blocking call."""

    def __init__(self, recorder: Recorder, loops: Loops) -> None:
        self._recorder = recorder
        self._loops = loops

    def thread_state(self) -> ThreadState:
        """Return the state of this thread. One that was not started by ``threading`` gets a track here."""
        recorder = self._recorder
        ident = get_ident()
        thread_state = recorder.threads.get(ident)
        if thread_state is None:
            main = ident == _MAIN_IDENT  # it may wait while it still imports
            name = "MainThread" if main else f"thread {ident}"
            thread_state = recorder.open_thread(ident, name, None, None, None, recorder.now())
        return thread_state

    def waiting(
        self,
        reason: str,
        state: int = WAITING,
        resource: int | None = None,
        on: int | None = None,
        item: int | None = None,
    ) -> Waiting:
        """Return a context manager for a call that may wait for this."""
        return Waiting(self._recorder, self._loops, self.thread_state(), (reason, state, resource, on, item))

    def until_gone(self, reason: str, state: int, resource: int | None) -> Waiting | None:
        """Begin a wait that ends, in C, when what is returned is gone. None if it is part of another wait."""
        wait = self.waiting(reason, state, resource)
        if wait.is_part:
            return None
        try:
            wait.__enter__()
            wait.end_when_gone()
        except BaseException:
            wait.__exit__()
            raise
        return wait

    def labelled(
        self, reason: str, state: int = WAITING, resource: int | None = None, item: int | None = None
    ) -> Labelled:
        """Return a context manager in which waiting for a condition is recorded as this."""
        return Labelled(self.thread_state(), (reason, state, resource, None, item))

    def serving(self, service: str) -> Labelled:
        """Return a context manager in which reads and writes of sockets count as waits for this service."""
        return Labelled(self.thread_state(), service, "service")

    def condition(self) -> Waiting:
        thread_state = self.thread_state()
        return Waiting(self._recorder, self._loops, thread_state, thread_state.label or _CONDITION)


class Waiting:
    __slots__ = (
        "__weakref__",
        "_cause",
        "_depth",
        "_loop",
        "_loops",
        "_recorder",
        "_thread_state",
    )

    def __init__(self, recorder: Recorder, loops: Loops, thread_state: ThreadState, cause: Cause) -> None:
        self._recorder = recorder
        self._loops = loops
        self._thread_state = thread_state
        if thread_state.depth and thread_state.outermost() is None:
            thread_state.depth = 0  # a signal handler raised where that wait should have been exited
        self._depth = thread_state.depth
        self._loop: LoopState | None = None
        self._cause = cause

    @property
    def is_part(self) -> bool:
        """Whether it is part of another wait, which is recorded instead."""
        return self._depth > 0

    def end_when_gone(self) -> None:
        """End it when the last reference is gone, and without a Python frame: see ``locks``."""
        thread_state, recorder, loop = self._thread_state, self._recorder, self._loop
        resets: Any = [(thread_state, "depth", self._depth)]
        if loop is None or loop.call is None:
            records = recorder.recording(wire.THREAD_RUNS, thread_state.track, None, 0, 0, 0)
        else:
            reason, start_ns, _ = loop.call
            call = recorder.call(reason, _getframe(1))
            recorder.announce(loop.track)
            records = recorder.recording(wire.CALLED, loop.track, start_ns, None, call, 0)
            resets.append((loop, "call", None))
        ending = chain(starmap(setattr, resets), islice(records, 1))
        thread_state.outermost = weakref.ref(self, partial(next, map(any, (ending,))))

    def __enter__(self) -> None:
        thread_state, recorder = self._thread_state, self._recorder
        thread_state.depth = self._depth + 1
        if self._depth:
            return
        thread_state.outermost = weakref.ref(self)
        reason = self._cause[0]
        if not reason:
            return
        if thread_state.service and reason in TRANSFERS:
            self._cause = cause_of(thread_state.service)
        self._loop = loop = self._loops.running_loop_state()
        if loop is None:
            wait = recorder.wait(*self._cause, recorder.user_site(sys._getframe(1)))
            recorder.record((wire.THREAD_WAITS, thread_state.track, recorder.now(), wait, 0, 0))
        else:
            loop.call = (self._cause[0], recorder.now(), self._cause)

    def __exit__(self, *exc_info: object) -> None:
        thread_state, recorder = self._thread_state, self._recorder
        thread_state.depth = self._depth  # not decremented: a signal handler may have raised in between
        if self._depth:
            return
        thread_state.outermost = nothing
        if not self._cause[0]:
            return
        loop = self._loop
        if loop is None:
            recorder.record((wire.THREAD_RUNS, thread_state.track, recorder.now(), 0, 0, 0))
        elif loop.call is not None:
            reason, start_ns, _ = loop.call
            loop.call = None
            end_ns = recorder.now()
            if end_ns - start_ns >= _WORTH_TELLING_NS:
                call = recorder.call(reason, _getframe(1))
                recorder.record((wire.CALLED, loop.track, start_ns, end_ns, call, 0))


class Labelled:
    """Sets the label of a thread's waits, or another attribute of its state, unless it is set already."""

    __slots__ = ("_attribute", "_previous", "_thread_state", "_value")

    def __init__(self, thread_state: ThreadState, value: Cause | str, attribute: str = "label") -> None:
        self._thread_state = thread_state
        self._value = value
        self._attribute = attribute
        self._previous = getattr(thread_state, attribute)

    def __enter__(self) -> None:
        if not self._previous:
            setattr(self._thread_state, self._attribute, self._value)

    def __exit__(self, *exc_info: object) -> None:
        setattr(self._thread_state, self._attribute, self._previous)
