"""Signals that would end or stop a command which holds the terminal: noted, and heeded when it is safe.

Not for: what is given back before a command ends (each does that itself).
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Self

__all__ = ["ENDING", "Signals"]

ENDING: list[int] = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


class Signals:
    """A context manager. seen: numbers of the signals that came and would have ended us.

    stop: Ctrl-Z was pressed. It is for the caller to give back the terminal and call ``stop_now``.
    """

    def __init__(self) -> None:
        self.seen: list[int] = []
        self.stop = False
        self._raises = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        self._before = {number: signal.signal(number, self) for number in (*ENDING, signal.SIGTSTP)}
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def __call__(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002  (of every handler)
        if number == signal.SIGTSTP:
            self.stop = True
            return
        self.note(number)
        if self._raises:
            raise KeyboardInterrupt

    def note(self, number: int) -> None:
        """Also for others, whose handler stands in the place of ours for a while."""
        self.seen.append(number)

    @contextmanager
    def elsewhere(self, *, raised: bool) -> Iterator[None]:
        """While somebody else has the terminal: Ctrl-Z stops us at once, and a Ctrl-C is not meant for us.

        raised: a signal is also a KeyboardInterrupt, so that whoever waits for an answer is interrupted.
        """
        self._raises = raised
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        try:
            yield
        except KeyboardInterrupt:
            pass  # it ends what was going on here, and nothing else; other signals are noted as well
        finally:
            self._raises = False
            signal.signal(signal.SIGTSTP, self)
            self.seen[:] = [number for number in self.seen if number != signal.SIGINT]

    def stop_now(self) -> None:
        """Returns when we are told to go on."""
        self.stop = False
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        signal.raise_signal(signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, self)
