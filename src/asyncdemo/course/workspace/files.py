"""Files that are there as a whole or not at all, whatever ends the program in between.

Also the folder for what belongs to no workspace. Not for: what is in them (``workspace``).
"""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

_NO_LINKS: Final = {errno.EPERM, errno.EACCES, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK}
"""What file systems without hard links (FAT, some of the network) answer."""
_FORGOTTEN_S: Final = 3600.0


def draft(folder: Path, data: bytes) -> Path:
    """A new file with the data, under a name that nobody else uses. Raises OSError."""
    path = folder / f".{os.getpid()}-{os.urandom(6).hex()}.draft"
    try:
        with path.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())  # a name must not outlive a power cut without its content
    except BaseException:
        discard(path)
        raise
    return path


def publish(draft: Path, target: Path) -> None:
    """Gives a draft its name, unless that is taken: then FileExistsError. The draft is gone in any case."""
    try:
        try:
            os.link(draft, target)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            # The name is taken first, with an empty file. Readers take an empty file for unfinished.
            reserve(target)
            try:
                os.replace(draft, target)
            except OSError:
                discard(target)
                raise
    finally:
        discard(draft)


def replace(target: Path, data: bytes) -> None:
    """Writes the data, or leaves the file as it was. Raises OSError."""
    path = draft(target.parent, data)
    try:
        os.replace(path, target)
    except OSError:
        discard(path)
        raise


def reserve(path: Path) -> None:
    """Takes a name by an empty file. Raises FileExistsError if it is taken."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))


def discard(path: Path) -> None:
    """Removes a file of ours if it is there. That it cannot be is no failure of what it was needed for."""
    with contextlib.suppress(OSError):
        path.unlink()


def sweep(folder: Path) -> None:
    """Removes drafts that nobody will finish any more. Raises OSError."""
    for left in folder.glob(".*.draft"):
        if left.stat().st_mtime < time.time() - _FORGOTTEN_S:
            left.unlink(missing_ok=True)


def state_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Where the system keeps such state: $XDG_STATE_HOME."""
    named = environment.get("XDG_STATE_HOME")
    return (Path(named) if named else Path.home() / ".local" / "state") / "asyncdemo"
