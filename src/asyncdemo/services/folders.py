"""The folder of a server's files. It is locked while in use, so that one that a kill left can be removed.

Every process that has the file open holds the lock: the server, too, if it outlives its parent.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from pathlib import Path
from typing import IO, Final

from asyncdemo.errors import ServiceError
from asyncdemo.services.accounts import Account

_NAMES: Final = "asyncdemo-postgres-"
_HIDDEN: Final = "."
_LOCK: Final = "in-use"
_OPEN_PLACES: Final = (Path("/tmp"), Path("/var/tmp"))


class ServerFolder:
    """A new folder at ``path``; the server must inherit ``lock``."""

    def __init__(self, account: Account | None) -> None:
        remove_leftovers()
        self.path = Path(tempfile.mkdtemp(prefix=_HIDDEN + _NAMES, dir=_place(account)))
        self.lock: IO[bytes] = (self.path / _LOCK).open("wb")
        if _try_to_lock(self.lock.fileno()):
            # It gets its final name only when locked: a folder of that name without a lock is abandoned.
            self.path = self.path.rename(self.path.with_name(self.path.name.removeprefix(_HIDDEN)))
        if account is not None:
            account.owns(self.path)

    def close(self) -> None:
        self.lock.close()
        shutil.rmtree(self.path, ignore_errors=True)


def remove_leftovers() -> None:
    """Remove the folders of servers that no longer run."""
    places = {Path(tempfile.gettempdir()), *_OPEN_PLACES}
    for folder in (folder for place in places for folder in place.glob(f"{_NAMES}*")):
        with contextlib.suppress(OSError):  # removed meanwhile, or not ours
            if _abandoned(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _abandoned(folder: Path) -> bool:
    if folder.is_symlink():
        return False
    lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
    try:
        return _try_to_lock(lock)
    finally:
        os.close(lock)


def _try_to_lock(descriptor: int) -> bool:
    """Return whether nobody else held it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _place(account: Account | None) -> Path:
    """Return the system's folder for temporary files, or another that the account can reach."""
    usual = Path(tempfile.gettempdir())
    if account is None:
        return usual
    for folder in (usual, *_OPEN_PLACES):
        if folder.is_dir() and account.reaches(folder):
            return folder
    raise ServiceError(
        f"The user {account.name!r} cannot reach {usual}. Set TMPDIR to a folder that every user can reach."
    )
