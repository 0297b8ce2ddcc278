"""The packages required to send and measure a load."""

from __future__ import annotations

from importlib.util import find_spec

from asyncdemo.errors import MissingError
from asyncdemo.packages import install_command

_PACKAGES = {"httptools": "httptools", "hdrh": "hdrhistogram"}
"""Module -> package."""


def check_installed() -> None:
    missing = [package for module, package in _PACKAGES.items() if find_spec(module) is None]
    if missing:
        fix = install_command("course")
        raise MissingError(f"the load client needs {' and '.join(missing)}. To install it: {fix}")
