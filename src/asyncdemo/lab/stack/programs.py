"""nginx and pgbouncer as our processes, started unprivileged in a temporary folder.

A guard stands between us and each (see ``lab.harness.guard``), so neither survives us.
"""

from __future__ import annotations

import grp
import os
import random
import signal
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from asyncdemo.errors import ServiceError
from asyncdemo.lab.harness import NotStarted
from asyncdemo.lab.harness.launching import Running
from asyncdemo.lab.harness.rollcall import look
from asyncdemo.services.accounts import account_for_servers
from asyncdemo.services.folders import ServerFolder
from asyncdemo.serving.ports import HOST

_STARTS_S: Final = 20.0
_AGAIN_S: Final = 0.01
_BELOW: Final = range(20_000, 32_000)
"""Linux and macOS take the ports of outgoing connections from a higher range."""
_BACKLOG: Final = 4096
_given: Final[set[int]] = set()
"""Handed out by ``port_to_keep``; perhaps nothing listens there yet."""


def port_to_keep() -> int:
    """Return a port that no outgoing connection and no second caller gets, even if nothing listens there."""
    for port in random.sample(_BELOW, len(_BELOW)):
        with socket.socket() as probe:
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
        if port not in _given:
            _given.add(port)
            return port
    raise ServiceError(f"no port between {_BELOW.start} and {_BELOW.stop} is free")


@contextmanager
def scratch() -> Iterator[Path]:
    """Make a folder for configurations. It stays ours, so nobody can put a link in the way."""
    folder = ServerFolder(account_for_servers())
    try:
        yield folder.path
    finally:
        folder.close()


@contextmanager
def _running(
    program: str, *arguments: str, port: int, folder: Path, ready: Callable[[Running], bool]
) -> Iterator[Running]:
    """Run the program, polling ``ready`` at the start. Raises ServiceError with its last words."""
    try:
        server = Running([program, *arguments], folder, port, (signal.SIGTERM, signal.SIGINT), {})
    except NotStarted as error:
        raise ServiceError(str(error)) from error
    with server:
        end_s = time.monotonic() + _STARTS_S
        while not ready(server):
            died = server.died()
            if died or time.monotonic() > end_s:
                how = died or f"did not answer within {_STARTS_S:.0f} s"
                raise ServiceError(f"{Path(program).name} {how}. Its last output:\n{server.log()}")
            time.sleep(_AGAIN_S)
        yield server


# -- nginx --------------------------------------------------------------------------------------------------


def nginx_config(folder: Path, port: int, server_port: int, user: str = "") -> str:
    """Make nginx open an HTTP/1.0 connection to the server for each request, as it does by default.

    It needs two connections for each request under way. ``user`` is whom its workers run as, with the group,
    if root starts it; the master process stays root's.
    """
    temporary = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    folders = "\n".join(f"    {name}_temp_path {folder}/{name};" for name in temporary)
    return f"""\
{f"user {user};" if user else ""}
worker_processes auto;
pid {folder}/nginx.pid;
error_log stderr error;
events {{ worker_connections 8192; }}
http {{
    access_log off;
    server_tokens off;
{folders}
    server {{
        listen {HOST}:{port} backlog={_BACKLOG};
        location / {{
            proxy_pass http://{HOST}:{server_port};
            proxy_http_version 1.0;
            proxy_set_header Connection close;
            proxy_next_upstream off;
            proxy_connect_timeout 60s;
            proxy_read_timeout 60s;
        }}
    }}
}}
"""


@contextmanager
def nginx(program: str, folder: Path, port: int, server_port: int) -> Iterator[Running]:
    """Start nginx; it listens on entry, whether or not there is a server. Raises ServiceError."""
    file = folder / "nginx.conf"
    account = account_for_servers()
    user = f"{account.name} {grp.getgrgid(account.gid).gr_name}" if account else ""
    file.write_text(nginx_config(folder, port, server_port, user), encoding="utf-8")
    words = ("-p", str(folder), "-c", str(file), "-e", "stderr", "-g", "daemon off;")

    def listens(server: Running) -> bool:
        return bool(look(port, server.pids).listeners)

    with _running(program, *words, port=port, folder=folder, ready=listens) as server:
        yield server


# -- pgbouncer ----------------------------------------------------------------------------------------------

_POOL: Final = "pairs"
"""The database name that it offers."""
_OURS: Final = ("sv_active", "sv_idle", "sv_used", "sv_tested", "sv_login")
"""Connections to PostgreSQL in any state: each is a session there."""


def pgbouncer_config(port: int, address: Mapping[str, str], sessions: int, user: str | None = None) -> str:
    """Make a client keep its session as long as its connection lasts, and reset the session when it is
    returned, as in the article.

    ``address`` is PostgreSQL's, as libpq parameters. ``user`` is whom it runs as, if started by root.
    """
    quoted = {name: value.replace("'", "''") for name, value in address.items()}
    target = " ".join(f"{name}='{value}'" for name, value in quoted.items())
    return f"""\
[databases]
{_POOL} = {target} pool_size={sessions}
[pgbouncer]
listen_addr = {HOST}
listen_port = {port}
listen_backlog = {_BACKLOG}
unix_socket_dir =
auth_type = any
admin_users = asyncdemo
pool_mode = session
server_reset_query = DISCARD ALL
max_client_conn = 4000
ignore_startup_parameters = extra_float_digits
log_connections = 0
log_disconnections = 0
stats_period = 3600
{f"user = {user}" if user else ""}
"""


class Pooler:
    """``server`` is its process, ``url`` is for the apps.

    Queries use its own console, which works while all sessions are taken.
    """

    def __init__(self, server: Running, write: Callable[[int], None], console: Any) -> None:
        self.url: Final = f"postgresql://asyncdemo@{HOST}:{server.port}/{_POOL}?sslmode=disable"
        self.server: Final = server
        self._write = write
        self._console = console

    def limit(self, sessions: int) -> None:
        """Set the limit for all clients together, and cut the current ones."""
        self._write(sessions)
        self._ask("RELOAD")
        if self._pools():
            self._ask(f"KILL {_POOL}")
            self._ask(f"RESUME {_POOL}")

    def allowed(self) -> int:
        return next(int(row["pool_size"]) for row in self._ask("SHOW DATABASES") if row["name"] == _POOL)

    def sessions(self) -> int:
        """Return the number of sessions with PostgreSQL now."""
        return sum(int(row[name]) for row in self._pools() for name in _OURS)

    def _pools(self) -> list[dict[str, Any]]:
        return [row for row in self._ask("SHOW POOLS") if row["database"] == _POOL]

    def _ask(self, question: str) -> list[dict[str, Any]]:
        import psycopg

        try:
            cursor = self._console.execute(question)
            names = [column.name for column in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()] if names else []
        except psycopg.Error as error:
            died = self.server.died()
            raise ServiceError(f"pgbouncer {died}." if died else f"pgbouncer says: {error}") from error


@contextmanager
def pgbouncer(program: str, folder: Path, port: int, url: str, sessions: int) -> Iterator[Pooler]:
    """``url`` is PostgreSQL's. Raises ServiceError."""
    import psycopg
    from psycopg.conninfo import conninfo_to_dict

    known = conninfo_to_dict(url)
    address = {
        name: str(known[name]) for name in ("host", "port", "user", "password", "dbname") if known.get(name)
    }
    file, account = folder / "pgbouncer.ini", account_for_servers()

    def write(number: int) -> None:
        text = pgbouncer_config(port, address, number, account.name if account else None)
        new = file.with_suffix(".new")
        new.touch(mode=0o600)  # it may contain a password
        new.write_text(text, encoding="utf-8")
        if account is not None:  # pgbouncer reads it again as its user
            os.chown(new, account.uid, account.gid, follow_symlinks=False)
        os.replace(new, file)

    console: list[Any] = []

    def answers(_: Running) -> bool:
        try:
            console.append(
                psycopg.connect(
                    host=HOST,
                    port=port,
                    dbname="pgbouncer",
                    user="asyncdemo",
                    sslmode="disable",
                    connect_timeout=2,
                    autocommit=True,
                    cursor_factory=psycopg.ClientCursor,  # the console supports only the simple protocol
                )
            )
        except psycopg.OperationalError:
            return False
        return True

    write(sessions)
    with _running(program, str(file), port=port, folder=folder, ready=answers) as server, console[0]:
        yield Pooler(server, write, console[0])
