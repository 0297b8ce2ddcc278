"""PostgreSQL: our own database with the films, on our own server or on one that already runs."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final
from urllib.parse import quote, urlencode

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.sql import SQL, Identifier

from asyncdemo.services.films import TABLES, films
from asyncdemo.services.postgres.cluster import ROLE, Cluster
from asyncdemo.services.server import Server, Started
from asyncdemo.services.service import Choice, Source

_CONNECT_S: Final = 10
# The same text in the same order on every server, whatever its settings.
_MAKE: Final = SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'")
_REMOVE: Final = SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)")


def database_for(choice: Choice) -> Database:
    if choice.source is Source.URL:
        return Database(conninfo_to_dict(choice.where), None)
    cluster = Cluster(Path(choice.where))
    return Database({"host": "127.0.0.1", "user": ROLE, "dbname": "postgres", "sslmode": "disable"}, cluster)


class Database(Server):
    """Our database. On a server that is not ours, no other database is ever changed."""

    def __init__(self, address: Mapping[str, str | int | None], cluster: Cluster | None) -> None:
        """``address`` has libpq's connection parameters; our own server's port is not known yet."""
        self._address = {name: str(value) for name, value in address.items() if value is not None}
        self._cluster = cluster
        self._database = "films" if cluster else f"asyncdemo_{secrets.token_hex(6)}"
        self._made = False

    def start(self) -> Started:
        if self._cluster is not None:
            self._cluster.start()
            self._address["port"] = str(self._cluster.port)
        self.reset()
        with self._connect() as connection:
            version = connection.info.parameter_status("server_version")
        words = f"PostgreSQL {version}" + ("" if self._cluster else f", its database {self._database}")
        environment = {"DATABASE_URL": url_of({**self._address, "dbname": self._database})}
        if self._cluster is None:
            return Started(environment, words, None)
        return Started(environment, words, self._cluster.pid)

    def watch(self, lost: Callable[[str], None]) -> None:
        if self._cluster is not None:
            self._cluster.watch(lost)

    def reset(self) -> None:
        """Recreate it, since a script may have done anything to it; open connections are cut."""
        with self._connect() as connection:
            connection.execute(_REMOVE.format(Identifier(self._database)))
            connection.execute(_MAKE.format(Identifier(self._database)))
            self._made = True
        with self._connect(dbname=self._database) as connection:
            connection.execute(TABLES)
            with connection.cursor().copy("COPY film FROM STDIN") as copy:
                for film in films():
                    copy.write_row(film)
            # Only these tables: analyzing all takes as long as the rest of the reset.
            connection.execute("ANALYZE film, review")

    def close(self) -> None:
        if self._cluster is not None:
            self._cluster.close()
        elif self._made:
            with suppress(psycopg.Error), self._connect() as connection:
                connection.execute(_REMOVE.format(Identifier(self._database)))
            self._made = False

    def _connect(self, **other: str) -> psycopg.Connection:
        address = {"connect_timeout": str(_CONNECT_S), **self._address, **other}
        return psycopg.connect(make_conninfo("", **address), autocommit=True)


def url_of(address: Mapping[str, str]) -> str:
    """Return libpq's connection parameters as a URL, which other drivers understand, too."""
    options = {
        name: value for name, value in address.items() if name not in {"user", "password", "dbname", "port"}
    }
    host = options.pop("host", "")
    port = f":{address['port']}" if address.get("port") else ""
    if host.startswith("/") or "," in host or not host:  # the folder of a Unix socket, or none given
        options |= {
            name: value for name, value in (("host", host), ("port", address.get("port", ""))) if value
        }
        host, port = "", ""
    user = quote(address.get("user", ""), safe="")
    password = f":{quote(address['password'], safe='')}" if address.get("password") else ""
    login = f"{user}{password}@" if user or password else ""
    place = f"[{host}]" if ":" in host else host
    query = f"?{urlencode(options, quote_via=quote)}" if options else ""
    return f"postgresql://{login}{place}{port}/{quote(address['dbname'], safe='')}{query}"
