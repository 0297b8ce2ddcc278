"""nginx and pgbouncer as processes of ours: started unprivileged in a folder that is removed.

A guard stands between us and each (``lab.harness.guard``), so neither survives us. Not for: where they lie
(``lab.harness.installed``), or their configurations (``proxy``, ``pooler``).
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
from asyncdemo.lab.harness.launching import Running
from asyncdemo.lab.harness.lifecycle import NotStarted
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
