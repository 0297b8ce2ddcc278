"""The finished parts of a run, written line by line, so that an interrupted run can be continued.

Each line is JSON. The first identifies the run: everything that must be the same for all trials that are
compared. The others are finished parts. An incomplete last line is dropped.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar

from asyncdemo import __version__
from asyncdemo.errors import LabFileError
from asyncdemo.lab.harness.machine import describe_machine
from asyncdemo.lab.harness.protocol.bench import Bench
from asyncdemo.lab.harness.protocol.description import Experiment
from asyncdemo.lab.harness.protocol.lineup import Visit
from asyncdemo.lab.harness.protocol.stages import Attempted
from asyncdemo.lab.results.setup import Calibration, Environment, Extent
from asyncdemo.model.fields import read, write

FORMAT: Final = "asyncdemo.lab-journal/1"
_PACKAGE: Final = Path(__file__).parents[3]
_MEASURING: Final = ("lab", "load")
_SHOWING: Final = {"cli", "pages", "render"}
"""Folders of the lab that don't measure: changing them doesn't change a figure."""
_SOURCES: Final = {".py", ".toml", ".txt"}
""".toml: experiments and published figures. .txt: lock files of the contestants' environments."""
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
    """Return JSON-compatible values. Load programs count only if this run measures with them: others may come
    and go.
    """
    own = experiment.of(extent, bench.engines)
    settings = [item.described(experiment.sizes[extent]) for item in own.conditions]
    counting = {*experiment.programs, *(setting.tool for setting in settings)}
    return {
        "experiment": experiment.name,
        "extent": extent.value,
        "asyncdemo": __version__,
        "code": _code(),
        "arms": [contestant.arm.name for contestant in own.contestants],
        "settings": [write(setting) for setting in settings],
        "python": environment.python,
        "packages": dict(environment.packages),
        "programs": {name: said for name, said in environment.programs.items() if name in counting},
        "missing": dict(environment.missing),
        "pinning": dict(environment.pinning),
        "cpus": environment.cores,
    }


def differences(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[str]:
    """Return what differs between two runs, packages and programs by name. ``theirs`` is parsed JSON."""
    found = []
    for name, value in ours.items():
        other = theirs.get(name)
        if name in {"packages", "programs", "missing"} and isinstance(other, dict):
            found += [key for key in sorted({*value, *other}) if value.get(key) != other.get(key)]
        elif value != other:
            found.append(_TITLES.get(name, name if name == "asyncdemo" else f"the {name}"))
    return list(dict.fromkeys(found))  # something missing also lacks a version


@cache
def _code() -> str:
    """Return a digest of the measuring code: a checkout can change without a new version."""
    digest = hashlib.sha256()
    for part in _MEASURING:
        for file in sorted((_PACKAGE / part).rglob("*")):
            name = file.relative_to(_PACKAGE)
            if file.suffix in _SOURCES and file.is_file() and name.parts[1] not in _SHOWING:
                digest.update(name.as_posix().encode() + b"\0")
                digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Resumption:
    """The run was continued ``at`` this time."""

    at: str


_KINDS: Final[Mapping[str, type]] = {
    "calibration": Calibration,
    "visit": Visit,
    "attempt": Attempted,
    "gone on": Resumption,
}
_Part = TypeVar("_Part", Calibration, Visit, Attempted, Resumption)


class Journal:
    """``header`` identifies the run, with its seed and start. If ``path`` is None, nothing is stored.

    A seed of None becomes the journal's seed, or else a new one.
    """

    def __init__(self, path: Path | None, header: Mapping[str, Any]) -> None:
        """Continue an existing journal. Raises LabFileError if it belongs to another run."""
        self._path = path
        self.header: dict[str, Any] = {"format": FORMAT, **header}
        self._parts: list[object] = []
        self.is_taken_up = path is not None and path.exists() and self._take_up(path)
        if not self.is_taken_up:
            if self.header["seed"] is None:
                self.header["seed"] = secrets.randbelow(1 << 31)
            self._write(self.header)

    def add(self, part: Calibration | Visit | Attempted | Resumption) -> None:
        self._parts.append(part)
        self._write({name: write(part) for name, kind in _KINDS.items() if isinstance(part, kind)})

    def parts(self, kind: type[_Part]) -> list[_Part]:
        """Return those of a kind, in the order in which they were added."""
        return [part for part in self._parts if isinstance(part, kind)]

    def _take_up(self, path: Path) -> bool:
        """Return whether it has begun at all. Its start is ours, too, and its seed, if we have none."""
        try:
            data = path.read_bytes()
            lines = [json.loads(line) for line in data.split(b"\n")[:-1]]
            if lines:
                self._adopt(lines[0], path)
            for line in lines[1:]:
                ((name, value),) = line.items()
                self._parts.append(read(_KINDS[name], value, name, strict=True))
        except OSError as error:
            raise LabFileError(f"{path.name} cannot be read: {error}") from error
        except (ValueError, AttributeError, KeyError, RecursionError) as error:
            raise LabFileError(f"{path.name} is not a journal of a measurement: {error}") from error
        os.truncate(path, data.rfind(b"\n") + 1)  # what follows the last newline is incomplete
        return bool(lines)

    def _adopt(self, found: Mapping[str, Any], path: Path) -> None:
        self.header["started"] = found.get("started")
        if self.header["seed"] is None:
            self.header["seed"] = found.get("seed")
        for name, value in self.header.items():
            if found.get(name) != value:
                raise LabFileError(
                    f"{path.name} belongs to another run: its {name} differs. Remove it to start over."
                )

    def _write(self, line: Mapping[str, Any]) -> None:
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n")
