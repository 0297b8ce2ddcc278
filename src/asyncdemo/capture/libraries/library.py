"""The form in which a module of this package says what it knows of its library."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any, NamedTuple

from asyncdemo.capture.instrument import Patches, Transform
from asyncdemo.capture.libraries.pool_registry import REASON, PoolKind, PoolRegistry
from asyncdemo.capture.recorder import QUEUED, WAITING

Reason = tuple[str, int]
"""What is waited for, and whether that is waiting or queueing."""

READ: Reason = ("net.read", WAITING)
WRITE: Reason = ("net.write", WAITING)
CONNECT: Reason = ("net.connect", WAITING)
POOL: Reason = (REASON, QUEUED)

Hook = tuple[str, Transform, Callable[..., Any]]
"""(function, the place in it, what is called there: with the pools, and what ``Patches.rewrite`` passes)."""


class Package(NamedTuple):
    """A package of a library.

    Attributes:
        reasons: Its coroutines that always wait for the same thing, and for what.
        service: What its other coroutines wait for, if it talks to a single service; else "".
    """

    reasons: Mapping[str, Reason] = {}
    service: str = ""


class Library(NamedTuple):
    """What is known of a library.

    Attributes:
        packages: Its packages with coroutines, by name.
        hooks: Module -> the hooks into its functions, once the script has imported it.
        installs: Module -> what else is to be done with it then.
        title: For a library with pools, its name in the documentation.
        pools: The kind of its pools; None if it has none that are observed.
        parts: Its packages without coroutines. In all packages of a library with pools, these are the limit,
            and not the locks that they are made of.
    """

    packages: Mapping[str, Package] = {}
    hooks: Mapping[str, Sequence[Hook]] = {}
    installs: Mapping[str, Callable[[PoolRegistry, Patches, ModuleType], None]] = {}
    title: str = ""
    pools: PoolKind | None = None
    parts: tuple[str, ...] = ()


def package_of(filename: str) -> str:
    """Return ``anyio`` for ``.../site-packages/anyio/streams/memory.py``; "" if it is not installed."""
    parts = filename.split(os.sep)
    for folder in ("site-packages", "dist-packages"):
        if folder in parts:
            return parts[parts.index(folder) + 1]
    return ""
