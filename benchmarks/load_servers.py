"""Servers for the load client to load: one that answers at once, and one whose truth is known in advance."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from asyncdemo.lab.harness.machine import choose_pinning
from benchmarks.processes import PYTHON, WORKLOADS, environment

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
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if nginx is None:
        with slot_server() as port:
            yield port, "a server on asyncio"
        return
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    configuration = folder / "nginx.conf"
    configuration.write_text(_NGINX.format(folder=folder, port=port), encoding="utf-8")
    with choose_pinning().of_server():
        process = subprocess.Popen([nginx, "-c", str(configuration)], stderr=subprocess.DEVNULL)
    try:
        _wait_for(port)
        yield port, "nginx"
    finally:
        process.terminate()
        process.wait()


def slot_server(each_ms: float = 0, stall_s: float = 0, period_s: float = 0) -> AbstractContextManager[int]:
    """Its port."""
    return _workload("slot_server.py", each_ms, stall_s, period_s)


def known_server(hold_ms: float) -> AbstractContextManager[int]:
    """Its port. It uses up a processor."""
    return _workload("known_server.py", hold_ms)


@contextmanager
def _workload(script: str, *numbers: float) -> Iterator[int]:
    with choose_pinning().of_server():
        process = subprocess.Popen(
            [PYTHON, str(WORKLOADS / script), *map(str, numbers)],
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
