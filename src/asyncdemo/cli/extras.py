"""Optional packages, and which of them are installed.

Read from the installed package, or from the checkout's pyproject.toml if it is not installed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import metadata

from asyncdemo.packages import CHECKOUT, WITHOUT_WHEEL, install_command, version_of


@dataclass(frozen=True, slots=True)
class Extra:
    """``name``: "" for required packages. ``present``: package -> version. ``not_built``: for this Python."""

    name: str
    present: dict[str, str]
    missing: tuple[str, ...]
    not_built: tuple[str, ...]
    install: str


def extras(needed: Iterable[str]) -> list[Extra]:
    """Return the required packages, then every extra but "all"."""
    found = [_extra("", needed)]
    found.extend(_extra(name, packages) for name, packages in _declared().items() if name != "all")
    return found


def _extra(name: str, packages: Iterable[str]) -> Extra:
    versions = {package: version_of(package) for package in packages}
    present = {package: version for package, version in versions.items() if version is not None}
    absent = [package for package, version in versions.items() if version is None]
    missing = tuple(package for package in absent if package not in WITHOUT_WHEEL)
    not_built = tuple(package for package in absent if package in WITHOUT_WHEEL)
    return Extra(name, present, missing, not_built, install_command(name))


def _declared() -> dict[str, list[str]]:
    """Return the names of each extra's packages, including those of the extras that it includes."""
    requirements = _requirements()
    return {name: sorted(_packages(name, requirements)) for name in requirements}


def _packages(extra: str, requirements: dict[str, list[str]]) -> set[str]:
    packages = set()
    for requirement in requirements.get(extra, []):
        if included := re.match(r"asyncdemo\[([^\]]*)\]", requirement):
            for other in included[1].split(","):
                packages |= _packages(other.strip(), requirements)
        else:
            packages.add(re.split(r"[\s\[<>=!~;]", requirement, maxsplit=1)[0])
    return packages


def _requirements() -> dict[str, list[str]]:
    pyproject = CHECKOUT / "pyproject.toml"
    if pyproject.is_file():
        import tomllib

        project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
        return dict(project.get("optional-dependencies", {}))
    try:
        lines = metadata.requires("asyncdemo") or []
    except metadata.PackageNotFoundError:
        return {}
    requirements: dict[str, list[str]] = {}
    for line in lines:
        if match := re.search(r"extra == ['\"]([^'\"]+)['\"]", line):
            requirements.setdefault(match[1], []).append(line)
    return requirements
