"""The server programs of the lab: what each can run, and the command that starts it.

Not for: any particular one (``programs.toml``), or starting it (``launching``).
"""

from __future__ import annotations

import shlex
import signal
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from asyncdemo.errors import LabFileError
from asyncdemo.lab.results.setup import Model
from asyncdemo.model.fields import read

__all__ = [
    "BACKLOG",
    "HOST",
    "PROGRAMS",
    "PYTHON",
    "App",
    "Asked",
    "Command",
    "Interface",
    "Loop",
    "Program",
    "shown",
]

PYTHON: Final = "python"
"""As the first word of a command: the interpreter of the environment that it runs in."""
HOST: Final = "127.0.0.1"
BACKLOG: Final = 2048
"""What Gunicorn and uvicorn take unasked; the others' own are 50 (Twisted) to 256 (gevent), and a full one
makes clients wait a second for the kernel's next try. The system may allow less."""
_FOLDER: Final = Path(__file__).parent
_SOMAXCONN: Final = Path("/proc/sys/net/core/somaxconn")


class Interface(StrEnum):
    """How a server calls an app."""

    WSGI = "WSGI"
    ASGI = "ASGI"
    SANIC = "Sanic"
    TORNADO = "Tornado"
    KLEIN = "Klein"
    CYCLONE = "Cyclone"
    AIOHTTP = "aiohttp"


class Loop(StrEnum):
    UVLOOP = "uvloop"
    ASYNCIO = "asyncio"


@dataclass(frozen=True, slots=True)
class App:
    """file: its module, which is imported with its folder as the current one, and has it as ``app``."""

    file: Path
    interface: Interface


@dataclass(frozen=True, slots=True)
class Asked:
    """What a program is to do. port: None for a command that is only shown. threads: of each worker.

    loop: where it has a choice.
    """

    app: App
    port: int | None
    workers: int = 1
    threads: int = 1
    backlog: int = BACKLOG
    loop: Loop = Loop.UVLOOP

    @property
    def port_word(self) -> str:
        return "PORT" if self.port is None else str(self.port)

    @property
    def address(self) -> str:
        return f"{HOST}:{self.port_word}"

    @property
    def allowed_backlog(self) -> int:
        """uWSGI does not start if it is asked for more than the system allows."""
        try:
            return min(self.backlog, int(_SOMAXCONN.read_text(encoding="ascii")))
        except (OSError, ValueError):
            return min(self.backlog, 128)


@dataclass(frozen=True, slots=True)
class Command:
    """argv: the first word is ``PYTHON``, or the name of a program installed beside the interpreter.

    environment: beside what every server gets. folder: the current one. shown_argv: with PORT for the port;
    argv if it is left out.
    """

    argv: tuple[str, ...]
    folder: Path
    port: int
    environment: Mapping[str, str] = field(default_factory=dict)
    shown_argv: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """What one would type in the folder; of other folders nothing is told."""
        return shown(self.shown_argv or self.argv, self.environment)


def shown(argv: Sequence[str], environment: Mapping[str, str]) -> str:
    words = [Path(word).name if Path(word).is_absolute() else word for word in argv]
    settings = [f"{name}={shlex.quote(value)}" for name, value in environment.items()]
    return " ".join([*settings, shlex.join(words)])


@dataclass(frozen=True, slots=True)
class Program:
    """As ``programs.toml`` has it. packages: whose versions say what was run; all must be installed.

    command: its words, with placeholders. most_workers: processes that it can have; None for any number.
    takes_threads: of each worker. environment: the one of ``environments`` that it needs. endings: signals
    that ask it to end, all its processes at once, as a Ctrl-C does.
    """

    name: str
    title: str
    model: Model
    interfaces: tuple[Interface, ...]
    packages: tuple[str, ...]
    command: str
    worker: str = ""
    by_loop: Mapping[str, str] = field(default_factory=dict)
    most_workers: int | None = None
    takes_threads: bool = False
    environment: str = ""
    endings: tuple[str, ...] = ("SIGTERM",)
    notes: tuple[str, ...] = ()
    """Settings that change the figures, in words."""

    @property
    def signals(self) -> tuple[signal.Signals, ...]:
        return tuple(signal.Signals[name] for name in self.endings)

    def arguments(self, asked: Asked) -> list[str]:
        """The words of the command."""
        values = {
            "app": f"{asked.app.file.stem}:app",
            "address": asked.address,
            "port": asked.port_word,
            "workers": asked.workers,
            "backlog": asked.backlog,
            "allowed_backlog": asked.allowed_backlog,
            "loop": asked.loop.value,
            "by_loop": self.by_loop.get(asked.loop, ""),
            "scripts": _FOLDER / "scripts",
        }
        found = []
        for word in shlex.split(self.command.replace("{worker}", self.worker)):
            if word != "{threads}":
                found.append(word.format_map(values))
            elif asked.threads > 1:
                found += ["--threads", str(asked.threads)]
        return found

    def command_for(self, asked: Asked, environment: Mapping[str, str] | None = None) -> Command:
        """Raises ValueError if it cannot do that, or there is no port."""
        self.check(asked)
        if asked.port is None:
            raise ValueError("a command that is to be run needs a port")
        asked_to_show = replace(asked, port=None)
        return Command(
            tuple(self.arguments(asked)),
            asked.app.file.parent,
            asked.port,
            environment or {},
            tuple(self.arguments(asked_to_show)),
        )

    def check(self, asked: Asked) -> None:
        """Raises ValueError if it cannot do that."""
        if asked.app.interface not in self.interfaces:
            can = ", ".join(sorted(self.interfaces))
            raise ValueError(f"{self.title} runs apps of {can}, not of {asked.app.interface.value}")
        if self.most_workers is not None and asked.workers > self.most_workers:
            raise ValueError(f"{self.title} has {self.most_workers} process, not {asked.workers}")
        if asked.threads > 1 and not self.takes_threads:
            raise ValueError(f"{self.title} has no threads to set")


def _load_programs() -> dict[str, Program]:
    """Name -> program. Raises LabFileError."""
    path = _FOLDER / "programs.toml"
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))
        programs = (program for name, entry in entries.items() for program in _spread(name, entry))
        return {program["name"]: read(Program, program, program["name"], strict=True) for program in programs}
    except (OSError, ValueError) as error:
        raise LabFileError(f"{path.name}: {error}") from error


def _spread(name: str, entry: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """It, or one for each of its kinds."""
    kinds = entry.pop("kinds", None)
    if kinds is None:
        yield {"name": name, **entry}
        return
    for kind, own in kinds.items():
        yield {
            "worker": kind,
            **entry,
            **own,
            "name": f"{name}-{kind}",
            "title": entry["title"].format(kind=kind),
            "packages": [*entry["packages"], *own.get("packages", ())],
            "notes": [*own.get("notes", ()), *entry["notes"]],
        }


PROGRAMS: Final = _load_programs()
"""Name -> program."""
