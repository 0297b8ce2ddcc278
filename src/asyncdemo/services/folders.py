"""The folder of a server's files."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Final

from asyncdemo.errors import ServiceError
from asyncdemo.services.accounts import Account

_OPEN_PLACES: Final = (Path("/tmp"), Path("/var/tmp"))


class ServerFolder:
    """A new folder at ``path``, which belongs to the account."""

    def __init__(self, account: Account | None) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="asyncdemo-server-", dir=_place(account)))
        if account is not None:
            account.owns(self.path)

    def close(self) -> None:
        """Remove the folder and everything in it. May be called twice."""
        shutil.rmtree(self.path, ignore_errors=True)


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
