"""What the lab finds on this machine besides Python packages: programs, and its own environments.

Not here: the packages (see ``extras``), or what an experiment does without them (it reports that).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from asyncdemo.lab.harness import Unavailable
from asyncdemo.lab.harness.environments import ENVIRONMENTS, is_made
from asyncdemo.lab.harness.machine import find

_MANAGERS: Final = {
    "apt-get": "apt-get install",
    "dnf": "dnf install",
    "pacman": "pacman -S",
    "brew": "brew install",
}
"""Package manager -> its install command."""


@dataclass(frozen=True, slots=True)
class _Tool:
    """A program. ``packages``: its name by manager if it has another one; "" if the manager lacks it."""

    name: str
    role: str
    packages: dict[str, str] = field(default_factory=dict)
    otherwise: str = ""
    """The install command if no manager has it."""


_TOOLS: Final = (
    _Tool("nginx", "runs in front of the servers of twenty-one-pairs"),
    _Tool("pgbouncer", "pools the sessions of twenty-one-pairs", {"pacman": ""}),
    _Tool("wrk", "a load client to check ours against", {"dnf": "", "pacman": ""}),
    _Tool(
        "ab",
        "as wrk",
        {"apt-get": "apache2-utils", "dnf": "httpd-tools", "pacman": "apache", "brew": "httpd"},
    ),
    _Tool("oha", "a load client to check ours against", {"apt-get": "", "dnf": ""}, "cargo install oha"),
)


def facts_of_lab() -> Iterator[tuple[str, bool, str, str]]:
    """Yield (name, whether it is there or can be made, description, the exact command that fixes it)."""
    for tool in _TOOLS:
        path = find(tool.name)
        if path is not None:
            yield tool.name, True, path, ""
        else:
            yield tool.name, False, f"not installed; {tool.role}", _install(tool)
    for name, recipe in ENVIRONMENTS.items():
        try:
            words = "made" if is_made(name) else "made when it is first needed"
            yield name, True, f"{recipe.title}, in its own environment: {words}", ""
        except Unavailable as error:
            yield name, False, f"{error.why} Today you would use {recipe.successor}.", ""


def _install(tool: _Tool) -> str:
    """Return the install command, "" if no manager here has it."""
    for program, told in _MANAGERS.items():
        package = tool.packages.get(program, tool.name)
        if package and shutil.which(program) is not None:
            return f"{'' if program == 'brew' or _is_root() else 'sudo '}{told} {package}"
    return tool.otherwise


def _is_root() -> bool:
    return os.geteuid() == 0
