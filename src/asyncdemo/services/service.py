"""A service that lessons need, and which server is behind it: given, installed, or of a package."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from asyncdemo.errors import MissingError, UsageError
from asyncdemo.packages import WITHOUT_WHEEL, install_command, version_of
from asyncdemo.services.server import Server


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


class NotThereError(MissingError):
    """The server of a service is missing.

    Args:
        words: What is missing, in a sentence.
        fix: The exact command that installs it.
    """

    def __init__(self, words: str, fix: str) -> None:
        super().__init__(f"{words} Install it: {fix}")
        self.words, self.fix = words, fix


class Service:
    """All that is known of a service. A subclass says what differs from those that only a package contains.

    The commands import it, so it imports no package; the modules of its servers do, in their own process.

    Attributes:
        name: What commands and manifests call it.
        noun: What sentences call it.
        package: The package that contains a server.
        clients: Packages that are needed to prepare any server.
        kind_variable: The environment variable that asks for an embedded or an installed server; "" if there
            is no choice.
        address_variable: The environment variable with the address of a server that already runs.
        program: What is installed, in words.
        install: The command that installs it. ``scripts/servers.sh`` does, for the tests and the lab.
        order: Which kind is preferred.
        origin: Which server it is, for the documentation; with ``environment``, the variables that a script
            finds it by, and ``contents``, what is in it.
    """

    name: str
    noun: str
    package: str
    clients: tuple[str, ...] = ()
    kind_variable: str = ""
    address_variable: str = ""
    program: str = ""
    install: str = ""
    order: tuple[Source, ...] = (Source.EMBEDDED,)
    origin: str
    environment: str
    contents: str

    # -- what a subclass says -------------------------------------------------------------------

    def embedded(self) -> str | None:
        """Return where its package, which is installed, has the server; None if it has none after all."""
        return ""

    def installed(self, path: str | None) -> str | None:  # noqa: ARG002  (for subclasses)
        """Return where the program is; None if it is not installed. ``path`` is PATH."""
        return None

    def words(self, choice: Choice) -> str:  # noqa: ARG002  (for subclasses)
        """Return what the server is, with its version; it is an embedded or installed one."""
        return f"{self.contained}, embedded"

    def server_for(self, choice: Choice) -> Server:
        """Return the server, to be started. Called in its own process, as the next one."""
        raise NotImplementedError

    def client_errors(self) -> tuple[type[Exception], ...]:
        """Return what the client raises if a server cannot be reached or refuses us."""
        return (OSError,)

    # -- the choice -----------------------------------------------------------------------------

    @property
    def contained(self) -> str:
        """The package that contains a server, with its version."""
        return f"{self.package} {version_of(self.package)}"

    def choose(self, environ: Mapping[str, str] = os.environ) -> Choice:
        """Choose the server.

        An address that is set comes first, then the order of the service. The variable that asks for a kind
        overrides both.

        Args:
            environ: Where these variables are looked up.

        Raises:
            NotThereError: If something is missing; it has the command that installs it.
        """
        wanted = self._wanted(environ)
        if missing := [package for package in self.clients if version_of(package) is None]:
            raise self._missing(missing)
        address = environ.get(self.address_variable, "")
        if wanted is None and address:
            return Choice(self, Source.URL, address)
        for source in [wanted] if wanted else self.order:
            where = self.installed(environ.get("PATH")) if source is Source.INSTALLED else self._embedded()
            if where is not None:
                return Choice(self, source, where)
        if wanted is Source.INSTALLED:
            words = f"{self.kind_variable} asks for an installed {self.program}, but none was found."
            raise NotThereError(words, self.install)
        if self.package in WITHOUT_WHEEL:
            version = "{}.{}".format(*sys.version_info)
            none = f"{self.package} has no server for Python {version}."
            words = f"{self.noun} is not installed, and {none}"
            if wanted is Source.EMBEDDED:
                words = (
                    f"{self.kind_variable} asks for an embedded server, but {none} "
                    "Unset it to use an installed one."
                )
            raise NotThereError(words, self.install)
        raise self._missing([self.package])

    def settings(self, environ: Mapping[str, str] = os.environ) -> tuple[str, ...]:
        """Return the names of those variables that are set and affect the choice."""
        return tuple(name for name in (self.kind_variable, self.address_variable) if environ.get(name, ""))

    def _wanted(self, environ: Mapping[str, str]) -> Source | None:
        value = environ.get(self.kind_variable, "")
        if not value:
            return None
        if value not in {Source.EMBEDDED, Source.INSTALLED}:
            raise UsageError(f"{self.kind_variable} is {value!r}; it must be 'embedded' or 'installed'.")
        return Source(value)

    def _embedded(self) -> str | None:
        return None if version_of(self.package) is None else self.embedded()

    def _missing(self, packages: list[str]) -> NotThereError:
        words = f"{self.noun} needs {' and '.join(packages)}, which is not installed."
        return NotThereError(words, install_command("course"))


@dataclass(frozen=True, slots=True)
class Choice:
    """The server that was chosen for a service.

    Attributes:
        service: The service.
        source: Where its server comes from.
        where: The address (password included!), the program, or for PostgreSQL the folder of its programs.
    """

    service: Service
    source: Source
    where: str

    @property
    def noun(self) -> str:
        """Its name in messages; without a password."""
        noun = self.service.noun
        return f"{noun} at {without_password(self.where)}" if self.source is Source.URL else noun

    def words(self) -> str:
        """Return what it is, its version (asked of programs, not of an address) and where; no password."""
        if self.source is Source.URL:
            return f"{self.noun}, of {self.service.address_variable}"
        return self.service.words(self)


def without_password(address: str) -> str:
    """Hide the password of an address, either a URL or in libpq's key=value form."""
    hidden = re.sub(r"(://[^/@\s:]*):[^@\s]*@", r"\1:***@", address)
    return re.sub(r"(password=)('(?:\\.|[^'\\])*'|[^\s&]+)", r"\1***", hidden)


def version_said_by(command: list[str], pattern: str) -> str:
    """Return the version that a program prints."""
    try:
        said = subprocess.run(command, capture_output=True, text=True, check=False, timeout=10).stdout
    except (OSError, subprocess.TimeoutExpired):
        said = ""
    found = re.search(pattern, said)
    return found[1] if found else "(version unknown)"
