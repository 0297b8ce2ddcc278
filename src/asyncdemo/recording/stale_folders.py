"""Remove the socket folders that a killed asyncdemo leaves in the folder for temporary files.

Not here: the socket of a running one (see ``child``).
"""

from __future__ import annotations

import contextlib
import os
import socket
import stat
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Final

FOLDERS: Final = "asyncdemo-"
"""Prefix of the names of such folders."""
SOCKET: Final = "events"
_LEFT_S: Final = 86400.0


@cache
def remove_leftovers() -> None:
    """Remove this user's folders that are a day old and have only a socket to which nobody listens.

    Once per process is enough.
    """
    for folder in Path(tempfile.gettempdir()).glob(f"{FOLDERS}*"):
        with contextlib.suppress(OSError):  # removed meanwhile, or not accessible
            _remove_left(folder)


def _remove_left(folder: Path) -> None:
    status, path = folder.lstat(), folder / SOCKET
    ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
    if not ours or time.time() - status.st_mtime < _LEFT_S or not stat.S_ISSOCK(path.lstat().st_mode):
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
            folder.rmdir()
