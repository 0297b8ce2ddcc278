"""The finished parts of a run, written line by line, so that an interrupted run can be continued.

Each line is JSON. The first identifies the run: everything that must be the same for all trials that are
compared. The others are finished parts. An incomplete last line is dropped.
Not here: the record of a finished run (see ``results.record``), or where the command stores a journal.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from asyncdemo import __version__
from asyncdemo.errors import LabFileError
from asyncdemo.lab.harness.machine import describe_machine
from asyncdemo.lab.harness.protocol.bench import Bench
from asyncdemo.lab.harness.protocol.description import Experiment
from asyncdemo.lab.results.setup import Environment, Extent
from asyncdemo.model.fields import write

_PACKAGE: Final = Path(__file__).parents[3]
_MEASURING: Final = ("lab", "load")
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
            if file.suffix in _SOURCES and file.is_file():
                digest.update(file.relative_to(_PACKAGE).as_posix().encode() + b"\0")
                digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


FORMAT: Final = "asyncdemo.lab-journal/1"


class Journal:
    """``header`` identifies the run, with its seed and start. If ``path`` is None, nothing is stored.

    A seed of None becomes the journal's seed, or else a new one.
    """

    def __init__(self, path: Path | None, header: Mapping[str, Any]) -> None:
        """Continue an existing journal. Raises LabFileError if it belongs to another run."""
        self._path = path
        self.header = dict(header)
        self._entries: list[tuple[str, Any]] = []
        self.is_taken_up = False
        """Whether this continues an earlier run."""
        if path is not None and path.exists():
            self._take_up(path)
        else:
            self._begin()

    def add(self, kind: str, value: Any) -> None:
        """``value`` must be JSON-compatible."""
        self._entries.append((kind, value))
        self._write({kind: value})

    def entries(self, kind: str) -> Iterator[Any]:
        """Yield them in the order in which they were added."""
        return (value for entry, value in self._entries if entry == kind)

    def _take_up(self, path: Path) -> None:
        try:
            data = path.read_bytes()
        except OSError as error:
            raise LabFileError(f"{path.name} cannot be read: {error}") from error
        # what follows the last newline is incomplete
        whole = data[: data.rfind(b"\n") + 1]
        try:
            lines = [json.loads(line) for line in whole.split(b"\n")[:-1]]
            self._entries = [entry for line in lines[1:] for entry in line.items()]
        except (ValueError, AttributeError) as error:
            raise LabFileError(f"{path.name} is not a journal of a measurement: {error}") from error
        if lines:
            self._adopt(path, lines[0])
            self.is_taken_up = True
        if whole != data:
            _replace(path, whole)
        if not lines:
            self._begin()

    def _begin(self) -> None:
        if self.header["seed"] is None:
            self.header["seed"] = secrets.randbelow(1 << 31)
        self._write({"format": FORMAT, **self.header})

    def _adopt(self, path: Path, header: object) -> None:
        """Take the start time from the journal, and the seed, too, if we have none."""
        found = header if isinstance(header, dict) else {}
        ours = {"format": FORMAT, **self.header}
        ours["started"] = found.get("started")
        if ours.get("seed") is None:
            ours["seed"] = found.get("seed")
        for name, value in ours.items():
            if found.get(name) != value:
                raise LabFileError(
                    f"{path.name} belongs to another run: its {name} differs. Remove it to start over."
                )
        self.header = {name: value for name, value in ours.items() if name != "format"}

    def _write(self, line: Mapping[str, Any]) -> None:
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n")


def _replace(path: Path, data: bytes) -> None:
    """Replace atomically: an hour of measurements must not be lost in between."""
    draft = path.with_name(f".{path.name}.draft")
    with draft.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())  # after a power cut, the new name must not exist without its content
    os.replace(draft, path)
