"""What the lab finds on this machine besides Python packages: programs, and its own environments."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Final

from asyncdemo.lab.harness import Unavailable
from asyncdemo.lab.harness.environments import ENVIRONMENTS, is_made
from asyncdemo.lab.harness.machine import find

_INSTALL: Final = {
    "apt-get": "apt-get install",
    "dnf": "dnf install",
    "pacman": "pacman -S",
    "brew": "brew install",
}
"""Package manager -> its install command."""
_ROLES: Final = {
    "nginx": "runs in front of the servers of twenty-one-pairs",
    "pgbouncer": "pools the sessions of twenty-one-pairs",
    "wrk": "a load client to check ours against",
    "ab": "as wrk",
    "oha": "a load client to check ours against",
}
_PACKAGES: Final = {
    "pgbouncer": {"pacman": ""},
    "wrk": {"dnf": "", "pacman": ""},
    "ab": {"apt-get": "apache2-utils", "dnf": "httpd-tools", "pacman": "apache", "brew": "httpd"},
    "oha": {"apt-get": "", "dnf": ""},
}
"""Program -> its package by manager, if it has another name; "" if the manager lacks it."""
_OTHERWISE: Final = {"oha": "cargo install oha"}


def facts_of_lab() -> Iterator[tuple[str, bool, str, str]]:
    """Yield (name, whether it is there or can be made, description, the exact command that fixes it)."""
    for name, role in _ROLES.items():
        if path := find(name):
            yield name, True, path, ""
        else:
            yield name, False, f"not installed; {role}", _install(name)
    for name, recipe in ENVIRONMENTS.items():
        try:
            words = "made" if is_made(name) else "made when it is first needed"
            yield name, True, f"{recipe.title}, in its own environment: {words}", ""
        except Unavailable as error:
            yield name, False, f"{error.why} Today you would use {recipe.successor}.", ""


def _install(name: str) -> str:
    """Return the install command, "" if no manager here has it."""
    for manager, command in _INSTALL.items():
        package = _PACKAGES.get(name, {}).get(manager, name)
        if package and shutil.which(manager) is not None:
            sudo = "" if manager == "brew" or os.geteuid() == 0 else "sudo "
            return f"{sudo}{command} {package}"
    return _OTHERWISE.get(name, "")
