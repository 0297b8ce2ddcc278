"""Watch whether the script does anything; if it doesn't, ask its processes who waits for what."""

from __future__ import annotations

import time

from asyncdemo.capture import wire
from asyncdemo.recording.assembly import Assembly
from asyncdemo.recording.connections import EventConnections

_ANSWER_S = 0.5
"""How long a script that is about to be ended has to report who is stuck."""
_IDLE_S = 3.0
"""A script that has done nothing for this long is asked who waits for what."""


class StandstillWatch:
    def __init__(self, assembly: Assembly, connections: EventConnections) -> None:
        self._assembly = assembly
        self._connections = connections
        self._events = 0
        self._idle_since: float | None = None
        """Since when nothing has happened; None before the script may run."""
        self._asked_at: float | None = None
        """When the processes were asked who is stuck; None if the script has continued since."""
        self._answer_pending = False
        """Something happened between the question and the answer."""
        self._stands_still = False

    def begin(self) -> None:
        """Watch from now on: the script may run."""
        self._idle_since = time.monotonic()

    @property
    def has_begun(self) -> bool:
        return self._idle_since is not None

    @property
    def stands_still(self) -> bool:
        """Whether nothing has happened for a while and it is known who waits for what."""
        return self._stands_still and self._assembly.standstill.is_known

    @property
    def idle_ns(self) -> int:
        return 0 if self._idle_since is None else int((time.monotonic() - self._idle_since) * 1e9)

    def leave_out(self, paused_s: float) -> None:
        """Don't count the time for which the script was stopped."""
        if self._idle_since is not None:
            self._idle_since += paused_s

    def look(self, now: float) -> None:
        """Ask the processes if nothing has happened for a while; forget their answer once something has."""
        if self._idle_since is None:
            return
        if self._assembly.events != self._events:
            self._events, self._idle_since = self._assembly.events, now
            if self._asked_at is not None:
                self._answer_pending = not self._assembly.standstill.is_known
                self._asked_at, self._stands_still = None, False
                self._assembly.standstill.clear()
        elif self._asked_at is None and now > self._idle_since + _IDLE_S and self._connections:
            self._stands_still = True
            self._ask(now)

    def stuck_is_known(self, now: float) -> bool:
        """Return whether it is known who is stuck; if the child does not answer, use the recording."""
        if not (self._connections and self._assembly.script.ready):
            return True
        asked_at = self._ask(now) if self._asked_at is None else self._asked_at
        if not self._assembly.standstill.is_known and now < asked_at + _ANSWER_S:
            return False
        self._assembly.standstill.fill_in()
        return True

    def forget_answer(self) -> None:
        """Drop what was answered to a question of ours: it stood still for a while, but has ended."""
        if self._asked_at is not None or self._answer_pending:
            self._assembly.standstill.clear()

    def _ask(self, now: float) -> float:
        self._asked_at = now
        self._assembly.standstill.clear()
        self._connections.send(wire.frame(wire.ASK, b""))
        return now
