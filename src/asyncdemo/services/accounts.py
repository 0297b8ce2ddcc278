"""An unprivileged user to run PostgreSQL as, since it refuses to run as root (as in containers and CI).

No user is created: one that the system already has is enough.
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
    name: str
    uid: int
    gid: int

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
