"""nginx and pgbouncer as processes of ours: started unprivileged in a folder that is removed.

A guard stands between us and each (``lab.harness.guard``), so neither survives us. Not for: what pgbouncer
is told, and asked (``pooler``), or where they lie (``lab.harness.machine``).
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
from asyncdemo.services.accounts import account_for_servers
from asyncdemo.services.folders import ServerFolder
from asyncdemo.serving.ports import HOST

_STARTS_S: Final = 20.0
_AGAIN_S: Final = 0.01
_BELOW: Final = range(20_000, 32_000)
"""Linux and macOS take the ports of outgoing connections from above."""
_TRIES: Final = 200
_given: Final[set[int]] = set()
"""By ``port_to_keep``: perhaps nobody listens there yet."""


def account_name() -> str | None:
    """Of the user as whom they run; None: as we do, who are an ordinary user already."""
    account = account_for_servers()
    return None if account is None else account.name


def port_to_keep() -> int:
    """One that stays ours while nobody listens on it: no outgoing connection and no second caller has it."""
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


def account_group() -> str:
    """Of that user; "" if we are an ordinary one."""
    account = account_for_servers()
    if account is None:
        return ""
    return grp.getgrgid(account.gid).gr_name


def give(file: Path) -> None:
    """To that user."""
    account = account_for_servers()
    if account is not None:
        os.chown(file, account.uid, account.gid)


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder for configurations, which that user owns. What a kill leaves, the next one removes."""
    folder = ServerFolder(account_for_servers())
    try:
        yield folder.path
    finally:
        folder.close()


@contextmanager
def running(
    program: str, *arguments: str, port: int, folder: Path, ready: Callable[[Running], bool]
) -> Iterator[Running]:
    """Until the end. ready: asked again and again. Raises ServiceError with its last words."""
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
                raise ServiceError(f"{path.name} {how}. Its last words:\n{server.log()}")
            time.sleep(_AGAIN_S)
        yield server


# -- nginx --------------------------------------------------------------------------------------------------

_CONNECTIONS: Final = 8192
"""Of each worker: two for each request under way."""
_BACKLOG: Final = 4096
_PATIENCE_S: Final = 60
_TEMPORARY: Final = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


def nginx_config(folder: Path, port: int, server_port: int, user: str | None = None, group: str = "") -> str:
    """It opens a connection of HTTP/1.0 to the server for each request, as it does unasked.

    user: as whom its workers run, if it is started by root; the process that looks after them stays root's.
    """
    folders = "\n".join(f"    {name}_temp_path {folder}/{name};" for name in _TEMPORARY)
    return f"""\
{f"user {user} {group};" if user else ""}
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
    """It listens once this is entered, whether or not there is a server. Raises ServiceError."""
    file = folder / "nginx.conf"
    file.write_text(
        nginx_config(folder, port, server_port, account_name(), account_group()), encoding="utf-8"
    )
    words = ("-p", str(folder), "-c", str(file), "-e", "stderr", "-g", "daemon off;")

    def listens(server: Running) -> bool:
        return bool(look(port, server.pids).listeners)

    with running(program, *words, port=port, folder=folder, ready=listens) as server:
        yield server
