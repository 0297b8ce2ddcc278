"""Makes Pyodide behave like the Python that lessons are written for: no browser behind ``asyncio.run``.

Pyodide puts the browser's own event loop under asyncio and lets ``time.sleep`` return control to the page.
Here, a loop runs to its end in one call, on CPython's own code, with a selector that has no sockets. Call it
once, before importing the tracer.
"""

from __future__ import annotations

import _thread
import asyncio
import builtins
import itertools
import selectors
import socket
import subprocess
import threading
import time
from asyncio import events, unix_events
from collections.abc import Mapping
from typing import Any

_IN_A_TERMINAL = "This page has no {}: run the program in a terminal, where asyncdemo is installed."


def adapt() -> None:
    """Adapt this interpreter, permanently."""
    _add_what_is_missing()
    _take_back()
    _refuse()
    _give_loops()


def _add_what_is_missing() -> None:
    for module, name, value in (
        (_thread, "get_native_id", lambda: 0),
        (time, "thread_time_ns", time.process_time_ns),
    ):
        if not hasattr(module, name):
            setattr(module, name, value)


def _take_back() -> None:
    """Restore what Pyodide has replaced."""
    from pyodide import webloop  # type: ignore[import-not-found]

    asyncio.run = webloop._orig_run
    time.sleep = webloop._orig_sleep


def _refuse() -> None:
    def start(*_: object, **__: object) -> None:
        raise RuntimeError(_IN_A_TERMINAL.format("threads"))

    def open_socket(*_: object, **__: object) -> None:
        raise OSError(_IN_A_TERMINAL.format("sockets"))

    def start_process(*_: object, **__: object) -> None:
        raise OSError(_IN_A_TERMINAL.format("processes"))

    def read_line(*_: object) -> None:
        raise EOFError(_IN_A_TERMINAL.format("keyboard input"))

    own: Any = threading
    own._start_joinable_thread = start
    own_socket: Any = socket.socket
    own_socket.__init__ = open_socket
    own_process: Any = subprocess.Popen
    own_process.__init__ = start_process
    del own_process.__del__
    builtins.input = read_line  # type: ignore[assignment]


def _give_loops() -> None:
    own: Any = asyncio
    selectors.DefaultSelector = NoSockets  # type: ignore[misc, assignment]
    own.SelectorEventLoop = own.EventLoop = Loop
    policy: Any = unix_events._DefaultEventLoopPolicy  # type: ignore[attr-defined]
    policy._loop_factory = Loop
    events._set_event_loop_policy(policy())  # type: ignore[attr-defined]


class NoSockets(selectors._BaseSelectorImpl):
    """Only waits for time to pass."""

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None:
            raise RuntimeError("Nothing is left that could wake this event loop.")
        if timeout > 0:
            _sleep(timeout)
        return []

    def get_map(self) -> Mapping[Any, Any]:
        return {}


_sleep = time.sleep


_numbers = itertools.count(1)


def restart_task_numbers() -> None:
    """Restart the task numbers: asyncio counts from the interpreter's start, which should be the script's."""
    global _numbers  # noqa: PLW0603 - global in the interpreter, like asyncio's own
    _numbers = itertools.count(1)


class Loop(unix_events._UnixSelectorEventLoop):
    """Can't be woken from outside: there is no other thread."""

    def create_task(self, coro: Any, *, name: object = None, **options: Any) -> Any:
        return super().create_task(coro, name=f"Task-{next(_numbers)}" if name is None else name, **options)

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:
        """Do nothing: it has no threads, and to start one that waits for them would hide the first error."""

    def _make_self_pipe(self) -> None: ...
    def _close_self_pipe(self) -> None: ...
    def _write_to_self(self) -> None: ...
