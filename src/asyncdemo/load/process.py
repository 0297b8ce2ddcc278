"""The load client inside its process: a plan comes in, events and the result go out.

The plan is a line on standard input. A line ``go``, or the end of the input, starts the load; a line
``interrupt`` ends it early. Standard output has one JSON object a line: ``{"ready": true}`` when it could
start, ``{"events": [...]}``, and finally ``{"result": {...}}`` or ``{"failure": "..."}``. It exits silently
if its parent is gone.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
import os
import select
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from asyncdemo.errors import EXIT_OK, AsyncdemoError
from asyncdemo.load.events import INTERRUPT, PARENT, Event, Report, to_wire
from asyncdemo.load.needed import check_installed
from asyncdemo.load.plan import Plan
from asyncdemo.load.result import Result

_STDIN, _STDOUT = 0, 1
_CHUNK = 1 << 16
_TELL_EVERY_S = 0.01
_BATCH = 256
"""The most events in a line, however slow the reader is."""
_LOOK_FOR_PARENT_S = 0.25


def serve() -> int:
    """Send what the parent plans, and return the exit code."""
    try:
        check_installed()
        parent = _Parent()
        plan = Plan.from_json(parent.line().decode())
        _get_ready()
        _say({"ready": True})
        parent.await_go()
        writer = _EventWriter() if plan.report else None
        result = run_plan(plan, writer.report if writer else None, parent.listen)
    except AsyncdemoError as error:
        _say({"failure": str(error)})
        return error.exit_code
    if writer is not None:
        writer.close()
    _say({"result": result.to_json()})
    return EXIT_OK


def run_plan(
    plan: Plan,
    report: Report | None = None,
    on_start: Callable[[asyncio.AbstractEventLoop, Callable[[], None]], None] | None = None,
    make_loop: Callable[[], asyncio.AbstractEventLoop] | None = None,
) -> Result:
    """Run in this process, in its main thread. SIGINT and SIGTERM end it early, with a result.

    ``on_start`` gets the loop and a function that interrupts the load. ``make_loop`` replaces the default.
    """
    from asyncdemo.load.engine import Engine
    from asyncdemo.load.limits import allow_connections, loop_factory, pin, resolve

    pin(plan.cpus)
    most_connections = allow_connections(plan)
    address = resolve(plan.host, plan.port)

    async def run() -> Result:
        engine = Engine(plan, address, most_connections, report)
        loop = asyncio.get_running_loop()
        loop.set_debug(False)
        with _interrupted_by_signals(loop, engine.interrupt):
            if on_start is not None:
                on_start(loop, engine.interrupt)
            return await engine.run()

    with asyncio.Runner(loop_factory=make_loop or loop_factory()) as runner:
        return runner.run(run())


class _EventWriter:
    """Sends events in batches from a thread, so that a slow reader does not delay the load."""

    def __init__(self) -> None:
        self._events: deque[Event] = deque()
        self.report: Report = self._events.append
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._write, name="load-events", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._is_over.set()
        self._thread.join()

    def _write(self) -> None:
        is_last = False
        while not is_last:
            is_last = self._is_over.wait(_TELL_EVERY_S)
            while batch := [self._events.popleft() for _ in range(min(len(self._events), _BATCH))]:
                _say({"events": [to_wire(event) for event in batch]})


class _Parent:
    """The process that started us. It says go, interrupts, or is gone, which makes measuring pointless."""

    def __init__(self) -> None:
        self._received = b""
        # Passed in, because it may have died while we were starting, and then our parent is another process.
        self._pid = int(os.environ.get(PARENT, os.getppid()))
        self._has_interrupted = False

    def line(self) -> bytes:
        """Return the next line, or what there is if the input ends."""
        while b"\n" not in self._received:
            if not select.select([_STDIN], [], [], _LOOK_FOR_PARENT_S)[0]:
                self._look()
            elif data := os.read(_STDIN, _CHUNK):
                self._received += data
            else:
                break
        line, _, self._received = self._received.partition(b"\n")
        return line

    def await_go(self) -> None:
        """Treat the end of the input as a go, too: a plan may come from a pipe that then ends."""
        self._has_interrupted = INTERRUPT in self.line() + self._received

    def listen(self, loop: asyncio.AbstractEventLoop, interrupt: Callable[[], None]) -> None:
        self._loop, self._interrupt = loop, interrupt
        if self._has_interrupted:
            interrupt()
        threading.Thread(target=self._read, name="load-parent", daemon=True).start()
        self._look_again()

    def _read(self) -> None:
        # not sys.stdin: this thread would hold its lock when the interpreter exits
        while os.read(_STDIN, _CHUNK):
            with contextlib.suppress(RuntimeError):  # the loop has just ended
                self._loop.call_soon_threadsafe(self._interrupt)

    def _look_again(self) -> None:
        self._look()
        self._loop.call_later(_LOOK_FOR_PARENT_S, self._look_again)

    def _look(self) -> None:
        """Don't rely on the pipe: its end may only be closed, or another child may keep it open."""
        if os.getppid() != self._pid:
            os._exit(1)


@contextlib.contextmanager
def _interrupted_by_signals(loop: asyncio.AbstractEventLoop, interrupt: Callable[[], None]) -> Iterator[None]:
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, interrupt)
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


def _get_ready() -> None:
    from asyncdemo.load.histogram import library
    from asyncdemo.load.limits import loop_factory

    importlib.import_module("asyncdemo.load.engine")
    library()
    loop_factory()


def _say(message: dict[str, Any]) -> None:
    data = memoryview(json.dumps(message).encode() + b"\n")
    while data:
        try:
            data = data[os.write(_STDOUT, data) :]
        except BrokenPipeError:
            os._exit(1)  # nobody is reading
