"""Notes in the run when a script starts itself again, as reloaders do, or becomes another program.

What happens there is not in the recording, although a reader would look for it.
Not here: multiprocessing processes that are observed (see ``workers``).
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.capture.guard import caller_of_hooked
from asyncdemo.capture.instrument import Patches, on_entry, on_entry_with_all
from asyncdemo.capture.recorder import Recorder
from asyncdemo.capture.stand_in import StandIn

_ITSELF = (
    "The script started itself again in another process, as reloaders do, which is not observed: "
    "switch its reloader off to see what it does."
)
_WORKERS = "The script started processes with multiprocessing, which are not observed."
_EXEC = "The script became another program (os.{}), which is not observed: the recording ends there."
_EXEC_FAILED = "That failed, and the script went on."

_access = os.access  # the script may replace it


class Restarts:
    def __init__(self, recorder: Recorder, patches: Patches) -> None:
        self._recorder = recorder
        self._patches = patches
        self._told: set[str] = set()
        self._gone = False

    def install(self) -> None:
        self._patches.rewrite(subprocess, "Popen.__init__", self._started, on_entry_with_all)
        for name in ("execv", "execve"):
            self._patches.set(os, name, self._flushing(name, getattr(os, name)))

    def install_multiprocessing(self, module: ModuleType) -> None:
        """``module`` is ``multiprocessing.process``. Used if its processes are not observed."""
        self._patches.rewrite(module, "BaseProcess.start", self._started_worker, on_entry)

    def _tell(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            self._recorder.define(wire.Note(text))

    def _started(self, popen: object, command: Any, *_: Any) -> None:
        if type(command) not in (list, tuple) or any(type(word) is not str for word in command):
            return
        if len(command) > 1 and list(command[1:]) == sys.orig_argv[1:]:
            self._tell(_ITSELF)

    def _started_worker(self, _: object) -> None:
        frame = caller_of_hooked()
        if frame is not None and not self._recorder.origins.is_stdlib(frame.f_code.co_filename):
            self._tell(_WORKERS)  # pools and executors are known by the work that they are given

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
