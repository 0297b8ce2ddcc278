"""Which run it is: what must be the same in all trials that stand in one ratio.

Not for: where the journal of a run lies, and what becomes of one that cannot go on (the command's).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from asyncdemo import __version__
from asyncdemo.lab.harness.machine import describe_machine
from asyncdemo.lab.harness.protocol.bench import Bench
from asyncdemo.lab.harness.protocol.description import Experiment
from asyncdemo.lab.results.setup import Environment, Extent
from asyncdemo.model.fields import write

__all__ = ["describe", "differences", "identity"]

_PACKAGE: Final = Path(__file__).parents[3]
_MEASURING: Final = ("lab", "load")
_SOURCES: Final = {".py", ".toml", ".txt"}
"""The second: experiments and what is published; the third: locks of environments that contestants have."""
_TITLES: Final = {
    "code": "the measuring code",
    "python": "Python",
    "pinning": "the processors of client and servers",
    "cpus": "the number of processors",
    "arms": "the contestants",
}


def describe(experiment: Experiment, bench: Bench) -> Environment:
    return describe_machine(bench.pinning, experiment.packages, experiment.programs, experiment.missing)


def identity(
    experiment: Experiment, extent: Extent, bench: Bench, environment: Environment
) -> dict[str, Any]:
    """What JSON can hold. Of the load programs only those count that it measures with: another one may come
    and go.
    """
    size = experiment.sizes[extent]
    settings = [
        item.described(size) for item in experiment.conditions_of(size) if item.setting.tool in bench.engines
    ]
    counting = {*experiment.programs, *(setting.tool for setting in settings)}
    return {
        "experiment": experiment.name,
        "extent": extent.value,
        "asyncdemo": __version__,
        "code": _code(),
        "arms": [contestant.arm.name for contestant in experiment.of(size).contestants],
        "settings": [write(setting) for setting in settings],
        "python": environment.python,
        "packages": dict(environment.packages),
        "programs": {name: said for name, said in environment.programs.items() if name in counting},
        "missing": dict(environment.missing),
        "pinning": dict(environment.pinning),
        "cpus": environment.cores,
    }


def differences(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[str]:
    """In words what keeps two runs apart; packages and programs by their names. theirs: as it was read."""
    found = []
    for name, value in ours.items():
        other = theirs.get(name)
        if name in {"packages", "programs", "missing"} and isinstance(other, dict):
            found += [key for key in sorted({*value, *other}) if value.get(key) != other.get(key)]
        elif value != other:
            found.append(_TITLES.get(name, name if name == "asyncdemo" else f"the {name}"))
    return list(dict.fromkeys(found))  # what is missing has no version either


@cache
def _code() -> str:
    """Of what measures: a checkout changes without a new version."""
    digest = hashlib.sha256()
    for part in _MEASURING:
        for file in sorted((_PACKAGE / part).rglob("*")):
            if file.suffix in _SOURCES and file.is_file():
                digest.update(file.relative_to(_PACKAGE).as_posix().encode() + b"\0")
                digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()
