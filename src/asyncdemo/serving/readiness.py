"""Checks whether a server is ready, on the port that it was given.

Not here: what happens if it is not (see ``session``).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from enum import Enum, auto
from typing import Final

from asyncdemo.serving.ports import CAN_TELL, Listening, listening, ports_of
from asyncdemo.serving.probe import Probe

_DOUBT_S: Final = 0.25
"""How long a port must seem to belong to another program: a process may start between two looks."""
_ELSEWHERE_S: Final = 2.0
_SETTLED_S: Final = 0.02
"""After this time, a new connection is counted among the waiting ones."""
_PATIENCE_S: Final = 10.0
"""After this time, a server counts as ready if it listens but ignores a connection without a request."""


class Sight(Enum):
    """The state of the port."""

    NOTHING = auto()
    READY = auto()
    TAKEN = auto()
    """Another program has it."""
    ELSEWHERE = auto()
    """The server listens on another port."""


class Readiness:
    """Poll ``look``. ``other_port`` is where the server listens instead."""

    def __init__(self, port: int, pids: Callable[[], Collection[int]]) -> None:
        """``pids`` returns the server's current processes."""
        self._port = port
        self._pids = pids
        self._probe = Probe(port)
        self._since: dict[Sight, float] = {}
        self.other_port = 0

    def look(self) -> Sight:
        if not CAN_TELL:
            return self._look_from_outside()
        pids = self._pids()
        here = listening(self._port, pids)
        if here.ours is False:
            return self._lasting(Sight.TAKEN, _DOUBT_S)
        if not here.somebody:
            others = ports_of(pids)
            self.other_port = min(others, default=0)
            return self._lasting(Sight.ELSEWHERE, _ELSEWHERE_S) if others else self._lasting(Sight.NOTHING, 0)
        if self._probe.answered() or self._is_accepted(here):
            return Sight.READY
        lasting = self._lasting(Sight.READY, _PATIENCE_S)
        return Sight.READY if lasting is Sight.READY else Sight.NOTHING

    def close(self) -> None:
        """May be called twice."""
        self._probe.close()

    def _is_accepted(self, here: Listening) -> bool:
        """Return whether our connection is no longer waiting, so that a process has it."""
        connected_s = self._probe.connected_s
        if connected_s is None or time.monotonic() - connected_s < _SETTLED_S:
            return False
        return listening(self._port, ()).waiting == 0 == here.waiting

    def _look_from_outside(self) -> Sight:
        """If finding the listener is expensive, do it only once, when something has answered."""
        if not self._probe.answered():
            return Sight.NOTHING
        return Sight.TAKEN if listening(self._port, self._pids()).ours is False else Sight.READY

    def _lasting(self, sight: Sight, for_s: float) -> Sight:
        """Return the sight once nothing else has been seen for this long."""
        now_s = time.monotonic()
        self._since = {sight: self._since.get(sight, now_s)}
        return sight if now_s - self._since[sight] >= for_s else Sight.NOTHING
