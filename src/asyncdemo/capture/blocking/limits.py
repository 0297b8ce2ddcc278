"""Observes resources: semaphores, locks and queues of asyncio, threading and queue.

Each is recorded with the line that made it, and slots that are taken and given back with the track that did
it. Those that the standard library makes for itself are left alone.
"""

from __future__ import annotations

import asyncio
import collections
import queue
import sys
import threading
import weakref
from collections.abc import Callable
from types import FrameType
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.capture.guard import caller_of_hooked
from asyncdemo.capture.instrument import Patches, after_setting, at_end, on_return
from asyncdemo.capture.loops.state import Loops
from asyncdemo.capture.recorder import Recorder

_getframe = sys._getframe  # the script may replace it


class Limits:
    """The resources of the process, by object."""

    def __init__(
        self, recorder: Recorder, loops: Loops, has_pools: Callable[[str], bool] = lambda filename: False
    ) -> None:
        """``has_pools`` tells of a file whether it is a library's whose own limits are part of its pools."""
        self._recorder = recorder
        self._loops = loops
        self.has_pools = has_pools
        self._known: dict[int, tuple[weakref.ref[Any] | type, int]] = {}
        self._held: dict[int, int] = {}
        """Resource -> how many slots are taken, for semaphores and asyncio's locks."""

    def resource_of(self, owner: object) -> int | None:
        known = self._known.get(id(owner))
        if known is None:
            return None
        reference, resource = known
        same = type(owner) is reference if isinstance(reference, type) else reference() is owner
        return resource if same else None

    def add(self, owner: Any, kind: str, limit: int | None, frame: FrameType | None) -> int:
        resource = self._recorder.resource(kind, limit, frame)
        self.stands_for(owner, resource)
        return resource

    def stands_for(self, owner: Any, resource: int) -> None:
        """Note that the object is, or works for, a known resource."""
        key = id(owner)
        try:
            self._known[key] = weakref.ref(owner, lambda _: self._known.pop(key, None)), resource
        except TypeError:  # no weak references; the next of its type at this address is added again
            self._known[key] = type(owner), resource

    def take(self, resource: int) -> None:
        recorder = self._recorder
        site = recorder.user_site(_getframe(1))
        place = 0 if site is None else site + 1
        recorder.record((wire.TAKEN, self._loops.current_track(), recorder.now(), resource, 0, place))

    def give_back(self, resource: int) -> None:
        recorder = self._recorder
        recorder.record((wire.GIVEN_BACK, self._loops.current_track(), recorder.now(), resource, 0, 0))

    # -- hooks ----------------------------------------------------------------------------------

    def _made(self, owner: Any, kind: str, limit: int | None) -> None:
        frame: FrameType | None = caller_of_hooked()
        while (
            frame is not None and frame.f_code.co_name == "__init__" and frame.f_locals.get("self") is owner
        ):
            frame = frame.f_back  # a subclass
        if frame is None or self._recorder.origins.is_stdlib(frame.f_code.co_filename):
            return
        if not self.has_pools(frame.f_code.co_filename):
            self.add(owner, kind, limit, frame)

    def semaphore_made(self, semaphore: Any) -> None:
        limit = _limit(semaphore._value)
        if limit is not None:  # else it is a signal, and limits nothing
            self._made(semaphore, "semaphore", limit)

    def lock_made(self, lock: Any) -> None:
        self._made(lock, "lock", 1)

    def queue_made(self, owner: Any) -> None:
        known = vars(owner)
        self._made(owner, "queue", _limit(known.get("_maxsize", known.get("maxsize"))))

    def acquired(self, owner: Any, success: Any) -> Any:
        if success:
            resource = self.resource_of(owner)
            if resource is not None:
                self._held[resource] = self._held.get(resource, 0) + 1
                self.take(resource)
        return success

    def released(self, owner: Any, count: Any = 1) -> None:
        """Called while no one else can take what is released, which may be more than was ever taken."""
        resource = self.resource_of(owner)
        if resource is not None:
            held = self._held.get(resource, 0)
            released = min(held, count if type(count) is int else 1)
            self._held[resource] = held - released  # what was never taken cannot be given back
            for _ in range(released):
                self.give_back(resource)

    def length_changed(self, owner: Any, value: Any = None) -> Any:
        resource = self.resource_of(owner)
        length = None if resource is None else _length(owner)
        if resource is not None and length is not None:
            recorder = self._recorder
            recorder.record((wire.LEVEL, resource, recorder.now(), length, 0, 0))
        return value

    def install(self, patches: Patches) -> None:
        for name, made in (("Semaphore", self.semaphore_made), ("Lock", self.lock_made)):
            patches.rewrite(asyncio.locks, f"{name}.__init__", made, at_end)
            patches.rewrite(asyncio.locks, f"{name}.acquire", self.acquired, on_return)
        patches.rewrite(asyncio.locks, "Semaphore.release", self.released, after_setting("_value"))
        patches.rewrite(asyncio.locks, "Lock.release", self.released, after_setting("_locked"))
        patches.rewrite(asyncio.queues, "Queue.__init__", self.queue_made, at_end)
        patches.rewrite(asyncio.queues, "Queue.put_nowait", self.length_changed, at_end)
        patches.rewrite(asyncio.queues, "Queue.get_nowait", self.length_changed, on_return)
        patches.rewrite(threading, "Semaphore.__init__", self.semaphore_made, at_end)
        patches.rewrite(threading, "Semaphore.acquire", self.acquired, on_return)
        for name in ("Semaphore", "BoundedSemaphore"):
            patches.rewrite(threading, f"{name}.release", self.released, after_setting("_value"))
        patches.rewrite(queue, "Queue.__init__", self.queue_made, at_end)
        patches.rewrite(queue, "Queue.put", self.length_changed, at_end)
        patches.rewrite(queue, "Queue.get", self.length_changed, on_return)


def _limit(value: Any) -> int | None:
    """The limit; None if nothing is limited, or if the script passed anything but a number."""
    return int(value) if type(value) in (int, bool) and value > 0 else None


_KNOWN_LENGTHS = {None, *(kind._qsize for kind in (queue.Queue, queue.PriorityQueue, queue.LifoQueue))}
"""None, because asyncio's queues have no such method."""
_CONTAINERS = (collections.deque, list)


def _length(owner: Any) -> int | None:
    """The queue's length; None if it counts in its own way, which must not be called.

    The lock of a ``queue.Queue`` is not taken: this thread may hold it.
    """
    if getattr(type(owner), "_qsize", None) not in _KNOWN_LENGTHS:
        return None
    known = vars(owner)
    items = known.get("_queue", known.get("queue"))
    return len(items) if type(items) in _CONTAINERS else None
