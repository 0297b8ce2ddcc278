"""The processes and interpreters that a script starts: which are observed, and a note on those that are not.

- With multiprocessing's *spawn*: a new interpreter, which gets the code to run on its command line and loads
  the script again under another name. Both are changed here, so that it runs under the tracer, if wanted.
- In any other way, or the script itself again, as reloaders do: not observed, although a reader would look
  for it in the recording.
- Other interpreters of this process (Python 3.14+): what a thread runs in one is a single wait. They have
  their own GIL and modules, so nothing in them is observed.
"""

from __future__ import annotations

import inspect
import os
import runpy
import subprocess
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.capture.blocking.calls import set_in_os
from asyncdemo.capture.blocking.waits import Waiting, Waits
from asyncdemo.capture.frames import BOOT_FILE
from asyncdemo.capture.guard import caller_of_hooked
from asyncdemo.capture.instrument import Patches, around, on_entry, on_entry_with_all, on_return
from asyncdemo.capture.recorder import Recorder
from asyncdemo.capture.script import source
from asyncdemo.capture.stand_in import StandIn

_access = os.access  # the script may replace it

# -- multiprocessing's spawn -----------------------------------------------------------------------

_BOOT = os.path.abspath(BOOT_FILE)
_HELPERS = "multiprocessing.managers"
"""Serves shared objects in its own process, which does nothing of the script's."""


def follow(patches: Patches, spawn: Any) -> None:
    """Observe the processes started from now on. ``spawn`` is the module ``multiprocessing.spawn``."""
    plain: Callable[..., list[Any]] = spawn.get_command_line

    def get_command_line(**kwds: Any) -> list[Any]:
        """``python -c CODE --multiprocessing-fork``, with our file in place of the ``-c``."""
        command = plain(**kwds)
        process = sys._getframe(1).f_locals.get("process_obj")
        is_helper = getattr(getattr(process, "_target", None), "__module__", None) == _HELPERS
        if "-c" in command and not is_helper:
            command[command.index("-c")] = _BOOT
        return command

    patches.set(spawn, "get_command_line", get_command_line)


def observe_copies(patches: Patches, path: str, compile_it: source.Compile) -> None:
    """Compile the script's file with its lanes and knobs wherever it is loaded again.

    That is as the main module of a process that it starts, and under its own name when it is imported.
    """
    path = os.path.realpath(path)
    module = os.path.splitext(os.path.basename(path))[0]
    finder = source.Finder(lambda name: compile_it if name.rpartition(".")[2] == module else None, path)
    sys.meta_path.insert(0, finder)
    plain: Callable[..., Any] = runpy._get_code_from_file  # type: ignore[attr-defined]
    old = next(iter(inspect.signature(plain).parameters)) == "run_name"

    def _get_code_from_file(*given: Any) -> Any:
        """Takes (name to run under, file) until Python 3.12.1, and returns the file too; then the file
        comes first, from 3.15 on with the name after it."""
        file = os.fsdecode(given[1] if old else given[0])
        if os.path.realpath(file) != path:
            return plain(*given)
        try:
            with open(file, "rb") as opened:
                code = compile_it(opened.read(), file)
        except Exception:  # noqa: BLE001 - Python itself then says what is wrong, in its own words
            code = None
        if code is None:
            return plain(*given)
        return (code, given[1]) if old else code

    patches.set(runpy, "_get_code_from_file", _get_code_from_file)


# -- not observed ----------------------------------------------------------------------------------

_ITSELF = (
    "The script started itself again in another process, as reloaders do. That process is not recorded: "
    "turn the reloader off."
)
_WORKERS = "The script started processes with multiprocessing, which are not recorded."
_EXEC = "The script replaced itself with another program (os.{}). The recording ends there."
_EXEC_FAILED = "That failed, and the script continued."


class Restarts:
    def __init__(self, recorder: Recorder, patches: Patches) -> None:
        self._recorder = recorder
        self._patches = patches
        self._noted: set[str] = set()
        self._gone = False

    def install(self) -> None:
        self._patches.rewrite(subprocess, "Popen.__init__", self._started, on_entry_with_all)
        for name in ("execv", "execve"):
            set_in_os(self._patches, name, self._flushing(name, getattr(os, name)))

    def install_multiprocessing(self, module: ModuleType) -> None:
        """``module`` is ``multiprocessing.process``. Used if its processes are not observed."""
        self._patches.rewrite(module, "BaseProcess.start", self._started_worker, on_entry)

    def _add_note(self, text: str) -> None:
        if text not in self._noted:
            self._noted.add(text)
            self._recorder.define(wire.Note(text))

    def _started(self, popen: object, command: Any, *_: Any) -> None:
        if type(command) not in (list, tuple) or any(type(word) is not str for word in command):
            return
        if len(command) > 1 and list(command[1:]) == sys.orig_argv[1:]:
            self._add_note(_ITSELF)

    def _started_worker(self, _: object) -> None:
        frame = caller_of_hooked()
        if frame is not None and not self._recorder.origins.is_stdlib(frame.f_code.co_filename):
            self._add_note(_WORKERS)  # pools and executors are known by the work that they are given

    def _flushing(self, name: str, real: Callable[..., Any]) -> StandIn:
        """Send everything first, since this interpreter ends with the call."""
        recorder, guard = self._recorder, self._patches.guard

        def before(path: Any = None, *_: Any) -> None:
            # `os.execvp` tries one folder after another
            if recorder.active and (type(path) not in (str, bytes) or _access(path, os.X_OK)):
                self._gone = True
                recorder.define(wire.Note(_EXEC.format(name)))
                recorder.define(wire.Finish(recorder.now()))
                try:
                    recorder.flush()
                except OSError:
                    recorder.stop()

        def failed() -> None:
            if self._gone:
                self._gone = False
                recorder.define(wire.Note(_EXEC_FAILED))

        tell_before = guard.call(f"os.{name}", before)
        tell_failed = guard.call(f"os.{name}", failed)

        def exec_(*arguments: Any, **options: Any) -> Any:
            tell_before(*arguments)
            try:
                return real(*arguments, **options)
            except BaseException:
                tell_failed()
                raise

        return StandIn(real, exec_)


# -- other interpreters ----------------------------------------------------------------------------

_LANES = f"""
class Lane:
    def __enter__(self): return self
    def __exit__(self, *exc_info): pass
    def __call__(self, value): return value
import builtins
builtins.{source.LANE} = lambda function, arguments: Lane()
"""
"""A function of the script may be sent there as it was compiled here. Its calls are not lanes then."""


def install_interpreters(
    waits: Waits, patches: Patches, module: ModuleType, on_use: Callable[[], None]
) -> None:
    """``module`` is ``concurrent.interpreters``, just loaded. ``on_use`` is called before each wait."""
    execute = vars(module)["_interpreters"].exec

    def made(interpreter: Any) -> Any:
        execute(interpreter.id, f"exec({_LANES!r}, {{}})", restrict=True)
        return interpreter

    def waiting(_: Any) -> Waiting:
        on_use()
        return waits.waiting("interpreter")

    patches.rewrite(module, "create", made, on_return)
    for name in ("exec", "_call"):
        patches.rewrite(module, f"Interpreter.{name}", waiting, around)
