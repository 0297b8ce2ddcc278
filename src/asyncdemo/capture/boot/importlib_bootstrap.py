"""Entry point of the traced process; for those that the script starts, in place of ``python -c CODE``.

It finds the tracer beside this file and hands over to it. It is in its own folder because Python puts a
script's folder first on the import path. Its name has the two words by which Python leaves out frames when
it looks for the line that a warning is about (``is_internal_frame``): what a script says about lines above
its own is then said about none.
"""

import builtins
import os
import sys
from collections.abc import Sequence
from importlib.machinery import PathFinder
from types import ModuleType
from typing import Any

_builtins = dict(vars(builtins))


class _Finder:
    """Gives our modules their own copy of the builtins: the script may replace those of all others.

    A function keeps the builtins that its module has when the function is made.
    """

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        spec: Any = (
            PathFinder.find_spec(name, path, target) if name.partition(".")[0] == "asyncdemo" else None
        )
        if spec is not None and spec.loader is not None:
            plain = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                del spec.loader.exec_module
                vars(module)["__builtins__"] = _builtins
                plain(module)

            spec.loader.exec_module = exec_module
        return spec


here = os.path.dirname(os.path.abspath(__file__))
if sys.path and os.path.abspath(sys.path[0]) == here:
    del sys.path[0]
root = os.path.dirname(os.path.dirname(os.path.dirname(here)))
sys.path.append(root)
sys.meta_path.insert(0, _Finder)
set_lazy_imports = getattr(sys, "set_lazy_imports", None)  # since Python 3.15
mode = None if set_lazy_imports is None else sys.get_lazy_imports()  # type: ignore[attr-defined]
if set_lazy_imports is not None:
    set_lazy_imports("normal")  # what we need must be here before the script can change anything
from asyncdemo.capture.script import launch  # noqa: E402

if set_lazy_imports is not None:
    set_lazy_imports(mode)
sys.meta_path.remove(_Finder)
del sys.path[-1]  # by index: the same path may also be further up
if len(sys.argv) == 1:
    launch.main()
else:
    launch.work()
