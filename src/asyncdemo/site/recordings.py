"""The recordings on the site: made by really running the scripts, and kept until a source changes."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import sysconfig
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

from asyncdemo import store
from asyncdemo.errors import AsyncdemoError, MissingError
from asyncdemo.model import Run
from asyncdemo.packages import CHECKOUT
from asyncdemo.recording.output_buffer import OutputBuffer
from asyncdemo.recording.runner import Options, Stdout, Target
from asyncdemo.services import Services
from asyncdemo.serving import RunContext, ServiceCache, open_recording

FOLDER: Final = Path(".cache/site/runs")
"""In the checkout, where the site is built."""
_INDEX: Final = "recordings.json"
_POLL_S: Final = 0.01
WHAT_RECORDS: Final = (
    "analysis/awaits",
    "capture",
    "course/content/load.py",
    "course/judging/lesson_jobs.py",
    "load",
    "model",
    "recording",
    "serving",
    "services",
    "store",
)
"""Parts of asyncdemo whose changes make recordings stale. Drawing is not one of them."""
_WHAT_JUDGES: Final = (
    "course/content/claims.py",
    "course/content/figures.py",
    "course/content/knobs.py",
    "analysis",
)
"""Parts whose changes may lead to other remarks on the same recordings."""
_PACKAGES: Final = CHECKOUT / "requirements" / "course.txt"
"""The versions of the packages that the recorded scripts import."""


@dataclass(frozen=True)
class Take:
    """One run to be made. ``run_context``: its context, given the requested services.

    ``ends``: how it must end ("ok", "failed", ...), or None if that doesn't matter.
    """

    target: Target
    options: Options
    run_context: Callable[[Services | None], RunContext] = RunContext
    ends: str | None = None


@dataclass(frozen=True)
class Subject:
    """What is recorded under a name.

    ``sources`` are files whose changes make the recordings stale. ``services`` are started. ``judge`` returns
    what is wrong with the runs; ideally nothing.
    """

    name: str
    takes: tuple[Take, ...]
    sources: tuple[Path, ...]
    services: tuple[str, ...] = ()
    judge: Callable[[Sequence[Run]], Sequence[str]] = lambda _: ()


class Recordings:
    """A folder with a subfolder for each name."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder

    def is_fresh(self, subject: Subject) -> bool:
        """Return whether there are recordings of these takes and these sources."""
        return self._index(subject.name).get("key") == _key(subject)

    def update(
        self,
        subject: Subject,
        service_cache: ServiceCache,
        tries: int,
        tell: Callable[[str], None] = print,
    ) -> None:
        """Record if that is not done, or something is wrong with the runs, as on a busy machine."""
        for _ in range(tries):
            if self.is_fresh(subject) and not self.remarks(subject):
                return
            services = service_cache.get(subject.services) if subject.services else None
            began = time.monotonic()
            self.record(subject, services)
            tell(f"recorded {subject.name} ({time.monotonic() - began:.1f} s)")
            if remarks := self.remarks(subject):
                tell(f"  {subject.name}: not as the text says: {'; '.join(remarks)}")

    def record(self, subject: Subject, services: Services | None = None) -> tuple[Run, ...]:
        """Make the recordings, one after another, and store them. ``services`` are running.

        Existing fresh ones stay, unless the new ones have fewer faults. Raises AsyncdemoError, without
        storing anything, if one does not end as it must.
        """
        # First, because a source that changes meanwhile is not what was recorded.
        key, name = _key(subject), subject.name
        runs = tuple(_recorded(take, services) for take in subject.takes)
        if self.is_fresh(subject) and len(subject.judge(runs)) > len(subject.judge(self.get(name))):
            return self.get(name)
        folder = self._folder / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        files = []
        for run in runs:
            files.append(f"{name.rpartition('/')[2]}-{run.name}.jsonl.gz")
            store.save(run, folder / files[-1])
        self._write_index(name, {"key": key, "files": files})
        return runs

    def get(self, name: str) -> tuple[Run, ...]:
        """Return the recordings. Raises MissingError if nothing was recorded under this name."""
        return _loaded(tuple((path, path.stat().st_mtime_ns) for path in self.files(name)))

    def files(self, name: str) -> tuple[Path, ...]:
        """Return their files, in order. Raises MissingError."""
        files = self._index(name).get("files")
        if not isinstance(files, list):
            raise MissingError(f"There is no recording of {name}: python -m asyncdemo.site prepare")
        return tuple(self._folder / name / file for file in files)

    def remarks(self, subject: Subject) -> tuple[str, ...]:
        """Return the remarks on them, cached because reading takes long. Raises MissingError."""
        index = self._index(subject.name)
        remarks, judged = index.get("remarks"), _digest(_WHAT_JUDGES)
        if isinstance(remarks, list) and index.get("judged") == judged:
            return tuple(map(str, remarks))
        found = tuple(subject.judge(self.get(subject.name)))
        self._write_index(subject.name, {**index, "judged": judged, "remarks": found})
        return found

    def _write_index(self, name: str, index: dict[str, object]) -> None:
        """Write this last: an incomplete folder has no index, and counts as missing."""
        (self._folder / name / _INDEX).write_text(json.dumps(index), encoding="utf-8")

    def _index(self, name: str) -> dict[str, object]:
        try:
            index = json.loads((self._folder / name / _INDEX).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return index if isinstance(index, dict) else {}


@cache
def _loaded(files: tuple[tuple[Path, int], ...]) -> tuple[Run, ...]:
    """Cached, because a page has several fences of the same runs."""
    return tuple(store.load(path) for path, _ in files)


def _recorded(take: Take, services: Services | None) -> Run:
    options = replace(take.options, stdout=Stdout.CAPTURE, stdin=False)
    with closing(
        open_recording(take.target, options, OutputBuffer(), run_context=take.run_context(services))
    ) as recording:
        recording.start()
        recording.go()
        while recording.poll(_POLL_S):
            pass
        run = recording.result()
    if take.ends not in (None, run.outcome):
        raise AsyncdemoError(
            " ".join([f"{take.target.title}: the run ended as {run.outcome}, not {take.ends}.", *run.notes])
        )
    # The paths of this machine mean nothing to readers.
    return store.loads((_without_machine(line).encode() for line in store.dumps(run)), run.name)


def _without_machine(line: str) -> str:
    for path, name in _places():
        line = line.replace(json.dumps(path)[1:-1], name)
    return line


@cache
def _places() -> tuple[tuple[str, str], ...]:
    """Return this machine's folders and their names in recordings, longer ones first: they may be nested."""
    version = f"lib/python{sys.version_info.major}.{sys.version_info.minor}"
    paths = sysconfig.get_paths()
    return (
        *((f"{paths[kind]}{os.sep}", f"{version}/site-packages/") for kind in ("purelib", "platlib")),
        (f"{paths['stdlib']}{os.sep}", f"{version}/"),
        (f"{Path.cwd()}{os.sep}", ""),
    )


def _key(subject: Subject) -> str:
    takes = [(take.target, take.options, take.ends) for take in subject.takes]
    digest = hashlib.sha256(repr(takes).encode())
    for path in sorted(subject.sources):
        digest.update(path.read_bytes())
    for part in (sys.version.encode(), _PACKAGES.read_bytes(), _digest(WHAT_RECORDS).encode()):
        digest.update(part)
    return digest.hexdigest()


@cache
def _digest(parts: Iterable[str]) -> str:
    """Return a digest of parts of asyncdemo, with all their files, because some are not Python."""
    package = Path(__file__).resolve().parents[1]
    digest = hashlib.sha256()
    for part in parts:
        for path in files_of(package / part):
            digest.update(f"{path.relative_to(package).as_posix()}\n".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def files_of(part: Path) -> Iterator[Path]:
    """Yield the files below a folder, or the one file, but none that Python has compiled."""
    if part.is_file():
        yield part
    yield from (path for path in sorted(part.rglob("*")) if path.is_file() and path.suffix != ".pyc")
