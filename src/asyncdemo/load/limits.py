"""What the system allows the client: open files, processors, a faster event loop, time to run."""

from __future__ import annotations

import asyncio
import os
import resource
import socket
from collections.abc import Callable, Sequence
from pathlib import Path

from asyncdemo.errors import AsyncdemoError, UsageError
from asyncdemo.load.plan import Plan

_OTHER_FILES = 64
"""Besides connections: standard streams, the loop's own, modules being imported."""
_PLENTY = 1 << 16
"""More than the number of ports, and so of possible connections to one server."""
_MACOS_MOST = 10_240
"""macOS reports no limit but rejects more than this (OPEN_MAX)."""
_SCHEDSTAT = Path("/proc/thread-self/schedstat")


def allow_connections(plan: Plan) -> int:
    """Raise the limit of open files as far as allowed. Return how many connections that leaves.

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
    """Stay on these processors, if the system can do that. Raises UsageError if they don't exist."""
    if cpus and hasattr(os, "sched_setaffinity"):
        try:
            os.sched_setaffinity(0, cpus)
        except OSError as error:
            asked = ", ".join(map(str, cpus))
            raise UsageError(f"load: the client cannot be pinned to processors {asked}: {error}") from error


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    """Use uvloop if it is installed: twice the requests for the same CPU time."""
    try:
        import uvloop
    except ImportError:
        return asyncio.SelectorEventLoop
    factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return factory


def resolve(host: str, port: int) -> str:
    """Return an address of the host; if it has several, the first that accepts a connection.

    Raises AsyncdemoError if it has none.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise AsyncdemoError(f"load: host {host!r} is not known: {error.strerror}") from error
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    for address in addresses if len(addresses) > 1 else ():
        # "localhost" is ::1 and 127.0.0.1, and a server often listens on only one of them
        try:
            socket.create_connection((address, port), timeout=1).close()
        except OSError:
            continue
        return address
    return addresses[0]


def waited_s() -> float | None:
    """Return how long this thread has been ready to run while another program had its processor.

    Only differences matter. None if unavailable (not Linux).
    """
    try:
        return int(_SCHEDSTAT.read_bytes().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return None


def _raise_file_limit() -> int:
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    soft, hard = (_PLENTY if limit == resource.RLIM_INFINITY else limit for limit in limits)
    for wanted in (hard, _MACOS_MOST):
        if wanted > soft:
            try:
                resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, limits[1]))
            except (OSError, ValueError):
                continue
            soft = wanted
    return min(soft, _PLENTY)
