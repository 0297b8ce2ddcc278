"""The files of measurements: the record and its page, and the completed part of an interrupted run."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from asyncdemo.bounded import open_regular
from asyncdemo.course.workspace.files import replace, state_folder
from asyncdemo.errors import LabFileError, UsageError, WorkspaceError
from asyncdemo.lab.harness.protocol.journal import differences
from asyncdemo.lab.render.page import render_page
from asyncdemo.lab.results.record import Record, dump_record, load_record
from asyncdemo.lab.results.setup import Extent

_ENOUGH: Final = 512
_HEAD: Final = re.compile(rb'\s*\{\s*"format"\s*:\s*"asyncdemo\.lab/')


def lab_folder() -> Path:
    return state_folder() / "lab"


def kept_folder(record: Record) -> Path:
    """Return a folder for the run, so that none is overwritten; a resumed run keeps its own."""
    return lab_folder() / record.started.replace(":", "")


def check_target(folder: Path, name: str) -> None:
    """Check before the run, because afterwards the result would be lost. Raises UsageError."""
    file = folder / f"{name}.json"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        is_other = file.exists() and not _holds_record(file)
    except OSError as error:
        raise UsageError(f"--save {folder}: {error.strerror}.") from None
    if is_other:
        raise UsageError(
            f"--save {folder}: {file} already exists and is not a record of the lab. "
            "Choose another folder, or remove that file first."
        )


def _holds_record(file: Path) -> bool:
    with open_regular(file) as opened:
        return _HEAD.match(opened.read(_ENOUGH)) is not None


def save(record: Record, folder: Path) -> Path:
    """Write the record and the page, each file completely or not at all. Return the page. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / f"{record.name}.html"
    replace(page.with_suffix(".json"), dump_record(record).encode())
    replace(page, render_page(record).encode())
    return page


def would_lose(record: Record, folder: Path) -> bool:
    """Return whether this one was ended early and would replace another run's complete record."""
    file = folder / f"{record.name}.json"
    if not (record.interrupted and file.exists()):
        return False
    try:
        there = load_record(file)
    except LabFileError:  # another asyncdemo's: it may be complete
        return True
    return not there.interrupted and there.started != record.started


@dataclass(frozen=True, slots=True)
class Journals:
    """Journals of one experiment's interrupted runs, one for each ``identity`` and state of the apps.

    A run with another stack, or another version of anything, can't resume from them.
    """

    name: str
    extent: Extent
    apps: Path

    def path(self, which: Mapping[str, Any]) -> Path:
        content = json.dumps(which, sort_keys=True).encode()
        return lab_folder() / f"{self._of_apps}{hashlib.sha256(content).hexdigest()[:12]}.journal"

    def remove(self) -> None:
        for path in self._all():
            path.unlink(missing_ok=True)

    def latest(self) -> Path | None:
        """Return the journal of the last interrupted run with any measurements, whatever its identity."""
        measured = [path for path in self._all() if trials_in(path)]
        return max(measured, key=lambda path: path.stat().st_mtime, default=None)

    def differing(self, journal: Path, which: Mapping[str, Any]) -> list[str]:
        """Return, in words, why a run with this identity can't resume from that journal."""
        try:
            header = json.loads(journal.read_bytes().split(b"\n", 1)[0])
        except (OSError, ValueError, RecursionError):
            header = None
        if not isinstance(header, dict):
            return ["the journal, which is damaged"]
        apps = [] if journal.name.startswith(self._of_apps) else ["the apps"]
        return [*apps, *differences(which, header)]

    def _all(self) -> list[Path]:
        return list(lab_folder().glob(f"{self.name}-{self.extent.value}-*.journal"))

    @property
    def _of_apps(self) -> str:
        content = hashlib.sha256()
        for file in sorted(self.apps.rglob("*.py")):
            content.update(str(file.relative_to(self.apps)).encode() + b"\0" + file.read_bytes())
        return f"{self.name}-{self.extent.value}-{content.hexdigest()[:12]}-"


def trials_in(journal: Path) -> int:
    """Return how many trials an interrupted run has measured; 0 without a journal."""
    try:
        return sum(line.startswith(b'{"attempt"') for line in journal.read_bytes().split(b"\n"))
    except OSError:
        return 0


def trials_words(journal: Path, whose: str = "") -> str:
    trials = trials_in(journal)
    return f"1 trial{whose} is" if trials == 1 else f"{trials} trials{whose} are"


@contextlib.contextmanager
def measuring_alone() -> Iterator[None]:
    """Raises UsageError if another lab is measuring here, because each would disturb the other.

    Raises WorkspaceError if nothing can be saved.
    """
    folder = lab_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / "lock").open("wb")
    except OSError as error:
        raise WorkspaceError(
            f"{folder}: {error.strerror}. Results are saved there. To use another folder, set XDG_STATE_HOME."
        ) from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UsageError(
                "Another asyncdemo lab is measuring on this machine, and the two would disturb each other. "
                "Wait until it has finished."
            ) from None
        yield
