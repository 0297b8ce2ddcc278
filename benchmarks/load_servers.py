"""Servers for the load client to load: one that answers at once, and one whose truth is known in advance."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.processes import PYTHON, WORKLOADS, environment

__all__ = ["quick_server", "slot_server"]

_START_S = 10.0
_NGINX = """
worker_processes 1; daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
    access_log off; keepalive_requests 1000000000;
    client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
    uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
    server {{ listen 127.0.0.1:{port}; location / {{ default_type text/plain; return 200 hello; }} }}
}}
"""


@contextmanager
def quick_server(folder: Path) -> Iterator[tuple[int, str]]:
    """Its port, and what it is: nginx if it is on PATH. Its own CPU time is counted nowhere."""
    nginx = shutil.which("nginx")
    if nginx is None:
        with slot_server() as port:
            yield port, "a server on asyncio"
        return
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    configuration = folder / "nginx.conf"
    configuration.write_text(_NGINX.format(folder=folder, port=port), encoding="utf-8")
    process = subprocess.Popen([nginx, "-c", str(configuration)], stderr=subprocess.DEVNULL)
    try:
        _wait_for(port)
        yield port, "nginx"
    finally:
        process.terminate()
        process.wait()


@contextmanager
def slot_server(each_ms: float = 0, stall_s: float = 0, period_s: float = 0) -> Iterator[int]:
    """Its port."""
    process = subprocess.Popen(
        [PYTHON, str(WORKLOADS / "slot_server.py"), str(each_ms), str(stall_s), str(period_s)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(),
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.stdin.close()
        process.stdout.close()
        process.wait()


def _wait_for(port: int) -> None:
    deadline_s = time.monotonic() + _START_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if time.monotonic() > deadline_s:
                raise
            time.sleep(0.02)
        else:
            return
