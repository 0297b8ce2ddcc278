"""What an asyncdemo that was killed leaves in the folder for temporary files: the folder of its socket.

Not for: the socket of one that lives (``child``).
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
"""What the names of such folders begin with."""
SOCKET: Final = "events"
_LEFT_S: Final = 86400.0


@cache
def remove_leftovers() -> None:
    """Folders of this user that are a day old, with a socket to which nobody listens, and nothing else.

    Once for a process is enough.
    """
    for folder in Path(tempfile.gettempdir()).glob(f"{FOLDERS}*"):
        with contextlib.suppress(OSError):  # gone meanwhile, or not for us to look at
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
