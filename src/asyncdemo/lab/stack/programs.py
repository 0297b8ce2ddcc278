"""nginx and pgbouncer as our processes, started unprivileged in a temporary folder.

A guard stands between us and each (see ``lab.harness.guard``), so neither survives us. Not here: configuring
and querying pgbouncer (see ``pooler``), or finding the programs (see ``lab.harness.machine``).
"""

from __future__ import annotations

import grp
import os
import random
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from asyncdemo.errors import ServiceError
from asyncdemo.lab.harness import NotStarted
from asyncdemo.lab.harness.launching import Running
from asyncdemo.lab.harness.rollcall import look
from asyncdemo.lab.servers import Command
from asyncdemo.services.accounts import ServerFolder, account_for_servers
from asyncdemo.serving.ports import HOST

_STARTS_S: Final = 20.0
_AGAIN_S: Final = 0.01
_BELOW: Final = range(20_000, 32_000)
"""Linux and macOS take the ports of outgoing connections from a higher range."""
_TRIES: Final = 200
_given: Final[set[int]] = set()
"""Handed out by ``port_to_keep``; perhaps nothing listens there yet."""


def port_to_keep() -> int:
    """Return a port that no outgoing connection and no second caller gets, even if nothing listens there."""
    for port in random.sample(_BELOW, _TRIES):
        if port in _given:
            continue
        with socket.socket() as probe:
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
        _given.add(port)
        return port
    raise ServiceError(f"no port between {_BELOW.start} and {_BELOW.stop} is free")


@contextmanager
def scratch() -> Iterator[Path]:
    """Make a folder for configurations, owned by their user."""
    folder = ServerFolder(account_for_servers())
    try:
        yield folder.path
    finally:
        folder.close()


@contextmanager
def running(
    program: str, *arguments: str, port: int, folder: Path, ready: Callable[[Running], bool]
) -> Iterator[Running]:
    """Run the program, polling ``ready`` at the start. Raises ServiceError with its last words."""
    path = Path(program)
    command = Command(
        (path.name, *arguments),
        folder,
        port,
        {"PATH": f"{path.parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"},
    )
    try:
        server = Running(command, program, (signal.SIGTERM, signal.SIGINT))
    except NotStarted as error:
        raise ServiceError(str(error)) from error
    with server:
        end_s = time.monotonic() + _STARTS_S
        while not ready(server):
            died = server.died()
            if died or time.monotonic() > end_s:
                how = died or f"did not answer within {_STARTS_S:.0f} s"
                raise ServiceError(f"{path.name} {how}. Its last output:\n{server.log()}")
            time.sleep(_AGAIN_S)
        yield server


# -- nginx --------------------------------------------------------------------------------------------------

_CONNECTIONS: Final = 8192
"""For each worker: two for each request under way."""
_BACKLOG: Final = 4096
_PATIENCE_S: Final = 60
_TEMPORARY: Final = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


def nginx_config(folder: Path, port: int, server_port: int, user: str = "") -> str:
    """Make nginx open an HTTP/1.0 connection to the server for each request, as it does by default.

    ``user`` is whom its workers run as, with the group, if root starts it; the master process stays root's.
    """
    folders = "\n".join(f"    {name}_temp_path {folder}/{name};" for name in _TEMPORARY)
    return f"""\
{f"user {user};" if user else ""}
worker_processes auto;
pid {folder}/nginx.pid;
error_log stderr error;
events {{ worker_connections {_CONNECTIONS}; }}
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
            proxy_connect_timeout {_PATIENCE_S}s;
            proxy_read_timeout {_PATIENCE_S}s;
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

    with running(program, *words, port=port, folder=folder, ready=listens) as server:
        yield server
