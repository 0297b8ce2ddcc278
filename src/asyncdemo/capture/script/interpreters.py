"""Observes other interpreters of this process (Python 3.14+): what a thread runs in one is a single wait.

They have their own GIL and modules, so nothing in them is observed.
Not here: pools of them, which are pools of threads (see ``executors``).
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from asyncdemo.capture.blocking.waits import Waiting, Waits
from asyncdemo.capture.instrument import Patches, around, on_return
from asyncdemo.capture.script import source

_LANES = f"""
class Lane:
    def __enter__(self): return self
    def __exit__(self, *exc_info): pass
    def __call__(self, value): return value
import builtins
builtins.{source.LANE} = lambda function, arguments: Lane()
"""
"""A function of the script may be sent there as it was compiled here. Its calls are not lanes then."""


def install(waits: Waits, patches: Patches, module: ModuleType, on_use: Callable[[], None]) -> None:
    """``module`` is ``concurrent.interpreters``, just loaded. ``on_use`` is called before each wait."""
    execute = vars(module)["_interpreters"].exec

    def made(interpreter: Any) -> Any:
        execute(interpreter.id, f"exec({_LANES!r}, {{}})", restrict=True)
        return interpreter

    def waiting(_: Any) -> Waiting:
        on_use()
        return waits.waiting("interpreter")

    patches.rewrite(module, "create", made, on_return)
    for name in ("exec", "_call"):
        patches.rewrite(module, f"Interpreter.{name}", waiting, around)
