"""The server programs of the lab, by name (``programs.toml``).

Not for: starting a process and looking after it (``launching``).
"""

from __future__ import annotations

from asyncdemo.lab.servers.program import (
    BACKLOG,
    CONNECTIONS,
    App,
    Asked,
    Command,
    Interface,
    Loop,
    Program,
    load_programs,
    shown,
)

__all__ = [
    "BACKLOG",
    "CONNECTIONS",
    "PROGRAMS",
    "App",
    "Asked",
    "Command",
    "Interface",
    "Loop",
    "Program",
    "shown",
]

PROGRAMS = load_programs()
"""Name -> program."""
