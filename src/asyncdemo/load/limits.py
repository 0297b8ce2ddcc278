"""What the system allows the client: open files, processors, a faster event loop.

Not for: limits of the load itself (``plan``).
"""

from __future__ import annotations

import asyncio
import os
import resource
import socket
from collections.abc import Callable, Sequence

from asyncdemo.errors import AsyncdemoError, UsageError
from asyncdemo.load.plan import Plan

_OTHER_FILES = 64
"""Beside connections: standard streams, the loop's own, modules being imported."""
_PLENTY = 1 << 16
"""More than there are ports, so more connections to one server cannot be."""
_MACOS_MOST = 10_240
"""macOS names no limit and then accepts no more than this (OPEN_MAX)."""


def allow_connections(plan: Plan) -> int:
    """Raise the limit of open files as far as may be; returns how many connections that leaves.

    Raises UsageError if a closed loop has more clients than that.
    """
    most = _raise_file_limit() - _OTHER_FILES
    needed = min(plan.clients or 0, plan.requests or plan.clients or 0)
    if needed > most:
        raise UsageError(
            f"load: {needed:,} clients need as many connections, and this system allows {most:,}. "
            f"Take fewer, or raise the limit of open files: ulimit -Hn {needed + _OTHER_FILES}"
        )
    return most


def pin(cpus: Sequence[int]) -> None:
    """Stay on these processors, where the system can do that. Raises UsageError if they are not there."""
    if cpus and hasattr(os, "sched_setaffinity"):
        try:
            os.sched_setaffinity(0, cpus)
        except OSError as error:
            asked = ", ".join(map(str, cpus))
            raise UsageError(f"load: the client cannot be pinned to processors {asked}: {error}") from error


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    """uvloop where it is installed: twice the requests for the same CPU time."""
    try:
        import uvloop
    except ImportError:
        return asyncio.SelectorEventLoop
    factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return factory


def resolve(host: str, port: int) -> str:
    """An address of the host; the first that somebody answers at, if it has several.

    Raises AsyncdemoError if it has none.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise AsyncdemoError(f"load: host {host!r} is not known: {error.strerror}") from error
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    for address in addresses if len(addresses) > 1 else ():
        # "localhost" is ::1 and 127.0.0.1, and a server often listens at one of them only
        try:
            socket.create_connection((address, port), timeout=1).close()
        except OSError:
            continue
        return address
    return addresses[0]


def _raise_file_limit() -> int:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    for wanted in (hard, _MACOS_MOST):
        wanted = _PLENTY if wanted == unlimited else wanted
        if soft != unlimited and wanted > soft:
            try:
                resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            except (OSError, ValueError):
                continue
            soft = wanted
    return _PLENTY if soft == unlimited else min(soft, _PLENTY)
