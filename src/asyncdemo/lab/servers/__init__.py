"""The server programs of the lab, and the command that starts each."""

from __future__ import annotations

import shlex
import signal
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from asyncdemo.lab.results.setup import Model
from asyncdemo.model.fields import read
from asyncdemo.serving.ports import HOST

__all__ = ["PROGRAMS", "Program"]

_BACKLOG: Final = 2048
"""Gunicorn's and uvicorn's default. The others' defaults are 50 (Twisted) to 256 (gevent), and a full backlog
makes clients wait a second for the kernel's next try. The system may allow less.
"""
_FOLDER: Final = Path(__file__).parent
_SOMAXCONN: Final = Path("/proc/sys/net/core/somaxconn")


@dataclass(frozen=True, slots=True)
class ServerProgram:
    """An entry of ``programs.toml``. ``packages`` must be installed; their versions are recorded.

    ``command`` has placeholders; its first word is "python", for the interpreter of its environment, or a
    program installed beside that. ``environment`` names the one in ``environments`` that it needs.
    ``endings`` are signals that ask it to end, sent to all its processes together, as Ctrl-C is.
    """

    name: str
    title: str
    model: Model
    packages: tuple[str, ...]
    command: str
    worker: str = ""
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
        backlog: int = _BACKLOG,
        loop: str = "uvloop",
    ) -> list[str]:
        """Return the words of the command, by default for display.

        ``app`` is a module whose ``app`` is served. ``loop`` (uvloop, asyncio) applies if there is a choice.
        """
        values = {
            "app": f"{app.stem}:app",
            "address": f"{HOST}:{port}",
            "port": port,
            "workers": workers,
            "worker": self.worker,
            "backlog": backlog,
            "allowed_backlog": _allowed(backlog),
            "loop": loop,
            "scripts": _FOLDER / "scripts",
        }
        return [word.format_map(values) for word in shlex.split(self.command)]


def _allowed(backlog: int) -> int:
    """Cap it, because uWSGI does not start if asked for more than the system allows."""
    try:
        return min(backlog, int(_SOMAXCONN.read_text(encoding="ascii")))
    except (OSError, ValueError):
        return min(backlog, 128)


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


PROGRAMS: Final = {
    program["name"]: read(ServerProgram, program, program["name"], strict=True)
    for name, entry in tomllib.loads((_FOLDER / "programs.toml").read_text(encoding="utf-8")).items()
    for program in _spread(name, entry)
}
"""Name -> program."""
