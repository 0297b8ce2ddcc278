"""Other interpreters of this process (Python 3.14 and newer): what a thread executes in one is one wait.

They have a GIL and modules of their own, so nothing in them is observed. Not for: pools of them, which are
pools of threads here (``executors``).
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
"""A function of the script may be sent there as it was compiled here: its calls are no lanes then."""


def install(waits: Waits, patches: Patches, module: ModuleType, on_use: Callable[[], None]) -> None:
    """module: ``concurrent.interpreters``, which has just been loaded. on_use: called before each wait."""
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
