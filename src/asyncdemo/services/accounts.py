"""PostgreSQL refuses to run as root, as containers and CI do: then it runs as a user who may do nothing.

Not for: users that are made; one that the system has is enough.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from asyncdemo.errors import ServiceError


@dataclass(frozen=True, slots=True)
class Account:
    """A user of the system other than us."""

    name: str
    uid: int
    gid: int

    def owns(self, folder: Path) -> None:
        """Give it a folder with all that is in it."""
        for root, folders, files in os.walk(folder):
            for name in folders + files:
                os.lchown(os.path.join(root, name), self.uid, self.gid)
        os.chown(folder, self.uid, self.gid)

    def reaches(self, path: Path) -> bool:
        """Whether it may walk to this file or folder, and read it."""
        return all(self._may(folder, 1) for folder in path.resolve().parents) and self._may(path, 4)

    def _may(self, path: Path, right: int) -> bool:
        status = path.stat()
        shift = 6 if status.st_uid == self.uid else 3 if status.st_gid == self.gid else 0
        return bool(stat.S_IMODE(status.st_mode) >> shift & right)


def account_for_servers() -> Account | None:
    """None if we are an ordinary user, who can run it as what they are."""
    if os.geteuid() != 0:
        return None
    import pwd  # not in a page, where nothing is started

    for name in ("postgres", "nobody"):
        try:
            found = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(name, found.pw_uid, found.pw_gid)
    raise ServiceError("PostgreSQL does not run as root, and here is neither a user 'postgres' nor 'nobody'.")


def credentials(account: Account | None) -> dict[str, Any]:
    """For subprocess: whom to be."""
    if account is None:
        return {}
    return {"user": account.uid, "group": account.gid, "extra_groups": []}
