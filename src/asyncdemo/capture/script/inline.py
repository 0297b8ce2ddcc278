"""Runs a script in this very process and returns: in a page, where no other process can be started.

The script sees what it would see in its own process, as far as one interpreter can be used again. There are
no threads either: a signal that arrives every few milliseconds does the watchdog's work.
"""

from __future__ import annotations

import asyncio
import contextvars
import gc
import logging
import os
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TextIO

from asyncdemo.capture import wire
from asyncdemo.capture.frames import hide_own_frames, uncaught
from asyncdemo.capture.guard import CAPTURE_DIR
from asyncdemo.capture.outbox import Send
from asyncdemo.capture.recorder import Origins, running_version
from asyncdemo.capture.script.target import Script, load, main_as_python_made_it
from asyncdemo.capture.tracer import Tracer

TICK = signal.SIGVTALRM
"""The caller has it sent about every 10 ms."""

_clock = time.perf_counter  # the script's may be virtual


class TimeIsUp(SystemExit):
    """Ends a script at its time limit. It is an exit, because asyncio lets only exits through."""


def run_inline(
    options: dict[str, Any],
    send: Send,
    streams: tuple[TextIO, TextIO, TextIO],
    timeout_s: float | None,
    on_time_up: Callable[[], None],
) -> int | None:
    """Run a script. Return its exit code; None if it was stopped at its time limit.

    Args:
        send: Takes what is recorded.
        streams: The script's stdin, stdout and stderr.
        on_time_up: Called when everything recorded until the time limit is sent. Later output does not count.
    """
    with _as_it_was():
        sys.stdin, sys.stdout, sys.stderr = streams
        target = Script(options)
        problem = load(target)
        if problem is not None:
            send(memoryview(wire.messages_frame([problem])))
            if target.error is not None:
                sys.excepthook(type(target.error), target.error, None)
            return 2 if type(problem) is wire.Refused else 1
        tracer = Tracer(
            Origins(target.roots), options["virtual"], int(options["threshold_s"] * 1e9), lambda _: None
        )
        limit = _TimeLimit(tracer, timeout_s, on_time_up)
        return contextvars.Context().run(_observe, tracer, target, send, limit)


def _observe(tracer: Tracer, target: Script, send: Send, limit: _TimeLimit) -> int | None:
    recorder = tracer.recorder
    tracer.install()
    try:
        recorder.define(
            wire.Ready(running_version(), dict(target.knobs), "virtual" if tracer.clock else "real")
        )
        recorder.connect(send)
        recorder.define(wire.Start(recorder.now()))
        tracer.watchdog.attend(tracer.loops)  # there can be no threads: `_TimeLimit` looks instead
        try:
            with limit:
                code = _exit_code(tracer, target)
                recorder.define(wire.Finish(recorder.now()))
                recorder.flush()
        except TimeIsUp:
            code = 1
        return None if limit.over else code
    finally:
        recorder.stop()
        main_as_python_made_it()
        gc.collect()
        tracer.stop()


def _exit_code(tracer: Tracer, target: Script) -> int:
    main = tracer.main_ident
    try:
        target.run(tracer)
    except TimeIsUp:
        raise
    except SystemExit as ended:
        tracer.recorder.close_thread(main, "returned")
        if ended.code is None or isinstance(ended.code, int):
            return (ended.code or 0) & 0xFF
        sys.stderr.write(f"{ended.code}\n")
        return 1
    except BaseException as error:  # noqa: BLE001 - as the interpreter does at top level
        tracer.recorder.close_thread(main, "raised", type(error).__name__)
        tracer.recorder.define(uncaught(error, tracer.recorder))
        hide_own_frames(error)
        sys.excepthook(type(error), error, error.__traceback__)
        return 1
    tracer.recorder.close_thread(main, "returned")
    return 0


class _TimeLimit:
    """A context manager that handles the signal: does what the watchdog would, and raises TimeIsUp.

    ``over`` tells whether the limit was reached.
    """

    def __init__(self, tracer: Tracer, timeout_s: float | None, on_over: Callable[[], None]) -> None:
        self._tracer = tracer
        self._timeout_s = float("inf") if timeout_s is None else timeout_s
        self._on_over = on_over
        self._looking = False
        self.over = False

    def __enter__(self) -> None:
        self._end_s = _clock() + self._timeout_s
        self._before = signal.signal(TICK, self._tick)

    def __exit__(self, *_: object) -> None:
        signal.signal(TICK, self._before)

    def _tick(self, _: int, interrupted: FrameType | None) -> None:
        if not self.over and not self._looking:
            self._looking = True
            try:
                self._look(interrupted)
            finally:
                self._looking = False
        if self.over:  # again and again, if the script catches it
            raise TimeIsUp

    def _look(self, interrupted: FrameType | None) -> None:
        tracer = self._tracer
        tracer.watchdog.look()
        tracer.recorder.pack()
        tracer.recorder.offer(lambda: True)
        if _clock() > self._end_s:
            tracer.census.report(interrupted)
            if tracer.recorder.flush():
                tracer.recorder.stop()
                self.over = True
                self._on_over()


@contextmanager
def _as_it_was() -> Iterator[None]:
    """Restore afterwards what a script may change in the interpreter."""
    lists = [sys.argv, sys.orig_argv, sys.path, sys.meta_path, warnings.filters, logging.root.handlers]
    kept: list[list[Any]] = [list(one) for one in lists]  # type: ignore[call-overload]
    streams, hooks = (sys.stdin, sys.stdout, sys.stderr), (sys.excepthook, sys.unraisablehook)
    names = sys.argv, sys.orig_argv, sys.path
    main, modules = dict(sys.modules["__main__"].__dict__), set(sys.modules)
    folder, environment = os.getcwd(), dict(os.environ)
    recursion, level = sys.getrecursionlimit(), logging.root.level
    running = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    try:
        yield
    finally:
        asyncio._set_running_loop(running)
        sys.argv, sys.orig_argv, sys.path = names
        for one, was in zip(lists, kept, strict=True):
            one[:] = was  # type: ignore[index]
        sys.stdin, sys.stdout, sys.stderr = streams
        sys.excepthook, sys.unraisablehook = hooks
        sys.setrecursionlimit(recursion)
        logging.root.setLevel(level)
        sys.modules["__main__"].__dict__.clear()
        sys.modules["__main__"].__dict__.update(main)
        for name in set(sys.modules) - modules:
            if _is_the_scripts(sys.modules[name], folder):
                del sys.modules[name]
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)


def _is_the_scripts(module: Any, folder: str) -> bool:
    file = getattr(module, "__file__", None) or ""
    return file.startswith(folder) and not file.startswith(CAPTURE_DIR)
