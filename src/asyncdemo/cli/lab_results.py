"""Where measurements are kept: the record and its page, and what is finished of a run that was ended.

Not for: what is in them (``lab.record_file``, ``lab.protocol.journal``, ``render.lab.page``).
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from asyncdemo import __version__
from asyncdemo.course.files import replace
from asyncdemo.course.place import state_folder
from asyncdemo.errors import UsageError, WorkspaceError
from asyncdemo.lab.experiment import Extent
from asyncdemo.lab.record import Record
from asyncdemo.lab.record_file import dump_record
from asyncdemo.render.lab.page import render_page

__all__ = ["Journals", "check_target", "kept_folder", "measuring_alone", "save"]

_HEAD: Final = re.compile(rb'\s*\{\s*"format"\s*:\s*"asyncdemo\.lab/')
_ENOUGH: Final = 256


def lab_folder() -> Path:
    """Not the current folder: nobody asked for files there."""
    return state_folder() / "lab"


def kept_folder(record: Record) -> Path:
    """One for each run, so that none is written over; a run that goes on keeps its own."""
    return lab_folder() / record.started.replace(":", "")


def check_target(folder: Path, name: str) -> None:
    """Before the run, as afterwards it would be a pity. Raises UsageError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--save {folder}: {error.strerror}.") from None
    file = folder / f"{name}.json"
    if file.exists() and not _is_record(file):
        raise UsageError(
            f"--save {folder}: {file} is there already and is no record of the lab. "
            "Choose another folder, or remove that file first."
        )


def save(record: Record, folder: Path) -> tuple[Path, Path]:
    """Each file is written as a whole or not at all: the record, and the page. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    data, page = folder / f"{record.name}.json", folder / f"{record.name}.html"
    replace(data, dump_record(record).encode())
    replace(page, render_page(record).encode())
    return data, page


@dataclass(frozen=True, slots=True)
class Journals:
    """Of the runs of one experiment that were ended. With other apps, or another asyncdemo, it is another
    run: then there is nothing to go on with.
    """

    name: str
    extent: Extent
    apps: Path

    @property
    def path(self) -> Path:
        content = hashlib.sha256(__version__.encode())
        for file in sorted(self.apps.rglob("*.py")):
            content.update(str(file.relative_to(self.apps)).encode() + b"\0" + file.read_bytes())
        return lab_folder() / f"{self._stem}{content.hexdigest()[:12]}.journal"

    def remove(self) -> None:
        for path in lab_folder().glob(f"{self._stem}*.journal"):
            path.unlink(missing_ok=True)

    @property
    def measured(self) -> int:
        """How many trials a run that was ended has measured."""
        try:
            lines = self.path.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return 0
        return sum(line.startswith('{"attempt"') for line in lines)

    @property
    def _stem(self) -> str:
        return f"{self.name}-{self.extent.value}-"


@contextlib.contextmanager
def measuring_alone() -> Iterator[None]:
    """Raises UsageError if another lab measures here: each would be what disturbs the other. And
    WorkspaceError if nothing can be kept.
    """
    try:
        import fcntl
    except ImportError:  # Windows, where no server is measured
        yield
        return
    folder = lab_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / "lock").open("wb")
    except OSError as error:
        raise WorkspaceError(
            f"{folder}: {error.strerror}. What is measured is kept there; XDG_STATE_HOME names another place."
        ) from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UsageError(
                "Another asyncdemo lab measures on this machine: the two would disturb each other. "
                "Wait until it has ended."
            ) from None
        yield


def _is_record(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            return _HEAD.match(opened.read(_ENOUGH)) is not None
    except OSError:
        return False
