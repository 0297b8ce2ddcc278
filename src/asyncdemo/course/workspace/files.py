"""Atomic file operations: a file is complete or missing, even if the program is killed.

Also the user's folder for state.
"""

from __future__ import annotations

import contextlib
import errno
import os
import time
from pathlib import Path
from typing import Final

from platformdirs import user_state_path

from asyncdemo.errors import WorkspaceError

_NO_LINKS: Final = {errno.EPERM, errno.EACCES, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK}
"""Error numbers of file systems without hard links (FAT, some network file systems)."""
_FORGOTTEN_S: Final = 3600.0


def draft(folder: Path, data: bytes) -> Path:
    """Write the data to a new file with a unique name. Raises OSError."""
    path = folder / f".{os.getpid()}-{os.urandom(6).hex()}.draft"
    try:
        with path.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())  # after a power cut, a name must not be left without its content
    except BaseException:
        discard(path)
        raise
    return path


def publish(draft: Path, target: Path) -> None:
    """Rename a draft. Raises FileExistsError if the name is taken. The draft is gone in any case."""
    try:
        try:
            os.link(draft, target)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            # Reserve the name first, with an empty file. Readers treat an empty file as unfinished.
            reserve(target)
            try:
                os.replace(draft, target)
            except OSError:
                discard(target)
                raise
    finally:
        discard(draft)


def replace(target: Path, data: bytes) -> None:
    """Write the data, or leave the file as it was. Raises OSError."""
    path = draft(target.parent, data)
    try:
        os.replace(path, target)
    except BaseException:
        discard(path)
        raise


def reserve(path: Path) -> None:
    """Reserve a name with an empty file. Raises FileExistsError if it is taken."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))


def discard(path: Path) -> None:
    """Remove one of our files if it exists. Errors are ignored: they don't affect what it was needed for."""
    with contextlib.suppress(OSError):
        path.unlink()


def sweep(folder: Path) -> None:
    """Remove abandoned drafts. Raises OSError."""
    for left in folder.glob(".*.draft"):
        if left.stat().st_mtime < time.time() - _FORGOTTEN_S:
            left.unlink(missing_ok=True)


def state_folder() -> Path:
    """Return this user's folder for state, such as ``~/.local/state/asyncdemo``.

    Raises WorkspaceError if there is none, as for a user of a container who has no home folder.
    """
    try:
        return user_state_path("asyncdemo", appauthor=False)
    except RuntimeError:
        raise WorkspaceError(
            "This user has no home folder to keep progress in. Set HOME or XDG_STATE_HOME to a folder."
        ) from None
