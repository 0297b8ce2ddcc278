"""What is known of a hub of gevent's and of each of its greenlets, while they run.

Not for: finding it out (``capture.loops.greenlets`` does, at each switch).
"""

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
    """What is known of one greenlet. While it runs, it stands for its thread."""

    __slots__ = ("call", "due_ns", "ended_ns", "name", "ref")

    def __init__(self, track: int, name: str, at_ns: int) -> None:
        super().__init__(track)
        self.ref: weakref.ref[Any] | None = None
        """To itself; it must not live longer because it is observed."""
        self.name = name
        self.ended_ns = at_ns
        """Of its last step, or when it was spawned."""
        self.due_ns = at_ns
        """From when on it could run, as far as that is known beforehand; 0 if it is not."""
        self.call = ""
        """The observed call that it is in the middle of."""


class HubState(LoopState):
    """What one hub is doing right now."""

    __slots__ = ("epoll", "host", "itself", "live", "main", "unstarted")

    def __init__(self, hub: Any, ident: int) -> None:
        super().__init__(weakref.ref(hub), ident)
        self.busy = False
        """Does what runs now keep greenlets from running? Where there are none it does not."""
        self.live: dict[int, GreenletState] = {}
        """By id, those that have not ended."""
        self.unstarted: dict[int, GreenletState] = {}
        """Of these, those that have not begun."""
        self.host: ThreadState | None = None
        """The thread itself, which is its main greenlet."""
        self.main: GreenletState | None = None
        """When and why that left."""
        self.epoll = _epoll_of(hub)
        self.itself = ThreadState(wire.BY_LOOP)
        """In place of a thread while the hub runs its own callbacks."""

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
    """Through a descriptor of its own, as closing it must not close the hub's."""
    try:
        return None if _epoll is None else _epoll.fromfd(os.dup(hub.loop.fileno()))
    except (AttributeError, OSError, TypeError, ValueError):  # another kind of loop
        return None
