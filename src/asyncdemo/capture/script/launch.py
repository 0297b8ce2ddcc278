"""Runs a script as ``python script.py`` would, and the processes that it starts, with the tracer on.

What the script can see of itself (``__main__``, ``sys.argv``, ``sys.path``, exit code, tracebacks) is the
same as without the tracer.
"""

from __future__ import annotations

import contextlib
import json
import linecache
import os
import signal
import socket
import sys
import threading
import types
from typing import Any

from asyncdemo.capture import parent, wire
from asyncdemo.capture.frames import hide_own_frames, leave_out_of_warnings, uncaught
from asyncdemo.capture.instrument import on_entry
from asyncdemo.capture.outbox import sender
from asyncdemo.capture.recorder import Origins, running_version
from asyncdemo.capture.script.processes import observe_copies
from asyncdemo.capture.script.source import SourceError, compile_script
from asyncdemo.capture.script.target import (
    Function,
    Script,
    load,
    main_as_python_made_it,
    observe_modules,
)
from asyncdemo.capture.tracer import Tracer

_ANSWER_S = 10.0
"""How long a process that the script starts waits for its options. Then it runs unobserved."""


def main() -> None:
    """Run the script's own process."""
    connection = parent.connect()
    reader = wire.FrameReader()
    payload = parent.receive(connection, reader, wire.OPTIONS)
    if payload is None:
        sys.exit(1)  # the parent is gone, and nothing has run yet
    options = json.loads(payload)
    for name in options["unset"]:
        os.environ.pop(name, None)
    os.environ.update(options["environment"])
    if options["folder"] is not None:
        os.chdir(options["folder"])
    if options["serves"] and signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # a shell's `command &` ignores SIGINT, but that is how a server is asked to stop
        signal.signal(signal.SIGINT, signal.default_int_handler)
    target: Script | Function = Function(options) if options["call"] else Script(options)
    problem = load(target)
    if problem is not None:
        connection.sendall(wire.messages_frame([problem]))
        if target.error is not None:
            if isinstance(target, Script):
                with contextlib.suppress(OSError):
                    target.run_plain()
            sys.excepthook(type(target.error), target.error, None)
        sys.exit(2 if type(problem) is wire.Refused else 1)
    _run(connection, reader, target, options)


def _run(
    connection: socket.socket, reader: wire.FrameReader, target: Script | Function, options: dict[str, Any]
) -> None:
    tracer = Tracer(
        Origins(target.roots), options["virtual"], int(options["threshold_s"] * 1e9), parent.end_with_it
    )
    recorder = tracer.recorder
    tracer.install(options["serves"], options["follow"])
    if options["follow"]:
        recorder.define(wire.Code(target.path, list(target.roots)))
        _observe_copies(tracer, options, target.path)
    if options["forks"]:
        connection, options = parent.wait_for_forks(connection, reader)
        reader = wire.FrameReader()
        os.environ.update(options["environment"])
    tracer.watchdog.prepare()
    if options["delays"] is not None:
        tracer.delay(options["delays"])
    recorder.define(
        wire.Ready(running_version(), dict(target.knobs), "virtual" if options["virtual"] else "real")
    )
    recorder.connect(sender(connection))
    recorder.flush()
    if parent.receive(connection, reader, wire.GO) is None:
        sys.exit(1)
    recorder.define(wire.Start(recorder.now()))
    if target.note is not None:
        recorder.define(wire.Note(target.note))
    parent.begin(tracer, connection)
    main = threading.get_ident()
    report_uncaught = tracer.guard.call(
        "uncaught exception", lambda error: recorder.define(uncaught(error, recorder))
    )
    try:
        target.run(tracer)
    except BaseException as error:
        raised = not isinstance(error, SystemExit)
        recorder.close_thread(
            main, "raised" if raised else "returned", type(error).__name__ if raised else None
        )
        if raised:
            report_uncaught(error)
            _hide_when_printed()
        elif sys.version_info < (3, 12):
            _forget_top(error, target.code)
        raise
    recorder.close_thread(main, "returned")


def work() -> None:
    """Run a process that the script has started, as ``python -c CODE`` would."""
    main_ident = threading.get_ident()  # gevent may replace it
    sys.orig_argv[-len(sys.argv)] = "-c"
    code, sys.argv = sys.argv[1], ["-c", *sys.argv[2:]]
    tracer = _observe()
    main = main_as_python_made_it()  # it must not find us there
    compiled = compile(code, "<string>", "exec", dont_inherit=True)
    if hasattr(linecache, "_register_code"):  # Python 3.13+: tracebacks show it, at first found by name
        known_as = compiled if hasattr(linecache, "_interactive_cache") else "<string>"
        linecache._register_code(known_as, code, "<string>")
    try:
        exec(compiled, main)
    except BaseException as error:
        if tracer is not None:
            failed = not isinstance(error, SystemExit) or error.code == 1
            tracer.recorder.close_thread(main_ident, "raised" if failed else "returned")
        if not isinstance(error, SystemExit):
            _hide_when_printed()
        raise


def _observe() -> Tracer | None:
    """Observe this process. Return None if there is no parent to tell what to observe."""
    reader = wire.FrameReader()
    try:
        connection = parent.connect()
        connection.settimeout(_ANSWER_S)
        payload = parent.receive(connection, reader, wire.OPTIONS)
        connection.settimeout(None)
    except (OSError, ValueError, LookupError):
        return None
    if payload is None:
        return None
    options = json.loads(payload)
    number, code = options["process"], options["code"]
    tracer = Tracer(
        Origins(tuple(code["roots"])), False, int(options["threshold_s"] * 1e9), parent.end_with_it, number
    )
    tracer.install(options["serves"], follow=True)
    if options["call"]:
        observe_modules(options["call"]["lanes"])
    else:
        _observe_copies(tracer, options, code["path"])
    from multiprocessing import process

    def begins(one: Any) -> None:
        tracer.recorder.define(wire.Process(number, os.getpid(), one.name))
        tracer.open_main_thread()

    tracer.patches.rewrite(process, "BaseProcess._bootstrap", begins, on_entry)
    tracer.patches.forget_sources()
    tracer.recorder.connect(sender(connection))
    tracer.watchdog.prepare()
    parent.begin(tracer, connection)
    return tracer


def _observe_copies(tracer: Tracer, options: dict[str, Any], path: str) -> None:
    """Give the script's file its lanes and knobs where it is loaded again, too."""

    def compile_it(source: bytes, filename: str) -> types.CodeType | None:
        lanes, knobs, results = options["lanes"], options["knobs"], options["results"]
        try:
            return compile_script(source, filename, lanes, knobs, results).code
        except SourceError as error:  # it has been edited since the run began
            tracer.recorder.define(wire.Note(str(error)))
            return None

    observe_copies(tracer.patches, path, compile_it)


def _forget_top(error: BaseException, code: types.CodeType | None) -> None:
    """Cut what is above the script off an exit's traceback, which a task may still print.

    ``code`` is the script's, above which ``runpy`` may be.
    """
    _hide_own_frames(error)
    entry = error.__traceback__
    with contextlib.suppress(Exception):  # see ``_hide_own_frames``
        while entry is not None and code is not None and entry.tb_frame.f_code is not code:
            entry = entry.tb_next
        if entry is not None:
            error.__traceback__ = entry.tb_next


def _hide_when_printed() -> None:
    is_missing, printing = not hasattr(sys, "excepthook"), getattr(sys, "excepthook", sys.__excepthook__)

    def excepthook(
        kind: type[BaseException], error: BaseException, traceback: types.TracebackType | None
    ) -> None:
        """Do what the interpreter does: the script may have replaced the hook by anything."""
        _hide_own_frames(error)
        if is_missing:
            _say("sys.excepthook is missing\n")
        try:
            printing(kind, error, error.__traceback__)
        except SystemExit:
            raise
        except BaseException as another:  # noqa: BLE001 - it is printed
            _hide_own_frames(another)
            _say("Error in sys.excepthook:\n")
            sys.__excepthook__(type(another), another, another.__traceback__)
            _say("\nOriginal exception was:\n")
            sys.__excepthook__(kind, error, error.__traceback__)

    sys.excepthook = excepthook


def _hide_own_frames(error: BaseException) -> None:
    before = error.__traceback__
    with contextlib.suppress(Exception):  # an audit hook of the script may refuse what this reads
        hide_own_frames(error)
    if getattr(sys, "last_traceback", None) is before:
        sys.last_traceback = error.__traceback__


def _say(text: str) -> None:
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(text)


leave_out_of_warnings(main, _run, work, Script.run, Function.run)  # the script's first frame comes after them
