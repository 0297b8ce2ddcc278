"""Shared by the scripts here: options, the app, a socket, and workers that share it.

They run in environments without asyncdemo.
"""

from __future__ import annotations

import argparse
import importlib
import os
import signal
import socket
import sys
from typing import Any

HOST = "127.0.0.1"


def asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("target", metavar="MODULE:NAME")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--backlog", type=int, default=2048)
    parser.add_argument("--loop", choices=["uvloop", "asyncio"], default="asyncio")
    parser.add_argument("--threaded", action="store_true")
    return parser.parse_args()


def load(target: str) -> Any:
    """Import the app, which is in the current folder; the scripts' folder comes last."""
    sys.path[:] = [os.getcwd(), *sys.path[1:], sys.path[0]]
    module, _, name = target.partition(":")
    return getattr(importlib.import_module(module), name)


def forked() -> tuple[argparse.Namespace, socket.socket]:
    """Return the options and a listening socket, in each worker."""
    options = asked()
    server = socket.create_server((HOST, options.port), backlog=options.backlog)
    server.setblocking(False)
    _fork(options.workers)
    return options, server


def _fork(workers: int) -> None:
    """Return in each worker; a single worker is this process itself.

    The parent waits for the workers, so it ends last, whichever process is asked to end.
    """
    if workers == 1:
        return
    left = set()
    for _ in range(workers):
        worker = os.fork()
        if worker == 0:
            return
        left.add(worker)
    asked_to_end: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):  # workers get it, too
        signal.signal(number, lambda number, _: asked_to_end.append(number))
    problem = ""
    while left:
        worker, status = os.wait()
        left.discard(worker)
        if not asked_to_end and not problem:
            problem = f"worker {worker} has ended, exit code {os.waitstatus_to_exitcode(status)}"
            for other in left:
                os.kill(other, signal.SIGTERM)
    sys.exit(problem or 0)
