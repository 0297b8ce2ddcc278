"""What can happen while one watches: keys, saves and signals, gathered until somebody heeds them.

Not for: what they mean (``watch``).
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from asyncdemo.cli.keys import CLOSED, Keys
from asyncdemo.cli.signals import Signals
from asyncdemo.course.workspace.saves import Change, Watcher
from asyncdemo.recording.polling import readable

__all__ = ["QUIT", "Attention"]

QUIT = {"q", "Q", "ctrl-d", CLOSED}
_STOPPING = QUIT | {"n", "r", "x", "e"}
"""Keys that lead away from the check that is running."""


class Attention:
    """keys: None if nobody can press any. typed, changes: what came and is not heeded yet."""

    def __init__(self, keys: Keys | None, watcher: Watcher, signals: Signals) -> None:
        self.typed: list[str] = []
        self.changes: dict[str, Change] = {}
        self._keys = keys
        self._watcher = watcher
        self._signals = signals

    @property
    def has_keys(self) -> bool:
        return self._keys is not None

    @property
    def ended(self) -> bool:
        """A signal says that this is the end."""
        return bool(self._signals.seen)

    @property
    def ended_meanwhile(self) -> bool:
        """As ``ended``, while the terminal is lent: a Ctrl-C is meant for whoever has it."""
        return any(number != signal.SIGINT for number in self._signals.seen)

    @property
    def stopped(self) -> bool:
        """Ctrl-Z was pressed: ``stop``."""
        return self._signals.stop

    def listen(self, pause_s: float) -> None:
        """Wait at most so long for the first thing that happens."""
        pause_s = min(pause_s, self._watcher.pause_s())
        if self._keys is not None:
            key = self._keys.read(pause_s, [self._watcher.fileno()])
            while key is not None:
                self.typed.append(key)
                key = None if key == CLOSED else self._keys.read(0)
        elif pause_s:
            readable([self._watcher.fileno()], pause_s)
        self.changes.update(self._watcher.look())

    def check_is_unwanted(self) -> bool:
        """Whether something has happened after which nobody waits for the verdict of the running check."""
        return bool(self.changes or self.ended or self.stopped or not _STOPPING.isdisjoint(self.typed))

    @contextmanager
    def lent(self, *, raised: bool) -> Iterator[None]:
        """While somebody else has the terminal; raised: as for ``Signals.elsewhere``."""
        if self._keys is not None:
            self._keys.suspend()
        try:
            with self._signals.elsewhere(raised=raised):
                yield
        finally:
            if self._keys is not None and not self.ended:
                self._keys.resume()

    def stop(self) -> None:
        """Returns when we are woken again."""
        if self._keys is not None:
            self._keys.suspend()
        self._signals.stop_now()
        if self._keys is not None:
            self._keys.resume()
