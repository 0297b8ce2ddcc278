"""Signals that would end a command: an exception, except where it would do harm; there, they are noted."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final, Self

from asyncdemo.cli.output import has_room
from asyncdemo.errors import EXIT_INTERRUPTED

ENDING: Final = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@contextmanager
def ending_by_exception() -> Iterator[None]:
    """Turn signals that would end us into KeyboardInterrupt, so that whatever we started ends with us."""
    if threading.current_thread() is not threading.main_thread():  # only that one gets signals
        yield
        return
    with _handled_by(_interrupt):
        yield


def _interrupt(number: int, frame: FrameType | None) -> None:  # noqa: ARG001  (a handler's signature)
    raise KeyboardInterrupt


class _BrokenOff(KeyboardInterrupt):
    """Ends the drawing, not the command."""


class NotedSignals(list[int]):
    """The numbers of those that have arrived, in order."""

    _is_drawing = False

    def __call__(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002  (a handler's signature)
        self.append(number)
        if self._is_drawing:
            raise _BrokenOff

    def draw(self, action: Callable[[], object]) -> None:
        """Draw or print something, which a signal breaks off: it takes for ever if nobody reads it."""
        if self and not has_room():
            return
        try:
            self._is_drawing = True
            action()
        except _BrokenOff:
            pass
        finally:
            self._is_drawing = False


@contextmanager
def noting_signals() -> Iterator[NotedSignals]:
    """Only note signals that would end us, while processes or files change.

    In the middle of that, an exception would lose events, or leave something behind. Nothing may be drawn or
    printed meanwhile, except by ``draw``.
    """
    seen = NotedSignals()
    with _handled_by(seen):
        yield seen


@contextmanager
def _handled_by(handler: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    """Do not change signals that we were started to ignore, as by ``nohup``."""
    ours = [number for number in ENDING if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, handler) for number in ours}
    try:
        yield
    finally:
        for number, its_handler in before.items():
            signal.signal(number, its_handler)


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


_NOT_ENDING: Final = [signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2]


@contextmanager
def passing_on_others(pass_on: Callable[[int], None]) -> Iterator[Callable[[], None]]:
    """Pass on signals that do not end us, but may mean something to the script.

    Among them are those that we were started to ignore: a shell's ``command &`` ignores SIGINT and SIGQUIT,
    and ``nohup`` SIGHUP. Call the result to begin, once the script runs: it is to be started with these
    signals ignored, as we were.
    """
    others = [number for number in ENDING if signal.getsignal(number) is signal.SIG_IGN]
    others += [number for number in _NOT_ENDING if not callable(signal.getsignal(number))]
    before = {number: signal.getsignal(number) for number in others}

    def begin() -> None:
        for number in others:
            signal.signal(number, lambda number, frame: pass_on(number))  # noqa: ARG005

    try:
        yield begin
    finally:
        for number in others:
            signal.signal(number, before[number])


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
