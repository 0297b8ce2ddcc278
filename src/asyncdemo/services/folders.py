"""Folders of servers, and what is left of those whose owner was killed.

A folder is always ours. Only ``own`` in it belongs to the server's user, who could put a link or a FIFO
there: as root, we create and change nothing in it, and don't believe what we read there.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from asyncdemo.bounded import read_bytes
from asyncdemo.errors import ServiceError
from asyncdemo.services.accounts import Account, credentials

_OPEN_PLACES: Final = (Path("/tmp"), Path("/var/tmp"))
_FOLDERS: Final = "asyncdemo-server-"
_RECORD: Final = "owner.json"
_MOST_BYTES: Final = 10_000
_OLD_S: Final = 86_400
_SAME_S: Final = 5.0
"""By how much a process's start seems to move when the system's clock is set."""
_ENDS_S: Final = 10.0

_Process = list[Any]
"""[id, when it started]: an id alone is given to another process one day."""


class ServerFolder:
    """A new folder at ``path``, which other users can pass through but not list.

    ``own`` is a folder in it that belongs to the account. A record says who made the folder, so that if that
    process is killed, the next one can end its servers and remove it.
    """

    def __init__(self, account: Account | None) -> None:
        place = _place(account)
        remove_leftovers()
        self.path = Path(tempfile.mkdtemp(prefix=_FOLDERS, dir=place))
        self.own = self.path / "own"
        self.own.mkdir(mode=0o700)
        if account is not None:
            self.path.chmod(0o711)
            os.chown(self.own, account.uid, account.gid, follow_symlinks=False)
        self._record: dict[str, Any] = {**_machine(), "owner": _process(os.getpid()), "servers": []}
        self._write()

    def note_server(self, pid: int) -> None:
        """Record a process that works in this folder, to be ended if we can't do it ourselves."""
        self._record["servers"].append(_process(pid))
        self._write()

    def note_shared_memory(self, ident: int, account: Account | None) -> None:
        """Record a System V segment of the account's, which survives a server that is killed."""
        self._record["shared_memory"] = [ident, *((account.uid, account.gid) if account else ())]
        self._write()

    def close(self) -> None:
        """Remove the folder and everything in it. May be called twice."""
        _free_shared_memory(self._record)
        shutil.rmtree(self.path, ignore_errors=True)

    def _write(self) -> None:
        new = self.path / f"{_RECORD}.new"
        new.write_text(json.dumps(self._record), encoding="ascii")
        new.replace(self.path / _RECORD)


def remove_leftovers() -> None:
    """Remove the folders, servers and shared memory of processes that were killed.

    Only what is surely ours: the folder belongs to us, its record was made on this machine since it started,
    and the process in it has ended. Without such a record, the folder must be a day old, and of this machine.
    """
    for place in {Path(tempfile.gettempdir()), *_OPEN_PLACES}:
        for folder in place.glob(f"{_FOLDERS}*"):
            with suppress(OSError):  # removed meanwhile
                status = folder.lstat()
                if status.st_uid == os.geteuid() and stat.S_ISDIR(status.st_mode):
                    _remove_if_left(folder, time.time() - status.st_mtime)


def _remove_if_left(folder: Path, age_s: float) -> None:
    try:
        record: Any = json.loads(read_bytes(folder / _RECORD, _MOST_BYTES))
        ours, owner, servers = _machine(), list(record["owner"]), [list(item) for item in record["servers"]]
        here = {name: record[name] for name in ours}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        here = ours = {}
        record, owner, servers = {}, [], []
    if here != ours or not ours:
        # Of before the machine was started again, or another container's or machine's in a shared folder.
        if here.get("node") == ours.get("node") and age_s > _OLD_S:
            shutil.rmtree(folder, ignore_errors=True)
        return
    if _running(owner) is not None:
        return
    for server in servers:
        _end(server, folder)
    _free_shared_memory(record)
    shutil.rmtree(folder, ignore_errors=True)


def _end(server: _Process, folder: Path) -> None:
    """Kill a server, and wait for it and its children, if it really is the one that works in the folder."""
    import psutil  # not available in a web page, where no server is started

    process = _running(server)
    with suppress(psutil.Error):
        if process is not None and Path(process.cwd()).is_relative_to(folder.resolve()):
            family = [*process.children(recursive=True), process]
            process.send_signal(signal.SIGKILL)
            psutil.wait_procs(family, timeout=_ENDS_S)


def _free_shared_memory(record: dict[str, Any]) -> None:
    """Free the few bytes that a killed server could not; some systems allow only 32 such segments.

    As their owner, who may have written any number into the file that it is from.
    """
    ipcrm = shutil.which("ipcrm")
    match record.get("shared_memory"):
        case [int(ident), *whose] if ipcrm:
            account = Account("", *whose) if len(whose) == 2 else None
            command = [ipcrm, "-m", str(ident)]
            subprocess.run(command, capture_output=True, check=False, **credentials(account))


def _machine() -> dict[str, str]:
    """Return what must be the same for the id of a process to mean the same one."""
    found = {"node": platform.node()}
    for name, path in (("boot", "/proc/sys/kernel/random/boot_id"), ("pids", "/proc/self/ns/pid")):
        with suppress(OSError):
            found[name] = os.readlink(path) if name == "pids" else Path(path).read_text("ascii").strip()
    return found


def _process(pid: int) -> _Process:
    import psutil

    try:
        return [pid, psutil.Process(pid).create_time()]
    except psutil.Error:
        return [pid, 0.0]  # it has ended


def _running(process: _Process) -> Any:
    """Return the psutil.Process if it still runs, else None."""
    import psutil

    match process:
        case [int(pid), int() | float() as started_s]:
            with suppress(psutil.Error, ValueError, OverflowError):
                found = psutil.Process(pid)
                if abs(found.create_time() - started_s) < _SAME_S and found.status() != psutil.STATUS_ZOMBIE:
                    return found
    return None


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
