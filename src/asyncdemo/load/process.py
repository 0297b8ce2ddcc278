"""The load client inside its process: a plan comes in, events and the result go out.

The plan is a line on standard input. A line ``go``, or the end of the input, starts the load; a line
``interrupt`` ends it early. Standard output has one JSON object a line: ``{"ready": true}`` when it could
start, ``{"events": [...]}``, and finally ``{"result": {...}}`` or ``{"failure": "..."}``. It exits silently
if its parent is gone.
Not here: the command line for people (see ``command``).
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
import os
import queue
import select
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

from asyncdemo.errors import EXIT_OK, AsyncdemoError
from asyncdemo.load.events import INTERRUPT, PARENT, Event, Reporter, to_wire
from asyncdemo.load.needed import check_installed
from asyncdemo.load.plan import Plan
from asyncdemo.load.result import Result

_STDIN, _STDOUT = 0, 1
_CHUNK = 1 << 16
_TELL_EVERY_S = 0.01
_LOOK_FOR_PARENT_S = 0.25
OnStart = Callable[[asyncio.AbstractEventLoop, Callable[[], None]], None]
"""Called with the loop, and a function that interrupts the load."""


def serve(run: Callable[[Plan, Reporter | None, OnStart], Result] | None = None) -> int:
    """Return the exit code. ``run`` sends the plan; the default is our own engine."""
    try:
        check_installed()
        line, rest = _first_line()
        plan = Plan.from_json(line)
        parent = _Parent(rest)
        _get_ready()
        _say({"ready": True})
        parent.await_go()
        reporter = _PipeReporter() if plan.report else None

        def on_start(loop: asyncio.AbstractEventLoop, interrupt: Callable[[], None]) -> None:
            parent.listen(loop, interrupt)
            if reporter is not None:
                reporter.start(loop)

        result = (run or run_plan)(plan, reporter, on_start)
    except AsyncdemoError as error:
        _say({"failure": str(error)})
        return error.exit_code
    if reporter is not None:
        reporter.close()
    _say({"result": result.to_json()})
    return EXIT_OK


def run_plan(
    plan: Plan,
    reporter: Reporter | None = None,
    on_start: OnStart | None = None,
    make_loop: Callable[[], asyncio.AbstractEventLoop] | None = None,
) -> Result:
    """Run in this process. SIGINT and SIGTERM end it early, with a result.

    ``on_start`` gets the loop and a function that interrupts the load. ``make_loop`` replaces the default.
    """
    from asyncdemo.load.engine import Engine
    from asyncdemo.load.limits import allow_connections, loop_factory, pin, resolve

    pin(plan.cpus)
    most_connections = allow_connections(plan)
    engine = Engine(plan, resolve(plan.host, plan.port), most_connections, reporter)

    async def run() -> Result:
        loop = asyncio.get_running_loop()
        loop.set_debug(False)
        with _interrupted_by_signals(loop, engine.interrupt):
            if on_start is not None:
                on_start(loop, engine.interrupt)
            return await engine.run()

    with asyncio.Runner(loop_factory=make_loop or loop_factory()) as runner:
        return runner.run(run())


class _PipeReporter:
    """Sends events in batches from a thread, so that a slow reader does not delay the load."""

    def __init__(self) -> None:
        self._batch: list[Event] = []
        self._batches: queue.SimpleQueue[list[Event] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="load-events", daemon=True)
        self._thread.start()

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._flush_again()

    def tell(self, event: Event) -> None:
        self._batch.append(event)

    def close(self) -> None:
        """Wait until everything is written."""
        self._flush()
        self._batches.put(None)
        self._thread.join()

    def _flush_again(self) -> None:
        self._flush()
        self._loop.call_later(_TELL_EVERY_S, self._flush_again)

    def _flush(self) -> None:
        if self._batch:
            self._batches.put(self._batch)
            self._batch = []

    def _write(self) -> None:
        while (batch := self._batches.get()) is not None:
            _say({"events": [to_wire(event) for event in batch]})


class _Parent:
    """The process that started us. It says go, interrupts, or is gone, which makes measuring pointless."""

    def __init__(self, heard: bytes) -> None:
        """``heard`` is input that arrived together with the plan."""
        self._heard = heard
        # Passed in, because it may have died while we were starting, and then our parent is another process.
        self._pid = int(os.environ.get(PARENT, os.getppid()))
        self._has_interrupted = False

    def await_go(self) -> None:
        """Treat the end of the input as a go, too: a plan may come from a pipe that then ends."""
        while b"\n" not in self._heard:
            if not select.select([_STDIN], [], [], _LOOK_FOR_PARENT_S)[0]:
                self._look()
            elif data := os.read(_STDIN, _CHUNK):
                self._heard += data
            else:
                break
        self._has_interrupted = INTERRUPT in self._heard

    def listen(self, loop: asyncio.AbstractEventLoop, interrupt: Callable[[], None]) -> None:
        self._loop, self._interrupt = loop, interrupt
        if self._has_interrupted:
            interrupt()
        threading.Thread(target=self._hear, name="load-parent", daemon=True).start()
        self._look_again()

    def _hear(self) -> None:
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
    numbers: tuple[signal.Signals, ...] = (signal.SIGINT, signal.SIGTERM)
    try:
        for number in numbers:
            loop.add_signal_handler(number, interrupt)
    except RuntimeError:  # not the main thread, so signals are handled elsewhere
        numbers = ()
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)


def _get_ready() -> None:
    """Import what the load needs, before time is measured."""
    from asyncdemo.load.histogram import library
    from asyncdemo.load.limits import loop_factory

    importlib.import_module("asyncdemo.load.engine")
    library()
    loop_factory()


def _first_line() -> tuple[str, bytes]:
    """Return the first line and what came after it."""
    data = b""
    while b"\n" not in data:
        more = os.read(_STDIN, _CHUNK)
        if not more:
            break
        data += more
    line, _, rest = data.partition(b"\n")
    return line.decode(), rest


def _say(message: dict[str, Any]) -> None:
    data = memoryview(json.dumps(message).encode() + b"\n")
    while data:
        try:
            data = data[os.write(_STDOUT, data) :]
        except BrokenPipeError:
            os._exit(1)  # nobody is reading
