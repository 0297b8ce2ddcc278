"""Leaving the application on a signal, even if the event loop is busy for ever.

Textual handles keys and asyncio handles signals in the loop, which can't do so while something is drawn.
Here, signals first ask the loop; if it doesn't answer, they are exceptions, which break off whatever it does.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from types import FrameType
from typing import Any, Final, Self

PATIENCE_S: Final = 2.0
"""How long the loop may take to answer. It seldom takes a tenth of a second."""
_ENDING: Final = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


class EndingSignals:
    """A context manager that has handlers for signals that would end us."""

    def __init__(self, leave: Callable[[], object]) -> None:
        """``leave`` is called in the loop."""
        self._leave = leave
        self._loop: asyncio.AbstractEventLoop | None = None
        self._asked = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        self._before = {number: signal.signal(number, self) for number in (*_ENDING, signal.SIGALRM)}
        return self

    def __exit__(self, *error: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def begin(self) -> None:
        """Note that the loop is running now, and can be asked."""
        self._loop = asyncio.get_running_loop()
        self._loop.set_exception_handler(_report)

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Ask the loop; a second signal, and an alarm if it doesn't answer, are exceptions."""
        if self._asked or self._loop is None or self._loop.is_closed():
            raise KeyboardInterrupt
        if number == signal.SIGALRM:
            return  # it answered at the last moment
        self._asked = True
        # More than once: what is done on the way out may be drawing, too.
        signal.setitimer(signal.ITIMER_REAL, PATIENCE_S, PATIENCE_S)
        self._loop.call_soon_threadsafe(self._answer)

    def _answer(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        self._asked = False
        self._leave()


def _report(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Report an error, but no task that one of our exceptions has ended."""
    if not isinstance(context.get("exception"), KeyboardInterrupt):
        loop.default_exception_handler(context)
