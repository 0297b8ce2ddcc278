"""What was rendered for the site before, kept until something that it is made from changes.

Not here: recordings, which become stale for fewer reasons (see ``recordings``).
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final

from asyncdemo.packages import CHECKOUT
from asyncdemo.site.recordings import FOLDER as RUNS
from asyncdemo.site.recordings import files_of

_FOLDER: Final = Path(".cache/site/rendered")
_MADE_FROM: Final = (
    Path(__file__).resolve().parents[1],
    CHECKOUT / "requirements" / "dev.txt",
    Path("lessons"),
    RUNS,
)
_RECORDS: Final = Path("docs/measure/records")
"""Only the compressed ones: the others are made from them."""


def kept(what: str, make: Callable[[], bytes]) -> bytes:
    """Return what ``make`` makes, or made before under this name."""
    file = _folder() / hashlib.sha256(what.encode()).hexdigest()
    if not file.is_file():
        data = make()
        unfinished = file.with_suffix(f".{os.getpid()}")
        unfinished.write_bytes(data)
        unfinished.replace(file)
    return file.read_bytes()


@cache
def _folder() -> Path:
    """Return the folder of all that was made from the files as they are; what is older goes."""
    digest = hashlib.sha256(f"{sys.version} {os.environ.get('REPO_URL', '')}".encode())
    for part in (*_MADE_FROM, *sorted(_RECORDS.glob("*.gz"))):
        for path in files_of(part):
            digest.update(f"{path.as_posix()}\n".encode())
            digest.update(path.read_bytes())
    folder = _FOLDER / digest.hexdigest()
    for old in _FOLDER.glob("*"):
        if old != folder:
            shutil.rmtree(old, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    return folder
