"""The server programs of the lab, and the command that starts each.

Not here: any particular program (see ``programs.toml``), or starting it (see ``launching``).
"""

from __future__ import annotations

import shlex
import signal
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from asyncdemo.errors import LabFileError
from asyncdemo.lab.results.setup import Model
from asyncdemo.model.fields import read

__all__ = ["BACKLOG", "HOST", "PROGRAMS", "PYTHON", "Command", "Program", "shown"]

PYTHON: Final = "python"
"""As the first word of a command: the interpreter of its environment."""
HOST: Final = "127.0.0.1"
BACKLOG: Final = 2048
"""Gunicorn's and uvicorn's default. The others' defaults are 50 (Twisted) to 256 (gevent), and a full backlog
makes clients wait a second for the kernel's next try. The system may allow less.
"""
_FOLDER: Final = Path(__file__).parent
_SOMAXCONN: Final = Path("/proc/sys/net/core/somaxconn")


@dataclass(frozen=True, slots=True)
class Command:
    """The first word of ``argv`` is ``PYTHON``, or a program installed beside the interpreter.

    ``environment`` adds to what every server gets. ``folder`` becomes the current one. ``shown`` is what one
    would type there, without naming other folders, and with PORT for the port.
    """

    argv: tuple[str, ...]
    folder: Path
    port: int
    environment: Mapping[str, str] = field(default_factory=dict)
    shown: str = ""


def shown(argv: Sequence[str], environment: Mapping[str, str]) -> str:
    words = [Path(word).name if Path(word).is_absolute() else word for word in argv]
    settings = [f"{name}={shlex.quote(value)}" for name, value in environment.items()]
    return " ".join([*settings, shlex.join(words)])


@dataclass(frozen=True, slots=True)
class Program:
    """An entry of ``programs.toml``. ``packages`` must be installed; their versions are recorded.

    ``command`` has placeholders. ``most_workers`` is the most processes that it can have; None for any
    number. ``environment`` names the one in ``environments`` that it needs. ``endings`` are signals that ask
    it to end, sent to all its processes together, as Ctrl-C is.
    """

    name: str
    title: str
    model: Model
    packages: tuple[str, ...]
    command: str
    worker: str = ""
    most_workers: int | None = None
    environment: str = ""
    endings: tuple[str, ...] = ("SIGTERM",)
    notes: tuple[str, ...] = ()
    """Settings that affect the figures, in words."""

    @property
    def signals(self) -> tuple[signal.Signals, ...]:
        return tuple(signal.Signals[name] for name in self.endings)

    def arguments(
        self,
        app: Path,
        port: int | str = "PORT",
        *,
        workers: int = 1,
        backlog: int = BACKLOG,
        loop: str = "uvloop",
    ) -> list[str]:
        """Return the words of the command, by default for display. Raises ValueError for too many workers.

        ``app`` is a module whose ``app`` is served. ``loop`` (uvloop, asyncio) applies if there is a choice.
        """
        if self.most_workers is not None and workers > self.most_workers:
            raise ValueError(f"{self.title} has {self.most_workers} process, not {workers}")
        values = {
            "app": f"{app.stem}:app",
            "address": f"{HOST}:{port}",
            "port": port,
            "workers": workers,
            "backlog": backlog,
            "allowed_backlog": _allowed(backlog),
            "loop": loop,
            "scripts": _FOLDER / "scripts",
        }
        words = shlex.split(self.command.replace("{worker}", self.worker))
        return [word.format_map(values) for word in words]


def _allowed(backlog: int) -> int:
    """Cap it, because uWSGI does not start if asked for more than the system allows."""
    try:
        return min(backlog, int(_SOMAXCONN.read_text(encoding="ascii")))
    except (OSError, ValueError):
        return min(backlog, 128)


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
    """Yield the entry itself, or one for each of its kinds."""
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
