"""The recordings that the site shows: made by really running the scripts, and kept until a source changes.

Not for: what is recorded (``lessons``, ``gallery``) or how it is shown.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

from asyncdemo import store
from asyncdemo.errors import MissingError
from asyncdemo.model import Run
from asyncdemo.output import KeptOutput
from asyncdemo.runner import Options, Stdout, Target
from asyncdemo.services import Services
from asyncdemo.serving import Surroundings, open_recording

__all__ = ["FOLDER", "Recordings", "Take"]

FOLDER: Final = Path(".cache/site/runs")
"""Of the checkout, in which the site is built."""
_INDEX: Final = "recordings.json"
_POLL_S: Final = 0.01
_WHAT_RECORDS: Final = (
    "assembly",
    "awaits",
    "capture",
    "course/around.py",
    "course/bodies.py",
    "course/load.py",
    "load",
    "memory.py",
    "model",
    "runner.py",
    "serving",
    "services",
    "store",
)
"""Parts of asyncdemo whose change makes recordings anew. How they are drawn is no reason."""


@dataclass(frozen=True)
class Take:
    """One run to be made. around: what it needs beside it, from the services that were asked for."""

    target: Target
    options: Options
    around: Callable[[Services | None], Surroundings] = Surroundings


class Recordings:
    """A folder with a subfolder for each name."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder

    def is_fresh(self, name: str, takes: Sequence[Take], sources: Iterable[Path]) -> bool:
        """Whether they are there, of these takes and these sources."""
        return self._index(name).get("key") == _key(takes, sources)

    def record(
        self,
        name: str,
        takes: Sequence[Take],
        sources: Iterable[Path],
        services: Services | None = None,
        judge: Callable[[Sequence[Run]], Sequence[str]] = lambda _: (),
    ) -> tuple[Run, ...]:
        """Make them, one after another, and keep them.

        sources: files whose change makes them out of date. services: running. judge: what is to be
        remembered of the runs, see ``remarks``.
        """
        folder = self._folder / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        runs = tuple(_recorded(take, services) for take in takes)
        files = []
        for run in runs:
            files.append(f"{name.rpartition('/')[2]}-{run.name}.jsonl.gz")
            store.save(run, folder / files[-1])
        index = {"key": _key(takes, sources), "files": files, "remarks": list(judge(runs))}
        (folder / _INDEX).write_text(json.dumps(index), encoding="utf-8")
        return runs

    def get(self, name: str) -> tuple[Run, ...]:
        """Raises MissingError if nothing was recorded under this name."""
        return _loaded(tuple((path, path.stat().st_mtime_ns) for path in self.files(name)))

    def files(self, name: str) -> tuple[Path, ...]:
        """Where they are kept, in order. Raises MissingError."""
        files = self._index(name).get("files")
        if not isinstance(files, list):
            raise MissingError(f"There is no recording of {name}: python -m asyncdemo.site prepare")
        return tuple(self._folder / name / file for file in files)

    def remarks(self, name: str) -> tuple[str, ...]:
        """What was found to be told of them when they were made."""
        remarks = self._index(name).get("remarks")
        return tuple(map(str, remarks)) if isinstance(remarks, list) else ()

    def _index(self, name: str) -> dict[str, object]:
        try:
            index = json.loads((self._folder / name / _INDEX).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return index if isinstance(index, dict) else {}


@cache
def _loaded(files: tuple[tuple[Path, int], ...]) -> tuple[Run, ...]:
    """A page has several fences of the same runs."""
    return tuple(store.load(path) for path, _ in files)


def _recorded(take: Take, services: Services | None) -> Run:
    options = replace(take.options, stdout=Stdout.CAPTURE, stdin=False)
    with closing(
        open_recording(take.target, options, KeptOutput(), surroundings=take.around(services))
    ) as recording:
        recording.start()
        recording.go()
        while recording.poll(_POLL_S):
            pass
        run = recording.result()
    # The paths of this machine say nothing to a reader.
    return store.loads((_without_machine(line).encode() for line in store.dumps(run)), run.name)


def _without_machine(line: str) -> str:
    for path, name in _places():
        line = line.replace(json.dumps(path)[1:-1], name)
    return line


@cache
def _places() -> tuple[tuple[str, str], ...]:
    """Folder of this machine -> what a recording calls it; longer ones first, as one may hold another."""
    version = f"lib/python{sys.version_info.major}.{sys.version_info.minor}"
    paths = sysconfig.get_paths()
    return (
        *((f"{paths[kind]}/", f"{version}/site-packages/") for kind in ("purelib", "platlib")),
        (f"{paths['stdlib']}/", f"{version}/"),
        (f"{Path.cwd()}/", ""),
    )


def _key(takes: Sequence[Take], sources: Iterable[Path]) -> str:
    digest = hashlib.sha256(repr([(take.target, take.options) for take in takes]).encode())
    for path in sorted(sources):
        digest.update(path.read_bytes())
    digest.update(_recorder().encode())
    return digest.hexdigest()


@cache
def _recorder() -> str:
    """What records: its source, and the Python that runs it."""
    digest = hashlib.sha256(sys.version.encode())
    for path in sorted(_sources(Path(__file__).resolve().parents[1])):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _sources(package: Path) -> Iterator[Path]:
    for part in _WHAT_RECORDS:
        yield from [package / part] if part.endswith(".py") else (package / part).rglob("*.py")
