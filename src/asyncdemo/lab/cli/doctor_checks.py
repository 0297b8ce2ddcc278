"""What ``asyncdemo doctor`` looks at for the lab: its programs, and its environments."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from asyncdemo.cli.doctor_result import DoctorCheck, Status
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
_TOOLS: Final[Sequence[tuple[str, str, dict[str, str], str]]] = (
    ("nginx", "runs in front of the servers of twenty-one-pairs", {}, ""),
    ("pgbouncer", "pools the sessions of twenty-one-pairs", {"pacman": ""}, ""),
    ("wrk", "a load client to compare ours with", {"dnf": "", "pacman": ""}, ""),
)
"""Programs of the lab: name, role, its package by manager if that has another name ("" if the manager lacks
it), and the install command if no manager has it."""


def checks() -> Iterator[DoctorCheck]:
    """Yield what the lab measures besides packages. If something is missing, the lab says so and omits it."""
    for name, role, packages, otherwise in _TOOLS:
        path = find(name)
        if path is not None:
            yield DoctorCheck(name, Status.OK, path)
        else:
            fix = _install(name, packages) or otherwise
            status = Status.MISSING if fix else Status.NOTE
            yield DoctorCheck(name, status, f"not installed; {role}", fix)
    for name, recipe in ENVIRONMENTS.items():
        try:
            words = "created" if is_made(name) else "created when it is first needed"
            yield DoctorCheck(name, Status.OK, f"{recipe.title}, in its own environment: {words}")
        except Unavailable as error:
            yield DoctorCheck(name, Status.NOTE, f"{error.why} Today you would use {recipe.successor}.")


def _install(name: str, packages: Mapping[str, str]) -> str:
    """Return the install command, "" if no manager here has it."""
    for program, install in _MANAGERS.items():
        package = packages.get(program, name)
        if package and shutil.which(program) is not None:
            return f"{'' if program == 'brew' or os.geteuid() == 0 else 'sudo '}{install} {package}"
    return ""
