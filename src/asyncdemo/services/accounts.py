"""An unprivileged user to run PostgreSQL as, since it refuses to run as root (as in containers and CI),
and the folder of a server's files, which that user can reach.

No user is created: one that the system already has is enough.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from asyncdemo.errors import ServiceError

_OPEN_PLACES: Final = (Path("/tmp"), Path("/var/tmp"))
_FOLDERS: Final = "asyncdemo-server-"
_OLD_S: Final = 86_400


@dataclass(frozen=True, slots=True)
class Account:
    name: str
    uid: int
    gid: int

    def owns(self, folder: Path) -> None:
        for root, folders, files in os.walk(folder):
            for name in folders + files:
                os.lchown(os.path.join(root, name), self.uid, self.gid)
        os.chown(folder, self.uid, self.gid)

    def reaches(self, path: Path) -> bool:
        """Whether it has permission to get to this file or folder and read it."""
        return all(self._may(folder, 1) for folder in path.resolve().parents) and self._may(path, 4)

    def _may(self, path: Path, right: int) -> bool:
        status = path.stat()
        shift = 6 if status.st_uid == self.uid else 3 if status.st_gid == self.gid else 0
        return bool(stat.S_IMODE(status.st_mode) >> shift & right)


def account_for_servers() -> Account | None:
    """Return the account to run a server as; None if the current user is not root and can run it."""
    if os.geteuid() != 0:
        return None
    import pwd  # not available in a web page, where no server is started

    for name in ("postgres", "nobody"):
        try:
            found = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(name, found.pw_uid, found.pw_gid)
    raise ServiceError(
        "PostgreSQL does not run as root, and there is no user 'postgres' or 'nobody'. Use another account."
    )


def credentials(account: Account | None) -> dict[str, Any]:
    """Return the arguments that make ``subprocess`` run a program as this account."""
    if account is None:
        return {}
    return {"user": account.uid, "group": account.gid, "extra_groups": []}


class ServerFolder:
    """A new folder at ``path``, which belongs to the account."""

    def __init__(self, account: Account | None) -> None:
        place = _place(account)
        _remove_leftovers(place, {os.geteuid(), account.uid if account else -1})
        self.path = Path(tempfile.mkdtemp(prefix=_FOLDERS, dir=place))
        if account is not None:
            account.owns(self.path)

    def close(self) -> None:
        """Remove the folder and everything in it. May be called twice."""
        shutil.rmtree(self.path, ignore_errors=True)


def _remove_leftovers(place: Path, owners: set[int]) -> None:
    """Remove the folders of servers that ended without cleaning up, by SIGKILL, a day ago or earlier."""
    import psutil  # not available in a web page, where no server is started

    for folder in place.glob(f"{_FOLDERS}*"):
        try:
            status = folder.lstat()
            if time.time() - status.st_mtime < _OLD_S or status.st_uid not in owners:
                continue
            pid = (folder / "data" / "postmaster.pid").read_text(encoding="ascii").partition("\n")[0]
        except FileNotFoundError:
            pid = ""
        except (OSError, ValueError):  # removed meanwhile, or not ours to read
            continue
        if not (pid.isdecimal() and psutil.pid_exists(int(pid))):
            shutil.rmtree(folder, ignore_errors=True)


def _place(account: Account | None) -> Path:
    """Return the system's folder for temporary files, or another that the account can reach."""
    usual = Path(tempfile.gettempdir())
    if account is None:
        return usual
    for folder in (usual, *_OPEN_PLACES):
        if folder.is_dir() and account.reaches(folder):
            return folder
    raise ServiceError(
        f"The user {account.name!r} cannot access {usual}. Set TMPDIR to a folder that every user can access."
    )
