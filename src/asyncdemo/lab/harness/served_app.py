"""A server program with an app, as a contestant that can be started."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from asyncdemo.lab.harness import Knobs, NotStarted, Startable, Unavailable
from asyncdemo.lab.harness.environments import ENVIRONMENTS, OnProgress, ignore_progress, interpreter_of
from asyncdemo.lab.harness.launching import Running
from asyncdemo.lab.harness.rollcall import look
from asyncdemo.lab.results.setup import Model
from asyncdemo.lab.servers import ServerProgram
from asyncdemo.packages import WITHOUT_WHEEL, install_command, version_of
from asyncdemo.serving.ports import free_port

_OF_SERVER: Final = {"workers", "backlog", "loop"}
_ATTEMPTS: Final = 3
"""Each with a new port: another program may take a free port before the server does."""
_STARTS_S: Final = 60.0
_WORKER_STARTS_S: Final = 3.0
"""Added for each worker: on few cores their imports take turns."""


@dataclass(frozen=True, slots=True)
class ServedApp:
    """A ``Startable``. ``app`` is a module, imported in its folder, whose ``app`` is served.

    ``packages`` are others whose versions matter, such as the framework's. ``environment`` overrides the
    program's. ``path`` is requested until each worker answers, with any status, within ``deadline_s``; None:
    a minute, plus 3 s for each worker. ``on_progress`` gets the progress of making an environment.
    """

    name: str
    program: ServerProgram
    app: Path
    packages: tuple[str, ...] = ()
    environment: str = ""
    path: str = "/"
    deadline_s: float | None = None
    on_progress: OnProgress = ignore_progress
    free_port: Callable[[], int] = free_port

    def start(self, knobs: Knobs) -> Running:
        """Return once every worker has answered. Raises NotStarted or Unavailable."""
        interpreter, command = self._interpreter(), self.command(knobs)
        own, settings = _divided(knobs)
        workers = int(own.get("workers", 1))
        deadline_s = self.deadline_s or _STARTS_S + _WORKER_STARTS_S * workers
        for attempt in range(1, _ATTEMPTS + 1):
            port = self.free_port()
            program, *arguments = self.program.arguments(self.app, port, **own)
            beside = interpreter.with_name(program)
            path = interpreter if program == "python" else beside if beside.exists() else program
            endings = self.program.signals
            try:
                running = Running([str(path), *arguments], self.app.parent, port, endings, settings, command)
                running.wait_ready(workers, deadline_s, self.path)
                return running
            except NotStarted:
                if attempt == _ATTEMPTS or not look(port, tuple).stranger_listens:
                    raise
        raise AssertionError("the last attempt returns or raises")

    def command(self, knobs: Knobs) -> str:
        """Return the command for display: without folders, and with PORT for the port."""
        own, settings = _divided(knobs)
        argv = self.program.arguments(self.app, **own)
        words = [Path(word).name if Path(word).is_absolute() else word for word in argv]
        return " ".join(
            [*(f"{name}={shlex.quote(value)}" for name, value in settings.items()), shlex.join(words)]
        )

    @property
    def own_versions(self) -> dict[str, str]:
        """Versions in its own environment, whether or not that exists yet; {} if it has none."""
        if not self._environment:
            return {}
        locked = ENVIRONMENTS[self._environment].versions()
        return {package: locked[package] for package in self._all_packages}

    @property
    def shared_packages(self) -> tuple[str, ...]:
        """The packages it uses from this Python: the server's and ``packages``; () if it has its own."""
        return () if self._environment else self._all_packages

    @property
    def _environment(self) -> str:
        return self.environment or self.program.environment

    @property
    def _all_packages(self) -> tuple[str, ...]:
        return (*self.program.packages, *self.packages)

    def _interpreter(self) -> Path:
        if self._environment:
            return interpreter_of(self._environment, self.on_progress)
        missing = [name for name in self._all_packages if version_of(name) is None]
        if not_built := WITHOUT_WHEEL.intersection(missing):
            words = " and ".join(sorted(not_built))
            raise Unavailable(f"{words}: no wheel for Python {sys.version_info[0]}.{sys.version_info[1]}.")
        if missing:
            words = " and ".join(missing)
            verb = "is" if len(missing) == 1 else "are"
            raise Unavailable(f"{words} {verb} not installed: {install_command('lab')}")
        return Path(sys.executable)


def _divided(knobs: Knobs) -> tuple[dict[str, Any], dict[str, str]]:
    """Return what is for the server, and the app's settings, as environment variables."""
    own = {name: value for name, value in knobs.items() if name in _OF_SERVER}
    return own, {f"LAB_{name.upper()}": str(value) for name, value in knobs.items() if name not in own}


def served_script(name: str, file: Path, deadline_s: float | None = None) -> ServedApp:
    """Serve a script that takes its port as its only argument and runs in one process."""
    program = ServerProgram(name, name, Model.ONE_AT_A_TIME, (), f"python {shlex.quote(str(file))} {{port}}")
    return ServedApp(name, program, file, deadline_s=deadline_s)


def shared_packages(contestants: Iterable[Startable]) -> tuple[str, ...]:
    """Return all packages that they use from this Python, for servers and apps, in alphabetical order."""
    served = (item for item in contestants if isinstance(item, ServedApp))
    return tuple(sorted({package for item in served for package in item.shared_packages}))
