"""Our own PostgreSQL server: with new files, on a free port, removed completely.

Creating the files takes less than half a second, so none are kept from run to run.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

from asyncdemo.bounded import read_bytes
from asyncdemo.errors import ServiceError
from asyncdemo.services.accounts import Account, account_for_servers, credentials
from asyncdemo.services.folders import ServerFolder
from asyncdemo.services.programs import ServiceProgram, start_on_free_port

ROLE: Final = "asyncdemo"
"""It may only create databases, because any program on this machine can connect as it.

Nobody can connect as the superuser: the network is closed to it, and there is no Unix socket.
"""
_ACCESS: Final = f"host all {ROLE} 127.0.0.1/32 trust\n"
_INITDB: Final = (
    *("--username=postgres", "--auth=reject", "--encoding=UTF8", "--locale=C"),
    *("--no-sync", "--no-instructions", "--wal-segsize=1"),  # megabytes; writing 16 takes a while
)
_SETTINGS: Final = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "external_pid_file": "",
    # It lives for minutes and is then deleted, so it need not survive a power cut.
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "autovacuum": "off",
    # The lab has 100 sessions behind pgbouncer; without pgbouncer, one for each of 400 clients.
    "max_connections": "500",
    # In its folder, which is removed. In /dev/shm, what a killed server had there would stay.
    "dynamic_shared_memory_type": "mmap",
}
_MOST_BYTES: Final = 10_000
# The folders that the package's program needs; the others are for building against it.
_NEEDED: Final = ("bin", "lib", "share")
_READY: Final = "ready"
_FOUND_BY: Final = frozenset({"PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"})


class Cluster:
    """A PostgreSQL server and its files; ``port`` is set once it has started."""

    def __init__(self, programs: Path) -> None:
        """``programs`` is the folder with ``initdb`` and ``postgres``."""
        self._account = account_for_servers()
        self._folder = ServerFolder(self._account)
        self._programs = programs
        self._program: ServiceProgram | None = None
        self.port = 0

    def start(self) -> None:
        if self._account is not None and not self._account.reaches(self._programs / "postgres"):
            self._programs = self._copied()
        self._run("initdb", f"--pgdata={self._data}", *_INITDB)
        # Not in the server's own folder: there, its user could put a link in the way.
        self._access.write_text(_ACCESS, encoding="ascii")
        self._access.chmod(0o644)
        # Single-user mode has no server, so at no moment can anybody connect as the superuser.
        options = _options("dynamic_shared_memory_type")
        self._run("postgres", "--single", "-F", "-D", self._data, *options, "postgres", said=_MAKE_ROLE)
        self._program, self.port = start_on_free_port(self._launch, self._answers)

    @property
    def pid(self) -> int | None:
        return self._program.process.pid if self._program else None

    def watch(self, lost: Callable[[str], None]) -> None:
        if self._program is not None:
            self._program.watch(lost)

    def close(self) -> None:
        """Stop the server and remove its files. May be called twice."""
        if self._program is not None:
            self._program.end()
        self._folder.close()

    @property
    def _data(self) -> Path:
        return self._folder.own / "data"

    @property
    def _access(self) -> Path:
        return self._folder.path / "pg_hba.conf"

    def _run(self, name: str, *arguments: str | Path, said: str = "") -> None:
        done = subprocess.run(
            [self._programs / name, *arguments],
            input=said,
            text=True,
            stdout=subprocess.DEVNULL,  # progress messages; errors go to our stderr
            cwd=self._folder.path,
            env=_environment(self._account),
            check=False,
            **credentials(self._account),
        )
        if done.returncode:
            raise ServiceError(f"could not be set up: {name} ended with exit code {done.returncode}")

    def _launch(self, port: int) -> ServiceProgram:
        options = (*_options(*_SETTINGS), "-c", f"hba_file={self._access}")
        program = ServiceProgram(
            [self._programs / "postgres", "-D", self._data, "-p", str(port), *options],
            # SIGINT cuts open connections; SIGQUIT, if that takes too long, skips all cleanup.
            endings=[signal.SIGINT, signal.SIGQUIT],
            environment=_environment(self._account),
            folder=self._folder.path,
            account=self._account,
        )
        self._folder.note_server(program.process.pid)
        return program

    def _answers(self, program: ServiceProgram, port: int) -> bool:  # noqa: ARG002  (as for all servers)
        """Whether its status file says that it is ready; on that port, another server might answer."""
        status = self._status()
        if len(status) > 7 and status[7].strip() == _READY and status[0].strip() == str(program.process.pid):
            if (segment := status[6].split()[-1:]) and segment[0].isdecimal():
                self._folder.note_shared_memory(int(segment[0]), self._account)
            return True
        return False

    def _status(self) -> list[str]:
        try:
            status = read_bytes(self._data / "postmaster.pid", _MOST_BYTES)
        except OSError:
            return []
        return status.decode("utf-8", "replace").splitlines()

    def _copied(self) -> Path:
        """Copy the programs to where the other user can reach them: the package may be in a home folder."""
        install = self._programs.parent
        package = install.parent
        place = self._folder.path / "programs"
        for name in _NEEDED:
            to = place / package.name / install.name / name
            shutil.copytree(install / name, to, symlinks=True, ignore=shutil.ignore_patterns("*.a"))
        # auditwheel puts the libraries of Linux wheels there; they are found relative to the program.
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.is_dir():
            shutil.copytree(libraries, place / libraries.name)
        for file in (place, *place.rglob("*")):
            if not file.is_symlink():  # they stay ours; the package may have been for us alone
                mode = file.stat().st_mode
                file.chmod(mode | (0o555 if mode & 0o100 else 0o444))
        return place / package.name / install.name / "bin"


_MAKE_ROLE: Final = f"CREATE ROLE {ROLE} LOGIN CREATEDB\n"


def _options(*names: str) -> list[str]:
    return [word for name in names for word in ("-c", f"{name}={_SETTINGS[name]}")]


def _environment(account: Account | None) -> dict[str, str]:
    """Return our environment without settings for PostgreSQL, and with English messages, easier to look up.

    Another user gets only root's search paths: the rest may hold passwords.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if (not name.startswith("PG") if account is None else name in _FOUND_BY)
    }
    return kept | {"LC_ALL": "C"}
