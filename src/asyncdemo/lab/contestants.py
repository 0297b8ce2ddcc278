"""A contestant made of a server program and an app.

Not for: what any contestant is (``contestant``), or the process of a server (``launching``).
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from asyncdemo.errors import UsageError
from asyncdemo.lab.acceptors import look
from asyncdemo.lab.contestant import Knobs, NotStarted, Unavailable
from asyncdemo.lab.environments import ENVIRONMENTS, Tell, interpreter_of, tell_nobody
from asyncdemo.lab.launching import Running
from asyncdemo.lab.servers import BACKLOG, CONNECTIONS, App, Asked, Loop, Program, shown
from asyncdemo.packages import install_command, version_of
from asyncdemo.serving.ports import free_port

__all__ = ["ServedApp", "contestant"]

_ATTEMPTS: Final = 3
"""With a port each: between finding one free and the server taking it, somebody else may."""
_STARTS_S: Final = 60.0
_WORKER_STARTS_S: Final = 3.0
"""More for each: on few cores their imports take turns."""
_ASK_VERSIONS: Final = """
import json, sys
from importlib import metadata
print(json.dumps({name: metadata.version(name) for name in sys.argv[1:]}))
"""


@dataclass(frozen=True, slots=True)
class ServedApp:
    """A ``Contestant``. packages: more of them whose versions belong to it, such as the framework.

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
            command = self.program.command(asked, settings)
            try:
                running = Running(command, str(interpreter), self.program.endings)
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

    def versions(self) -> dict[str, str]:
        """Of the server's packages and of ``packages``, where it runs. Raises Unavailable."""
        interpreter = self._interpreter()
        names = [*self.program.packages, *self.packages]
        if str(interpreter) == sys.executable:
            return {name: version for name in names if (version := version_of(name))}
        done = subprocess.run(
            [interpreter, "-I", "-c", _ASK_VERSIONS, *names], capture_output=True, text=True, check=False
        )
        versions: dict[str, str] = json.loads(done.stdout or "{}")
        return versions

    @property
    def own_versions(self) -> dict[str, str]:
        """Those that its environment will have, whether it is made or not; {} if it has none of its own."""
        name = self.environment or self.program.environment
        if not name:
            return {}
        locked = ENVIRONMENTS[name].versions()
        return {package: locked[package] for package in (*self.program.packages, *self.packages)}

    def _interpreter(self) -> Path:
        if name := self.environment or self.program.environment:
            return interpreter_of(name, self.tell)
        missing = [name for name in (*self.program.packages, *self.packages) if version_of(name) is None]
        if missing:
            words = " and ".join(missing)
            verb = "is" if len(missing) == 1 else "are"
            raise Unavailable(f"{words} {verb} not installed: {install_command('asyncdemo[lab]')}")
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
                connections=int(rest.pop("connections", CONNECTIONS)),
                loop=Loop(rest.pop("loop", Loop.UVLOOP)),
            )
            self.program.check(asked)
        except ValueError as error:
            raise UsageError(f"{self.name}: {error}") from None
        return asked, {f"LAB_{name.upper()}": str(value) for name, value in rest.items()}

    def _deadline_s(self, workers: int) -> float:
        return self.deadline_s or _STARTS_S + _WORKER_STARTS_S * workers


def contestant(
    program: Program,
    app: App,
    name: str = "",
    *,
    packages: tuple[str, ...] = (),
    environment: str = "",
    path: str = "/",
    tell: Tell = tell_nobody,
) -> ServedApp:
    """name: that of the program, if it is left out. For the rest see ``ServedApp``."""
    return ServedApp(name or program.name, program, app, packages, environment, path, tell=tell)
