"""Signals that would end a command: noted, and handled when it is safe.

Not here: screens, which get them from their event loop (see ``tui.app``).
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final, Self

from asyncdemo.errors import EXIT_INTERRUPTED

ENDING: Final = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@contextmanager
def noting_signals() -> Iterator[list[int]]:
    """Only note signals that would end us; not those that we were started to ignore, as by ``nohup``.

    An exception in the middle of a poll would lose events, in the middle of a frame the terminal's state.
    """
    seen: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:  # noqa: ARG001  (a handler's signature)
        seen.append(number)

    ours = [number for number in ENDING if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, note) for number in ours}
    try:
        yield seen
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def stopping_together(send_signal: Callable[[int], None]) -> Iterator[None]:
    """Let Ctrl-Z also stop what we run, until we continue: it's in its own session, so it gets no SIGTSTP.

    ``send_signal`` sends it a signal.
    """

    def stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001  (a handler's signature)
        send_signal(signal.SIGSTOP)  # in a session without a terminal, SIGTSTP stops nothing
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        signal.signal(number, stop)
        send_signal(signal.SIGCONT)

    if signal.getsignal(signal.SIGTSTP) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTSTP, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)


class Ending:
    """Handles Ctrl-C while something is measured: the first ends it in order, the second immediately.

    While the protocol polls for it (``polled``), a signal is only noted (``asked``). At other times, when a
    server starts or a database is set up, it becomes an exception, which stops everything that was started.
    """

    def __init__(self) -> None:
        self.asked = False
        self.polled = False
        self._last = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        self._before = {number: signal.signal(number, self) for number in ENDING}
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def __call__(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002  (a handler's signature)
        if self._last:
            os._exit(EXIT_INTERRUPTED)  # the guard process ends the servers
        if self.asked:
            self._last = True
            raise SystemExit(EXIT_INTERRUPTED)
        self.asked = True
        if not self.polled:
            raise KeyboardInterrupt
