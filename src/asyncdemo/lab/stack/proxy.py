"""nginx in front of whatever listens on one port: its configuration, and nginx with it.

It opens a connection of HTTP/1.0 to the server for each request, as it does unasked, and writes no access
log. Started by root, its workers are another user's; the process that looks after them stays root's.
Not for: the server behind it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from asyncdemo.lab.harness.acceptors import look
from asyncdemo.lab.harness.launching import Running
from asyncdemo.lab.stack.programs import account_group, account_name, running
from asyncdemo.serving.ports import HOST

_CONNECTIONS: Final = 8192
"""Of each worker: two for each request under way."""
_BACKLOG: Final = 4096
_PATIENCE_S: Final = 60
_TEMPORARY: Final = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


def nginx_config(folder: Path, port: int, server_port: int, user: str | None = None, group: str = "") -> str:
    """user: as whom its workers run, if it is started by root."""
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
