"""Runs the processes that a script starts with multiprocessing's *spawn* under the tracer, too.

Such a process is a new interpreter. It gets the code to run on its command line, and loads the script again
under another name; both are changed here. Forks, and programs started in any other way, run unobserved.
"""

from __future__ import annotations

import importlib.abc
import inspect
import os
import runpy
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any

from asyncdemo.capture.guard import CAPTURE_DIR
from asyncdemo.capture.instrument import Patches

_BOOT = os.path.join(os.path.abspath(CAPTURE_DIR), "boot", "launched.py")
_HELPERS = "multiprocessing.managers"
"""Serves shared objects in its own process, which does nothing of the script's."""

Compile = Callable[[bytes, str], CodeType]
"""(source, file name) -> code"""


def follow(patches: Patches, spawn: Any) -> None:
    """Observe the processes started from now on. ``spawn`` is the module ``multiprocessing.spawn``."""
    plain: Callable[..., list[Any]] = spawn.get_command_line

    def get_command_line(**kwds: Any) -> list[Any]:
        """``python -c CODE --multiprocessing-fork``, with our file in place of the ``-c``."""
        command = plain(**kwds)
        if "-c" in command and not _is_helper(sys._getframe(1).f_locals.get("process_obj")):
            command[command.index("-c")] = _BOOT
        return command

    patches.set(spawn, "get_command_line", get_command_line)


def _is_helper(process: Any) -> bool:
    function = getattr(process, "_target", None)
    return getattr(function, "__module__", None) == _HELPERS


class Copies(importlib.abc.MetaPathFinder):
    """Compiles the script's file with its lanes and knobs wherever it is loaded again.

    That is as the main module of a process that it starts, and under its own name when it is imported.
    """

    def __init__(self, path: str, compile_it: Compile) -> None:
        self._path = os.path.realpath(path)
        self._name = os.path.splitext(os.path.basename(path))[0]
        self._compile = compile_it

    def install(self, patches: Patches) -> None:
        sys.meta_path.insert(0, self)
        plain: Callable[..., Any] = runpy._get_code_from_file  # type: ignore[attr-defined]

        old = next(iter(inspect.signature(plain).parameters)) == "run_name"

        def _get_code_from_file(*given: Any) -> Any:
            """Takes (name to run under, file) until Python 3.12.1, and returns the file too; then the file
            comes first, from 3.15 on with the name after it."""
            path = os.fsdecode(given[1] if old else given[0])
            if os.path.realpath(path) != self._path:
                return plain(*given)
            with open(path, "rb") as file:
                code = self._compile(file.read(), path)
            return (code, given[1]) if old else code

        patches.set(runpy, "_get_code_from_file", _get_code_from_file)

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name.rpartition(".")[2] != self._name:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or spec.origin is None or os.path.realpath(spec.origin) != self._path:
            return None
        spec.loader = _Loader(name, spec.origin, self._compile)
        return spec


class _Loader(SourceFileLoader):
    """Does not use the bytecode cache, which is shared with other runs."""

    def __init__(self, name: str, path: str, compile_it: Compile) -> None:
        super().__init__(name, path)
        self._compile = compile_it

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self._compile(self.get_data(path), path)
