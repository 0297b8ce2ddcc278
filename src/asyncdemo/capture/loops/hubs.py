"""The state of a gevent hub and of its greenlets."""

from __future__ import annotations

import os
import select
import weakref
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.capture.loops.state import LoopState
from asyncdemo.capture.recorder import ThreadState

_epoll: Any = getattr(select, "epoll", None)  # gevent takes it away


class GreenletState(ThreadState):
    """The state of one greenlet. While it runs, it stands in for its thread."""

    __slots__ = ("call", "due_ns", "ended_ns", "name", "ref")

    def __init__(self, track: int, name: str, at_ns: int) -> None:
        super().__init__(track)
        self.ref: weakref.ref[Any] | None = None
        """A weak reference to the greenlet: being observed must not keep it alive."""
        self.name = name
        self.ended_ns = at_ns
        """When its last step ended, or when it was spawned."""
        self.due_ns = at_ns
        """When it can run, if that is known in advance; else 0."""
        self.call = ""
        """The observed call that it is in the middle of."""


class HubState(LoopState):
    """What one hub is doing right now."""

    __slots__ = ("epoll", "host", "itself", "live", "main", "unstarted")

    def __init__(self, hub: Any, ident: int) -> None:
        super().__init__(weakref.ref(hub), ident)
        self.busy = False
        """Whether what runs now keeps greenlets from running. If there are none, it does not."""
        self.live: dict[int, GreenletState] = {}
        """id(greenlet) -> its state, for those that have not ended."""
        self.unstarted: dict[int, GreenletState] = {}
        """Those of them that have not begun."""
        self.host: ThreadState | None = None
        """The thread itself, which is its main greenlet."""
        self.main: GreenletState | None = None
        """When and why the main greenlet was left."""
        self.epoll = _epoll_of(hub)
        self.itself = ThreadState(wire.BY_LOOP)
        """Stands in for a thread while the hub runs its own callbacks."""

    def selector(self) -> Any:
        return self.epoll

    def starved(self, tasks: dict[int, int], offset_ns: int, now_ns: int) -> list[tuple[int, int]]:
        """(track, since when) of the greenlets that could run if nothing held the hub."""
        return [
            (one.track, one.due_ns)
            for one in list(self.live.values())
            if one.track != self.current and 0 < one.due_ns < now_ns
        ]


def _epoll_of(hub: Any) -> Any:
    """With a duplicate descriptor: closing it must not close the hub's."""
    try:
        return None if _epoll is None else _epoll.fromfd(os.dup(hub.loop.fileno()))
    except (AttributeError, OSError, TypeError, ValueError):  # another kind of loop
        return None
