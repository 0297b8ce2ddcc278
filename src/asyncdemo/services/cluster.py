"""A PostgreSQL server of our own: its files made anew, its program on a free port, nothing left of it.

Making the files takes less than half a second, so none are kept from run to run.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

from asyncdemo.errors import ServiceError
from asyncdemo.services.accounts import Account, account_for_servers, credentials
from asyncdemo.services.folders import ServerFolder
from asyncdemo.services.programs import Program, start_on_free_port

ROLE: Final = "asyncdemo"
"""It may make databases, and nothing else: any program on this machine can connect as it.

Nobody can connect as the superuser: he is not let in from the network, and there is no Unix socket.
"""
_ACCESS: Final = f"host all {ROLE} 127.0.0.1/32 trust\n"
_INITDB: Final = (
    *("--username=postgres", "--auth=reject", "--encoding=UTF8", "--locale=C"),
    *("--no-sync", "--no-instructions", "--wal-segsize=1"),  # megabyte; 16 take a while to write
)
_SETTINGS: Final = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "external_pid_file": "",
    # It lives for minutes and is thrown away, so it need not survive a power cut.
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "autovacuum": "off",
    # The lab has 100 sessions behind pgbouncer, and without that one for each of 400 clients.
    "max_connections": "500",
}
# What the program of a package needs beside itself; the rest is for building against it.
_NEEDED: Final = ("bin", "lib", "share")
_READY: Final = "ready"
_FOUND_BY: Final = frozenset({"PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"})


class Cluster:
    """port: once it has started."""

    def __init__(self, programs: Path) -> None:
        """programs: the folder with ``initdb`` and ``postgres``."""
        self._account = account_for_servers()
        self._folder = ServerFolder(self._account)
        self._programs = programs
        self._program: Program | None = None
        self.port = 0

    def start(self) -> None:
        if self._account is not None and not self._account.reaches(self._programs / "postgres"):
            self._programs = self._copied()
        self._run("initdb", f"--pgdata={self._data}", *_INITDB)
        (self._data / "pg_hba.conf").write_text(_ACCESS, encoding="ascii")
        # Without a server: so no moment exists in which somebody could connect as the superuser.
        self._run("postgres", "--single", "-F", "-D", self._data, "postgres", said=_MAKE_ROLE)
        self._program, self.port = start_on_free_port(self._launch, self._answers)

    @property
    def folder(self) -> Path:
        return self._folder.path

    @property
    def pid(self) -> int | None:
        return self._program.process.pid if self._program else None

    def watch(self, lost: Callable[[str], None]) -> None:
        if self._program is not None:
            self._program.watch(lost)

    def close(self) -> None:
        """May be called twice."""
        if self._program is not None:
            self._program.end()
            self._remove_shared_memory()
        self._folder.close()

    @property
    def _data(self) -> Path:
        return self._folder.path / "data"

    def _run(self, name: str, *arguments: str | Path, said: str = "") -> None:
        done = subprocess.run(
            [self._programs / name, *arguments],
            input=said,
            text=True,
            stdout=subprocess.DEVNULL,  # it tells its progress there; errors go to our stderr
            cwd=self._folder.path,
            env=_environment(self._account),
            check=False,
            **credentials(self._account),
        )
        if done.returncode:
            raise ServiceError(f"could not be set up: {name} ended with exit code {done.returncode}")

    def _launch(self, port: int) -> Program:
        settings = [word for name, value in _SETTINGS.items() for word in ("-c", f"{name}={value}")]
        return Program(
            [self._programs / "postgres", "-D", self._data, "-p", str(port), *settings],
            # Open connections are cut; if that takes too long, it ends without tidying up.
            endings=[signal.SIGINT, signal.SIGQUIT],
            environment=_environment(self._account),
            folder=self._folder.path,
            account=self._account,
            keep_open=[self._folder.lock.fileno()],
        )

    def _answers(self, program: Program, port: int) -> bool:  # noqa: ARG002  (as every server is asked)
        """It says so in a file of its own; on that port somebody else might answer."""
        status = self._status()
        return (
            len(status) > 7 and status[7].strip() == _READY and status[0].strip() == str(program.process.pid)
        )

    def _status(self) -> list[str]:
        try:
            return (self._data / "postmaster.pid").read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return []

    def _copied(self) -> Path:
        """The programs, where the other user can reach them: a package may lie in a home folder."""
        install = self._programs.parent
        package = install.parent
        place = self._folder.path / "programs"
        for name in _NEEDED:
            to = place / package.name / install.name / name
            shutil.copytree(install / name, to, symlinks=True, ignore=shutil.ignore_patterns("*.a"))
        # The libraries that wheels for Linux bring lie there (auditwheel), found relative to the program.
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.is_dir():
            shutil.copytree(libraries, place / libraries.name)
        if self._account is not None:
            self._account.owns(place)
        return place / package.name / install.name / "bin"

    def _remove_shared_memory(self) -> None:
        """The few bytes that a server which was killed could not give back; some systems have room for 32."""
        status = self._status()  # it removes this file when it ends in peace
        if len(status) > 6 and (words := status[6].split()) and (ipcrm := shutil.which("ipcrm")):
            subprocess.run([ipcrm, "-m", words[-1]], capture_output=True, check=False)


_MAKE_ROLE: Final = f"CREATE ROLE {ROLE} LOGIN CREATEDB\n"


def _environment(account: Account | None) -> dict[str, str]:
    """Ours without what would set up the server, and in a language that an error can be looked up in.

    Of root's, another user gets only what programs are found by: the rest may have passwords in it.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if (not name.startswith("PG") if account is None else name in _FOUND_BY)
    }
    return kept | {"LC_ALL": "C"}
