"""The load client from inside its process: a plan comes in, events and the result go out.

The plan is a line on standard input; a line ``go`` begins the load, and so does the end of the input; a
line ``interrupt`` ends it early. On standard output is one JSON object a line: ``{"ready": true}`` when it
could begin, ``{"events": [...]}``, and as the last word ``{"result": {...}}`` or ``{"failure": "..."}``.
It ends without a word once whoever started it is gone.
Not for: what people type (``command``).
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
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
"""Is called with the loop, and what interrupts the load."""


def serve(run: Callable[[Plan, Reporter | None, OnStart], Result] | None = None) -> int:
    """Returns the exit code. run: what sends the plan, if it is not our own engine."""
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
    """In this process. SIGINT and SIGTERM end it early, with a result.

    on_start is called with the loop and what interrupts the load. make_loop: not the fastest there is.
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
    """Events in batches; a thread writes them, so that a reader who is slow does not make the load wait."""

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
    """Whoever started us: says go, interrupts, or is gone; then nobody is left to measure for."""

    def __init__(self, heard: bytes) -> None:
        """heard: what came together with the plan."""
        self._heard = heard
        # Told, as it may have died while we were still starting; then we already have another one.
        self._pid = int(os.environ.get(PARENT, os.getppid()))
        self._has_interrupted = False

    def await_go(self) -> None:
        """The end of the input is a go too: a plan may come from a pipe that then ends."""
        while b"\n" not in self._heard:
            if not _is_input_there():
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
        # not sys.stdin: its lock would be held by this thread when the interpreter ends
        while os.read(_STDIN, _CHUNK):
            with contextlib.suppress(RuntimeError):  # the loop has just ended by itself
                self._loop.call_soon_threadsafe(self._interrupt)

    def _look_again(self) -> None:
        self._look()
        self._loop.call_later(_LOOK_FOR_PARENT_S, self._look_again)

    def _look(self) -> None:
        """That the pipe ends would say little: it may only be closed, or another child keeps it open."""
        if os.getppid() != self._pid:
            os._exit(1)


def _is_input_there() -> bool:
    """Waits a moment for it."""
    return bool(select.select([_STDIN], [], [], _LOOK_FOR_PARENT_S)[0])


@contextlib.contextmanager
def _interrupted_by_signals(loop: asyncio.AbstractEventLoop, interrupt: Callable[[], None]) -> Iterator[None]:
    numbers: tuple[signal.Signals, ...] = (signal.SIGINT, signal.SIGTERM)
    try:
        for number in numbers:
            loop.add_signal_handler(number, interrupt)
    except RuntimeError:  # a thread that is not the main one, where signals are somebody else's
        numbers = ()
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)


def _get_ready() -> None:
    """Import what the load will need while it takes nobody's time."""
    from asyncdemo.load.histogram import library

    for module in ("asyncdemo.load.engine", "asyncdemo.load.limits"):
        importlib.import_module(module)
    library()
    if importlib.util.find_spec("uvloop") is not None:
        importlib.import_module("uvloop")


def _first_line() -> tuple[str, bytes]:
    """And what came after it."""
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
            os._exit(1)  # nobody reads
