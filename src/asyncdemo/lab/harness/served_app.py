"""A server program with an app, as a contestant is started.

Not for: what any contestant is (``harness``), or the process of a server (``launching``).
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from asyncdemo.errors import UsageError
from asyncdemo.lab.harness import Knobs, NotStarted, Startable, Unavailable
from asyncdemo.lab.harness.environments import ENVIRONMENTS, Tell, interpreter_of, tell_nobody
from asyncdemo.lab.harness.launching import Running
from asyncdemo.lab.harness.rollcall import look
from asyncdemo.lab.results.setup import Model
from asyncdemo.lab.servers import BACKLOG, App, Asked, Interface, Loop, Program, shown
from asyncdemo.packages import WITHOUT_WHEEL, install_command, version_of
from asyncdemo.serving.ports import free_port

_ATTEMPTS: Final = 3
"""With a port each: between finding one free and the server taking it, somebody else may."""
_STARTS_S: Final = 60.0
_WORKER_STARTS_S: Final = 3.0
"""More for each: on few cores their imports take turns."""


@dataclass(frozen=True, slots=True)
class ServedApp:
    """A ``Startable``. packages: more of them whose versions belong to it, such as the framework.

    environment: the one it runs in, if it is not the program's. path: what its workers are asked for until
    they answer, with any status. deadline_s: how long that may take; None for a minute, and 3 s a worker.
    tell: is told of an environment being made.
    """

    name: str
    program: Program
    app: App
    packages: tuple[str, ...] = ()
    environment: str = ""
    path: str = "/"
    deadline_s: float | None = None
    tell: Tell = tell_nobody
    free_port: Callable[[], int] = free_port

    def start(self, knobs: Knobs) -> Running:
        """Returns when every worker has answered. Raises NotStarted, Unavailable, or UsageError."""
        interpreter = self._interpreter()
        for attempt in range(1, _ATTEMPTS + 1):
            port = self.free_port()
            asked, settings = self._asked(port, knobs)
            command = self.program.command_for(asked, settings)
            try:
                running = Running(command, str(interpreter), self.program.signals)
                running.wait_ready(asked.workers, self._deadline_s(asked.workers), self.path)
                return running
            except NotStarted:
                if attempt == _ATTEMPTS or not look(port, tuple).stranger_listens:
                    raise
        raise AssertionError("the last attempt returns or raises")

    def command(self, knobs: Knobs) -> str:
        """The exact command, to be shown: see ``Command``. Raises UsageError."""
        asked, settings = self._asked(None, knobs)
        return shown(self.program.arguments(asked), settings)

    @property
    def own_versions(self) -> dict[str, str]:
        """Those that its environment will have, whether it is made or not; {} if it has none of its own."""
        if not self._environment:
            return {}
        locked = ENVIRONMENTS[self._environment].versions()
        return {package: locked[package] for package in self._all_packages}

    @property
    def shared_packages(self) -> tuple[str, ...]:
        """The server's and ``packages``, as this Python has them; () if it has an environment of its own."""
        return () if self._environment else self._all_packages

    @property
    def _environment(self) -> str:
        return self.environment or self.program.environment

    @property
    def _all_packages(self) -> tuple[str, ...]:
        return (*self.program.packages, *self.packages)

    def _interpreter(self) -> Path:
        if self._environment:
            return interpreter_of(self._environment, self.tell)
        missing = [name for name in self._all_packages if version_of(name) is None]
        if not_built := WITHOUT_WHEEL.intersection(missing):
            words = " and ".join(sorted(not_built))
            raise Unavailable(f"{words}: no wheel for Python {sys.version_info[0]}.{sys.version_info[1]}.")
        if missing:
            words = " and ".join(missing)
            verb = "is" if len(missing) == 1 else "are"
            raise Unavailable(f"{words} {verb} not installed: {install_command('lab')}")
        return Path(sys.executable)

    def _asked(self, port: int | None, knobs: Knobs) -> tuple[Asked, dict[str, str]]:
        """And the app's settings, as it finds them in its environment."""
        rest: dict[str, Any] = dict(knobs)
        try:
            asked = Asked(
                self.app,
                port,
                workers=int(rest.pop("workers", 1)),
                threads=int(rest.pop("threads", 1)),
                backlog=int(rest.pop("backlog", BACKLOG)),
                loop=Loop(rest.pop("loop", Loop.UVLOOP)),
            )
            self.program.check(asked)
        except ValueError as error:
            raise UsageError(f"{self.name}: {error}") from None
        return asked, {f"LAB_{name.upper()}": str(value) for name, value in rest.items()}

    def _deadline_s(self, workers: int) -> float:
        return self.deadline_s or _STARTS_S + _WORKER_STARTS_S * workers


def served_script(name: str, file: Path, deadline_s: float | None = None) -> ServedApp:
    """One that is a script: it takes its port as its only argument, and serves with one process."""
    program = Program(
        name, name, Model.ONE_AT_A_TIME, (Interface.WSGI,), (), f"python {shlex.quote(str(file))} {{port}}"
    )
    return ServedApp(name, program, App(file, Interface.WSGI), deadline_s=deadline_s)


def shared_packages(contestants: Iterable[Startable]) -> tuple[str, ...]:
    """Whose versions in this Python belong to these: of their servers and apps, in alphabetical order."""
    served = (item for item in contestants if isinstance(item, ServedApp))
    return tuple(sorted({package for item in served for package in item.shared_packages}))
