"""A contestant that is one script: it takes its port as its only argument, and serves with one process.

Not for: server programs (``servers``).
"""

from __future__ import annotations

import signal
import sys
from dataclasses import dataclass
from pathlib import Path

from asyncdemo.lab.harness.contestant import Knobs
from asyncdemo.lab.harness.launching import Running
from asyncdemo.lab.servers.program import PYTHON, Command
from asyncdemo.serving.ports import free_port

__all__ = ["Scripted"]


@dataclass(frozen=True, slots=True)
class Scripted:
    """Knobs reach it as ``LAB_NAME`` in its environment. ready_s: how long it may take to answer."""

    name: str
    file: Path
    ready_s: float = 30.0
    path: str = "/"
    """What it is asked for to see whether it is ready."""

    def start(self, knobs: Knobs) -> Running:
        """Raises NotStarted."""
        environment = {f"LAB_{name.upper()}": str(value) for name, value in knobs.items()}
        port = free_port()
        command = Command(
            (PYTHON, str(self.file), str(port)),
            self.file.parent,
            port,
            environment,
            shown_argv=(PYTHON, self.file.name, "PORT"),
        )
        running = Running(command, sys.executable, (signal.SIGTERM,))
        running.wait_ready(1, self.ready_s, self.path)
        return running
