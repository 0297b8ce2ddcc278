"""Observes other libraries: the connection pools of database and HTTP clients, and the requests of servers.

There is one module for each library. Its ``LIBRARY`` is all that is known of it anywhere: the few functions
in which it makes a pool, opens a connection, hands it out, takes it back and closes it, what its coroutines
wait for, and the words for all that. A function that a version does not have is left out.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncdemo.capture.libraries.library import Library


def known() -> dict[str, Library]:
    """Return the libraries by the names of their modules in this folder. None of them is imported."""
    files = sorted(name for folder in __path__ for name in os.listdir(folder))
    names = [name.removesuffix(".py") for name in files if name.endswith(".py") and name != "__init__.py"]
    modules = {name: import_module(f"{__name__}.{name}") for name in names}
    return {name: module.LIBRARY for name, module in modules.items() if hasattr(module, "LIBRARY")}
