"""What is to be run in the traced process: a script, or one function of a module."""

from __future__ import annotations

import ast
import asyncio
import importlib
import importlib.abc
import importlib.util
import inspect
import io
import os
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any

from asyncdemo.capture.lens import Lens
from asyncdemo.capture.source import SourceError, Value, compile_module, compile_script, literal


class Script:
    """A script or a module as for ``python -m``, found and compiled as Python itself would."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._options = options
        self.name: str = options["module"] or options["script"]

    def load(self) -> None:
        options = self._options
        spec: ModuleSpec | None = None
        loader: Any
        text: bytes | str
        if options["module"]:
            sys.path.insert(0, os.getcwd())
            spec = _find_main(options["module"])
        elif os.path.isdir(options["script"]):
            spec = _find_main_in(options["script"])
        if spec is not None:
            assert spec.loader is not None and spec.origin is not None
            loader, self.path = spec.loader, spec.origin
            found: str | None = loader.get_source(spec.name) if hasattr(loader, "get_source") else None
            if found is None:
                raise ImportError(f"there is no source of {spec.name}")
            text = found
            folder = os.path.dirname(self.path)
        else:
            path = options["script"]
            folder = os.path.dirname(os.path.realpath(path))
            sys.path.insert(0, folder)
            self.path = os.path.join(os.getcwd(), path)
            with io.open_code(os.path.abspath(path)) as file:
                text = file.read()
            loader = SourceFileLoader("__main__", path)
        self.roots: tuple[str, ...] = (os.getcwd(), folder)
        self.code, self.knobs = compile_script(
            text, self.path, options["lanes"], options["knobs"], options["results"]
        )
        self.attributes: dict[str, Any] = {
            "__name__": "__main__",
            "__doc__": None,
            "__file__": self.path,
            "__builtins__": sys.modules["builtins"],
            "__loader__": loader,
            "__spec__": spec,
            "__package__": None if spec is None else spec.parent,
            "__cached__": None if spec is None else spec.cached,
            "__annotations__": {},
        }
        sys.argv = [self.path if options["module"] else options["script"], *options["args"]]

    def run(self, lens: Lens) -> None:
        main = sys.modules["__main__"].__dict__  # the interpreter's own: it ends after all others
        main.clear()
        main.update(self.attributes)
        exec(self.code, main)


class Function:
    """A function of a module that is imported for it, called with plain values.

    Its own module and others get their lanes as they are imported.
    """

    knobs: Mapping[str, Value] = {}

    def __init__(self, options: dict[str, Any]) -> None:
        self._call: dict[str, Any] = options["call"]
        self._lanes: dict[str, list[str]] = self._call["lanes"]
        self.name = self.path = self._call["file"]
        self.roots: tuple[str, ...] = (os.getcwd(), os.path.dirname(os.path.realpath(self.name)))

    def load(self) -> None:
        for name in self._lanes:
            _loaded_already(name)
        sys.path[:] = self._call["path"]
        sys.argv = [self.name]
        sys.meta_path.insert(0, LaneFinder(self._lanes))
        main = sys.modules["__main__"].__dict__
        main.clear()  # a process that the function starts must not find us there
        main.update({"__name__": "__main__", "__builtins__": sys.modules["builtins"], "__spec__": None})
        with io.open_code(self.name) as file:
            compile(file.read(), self.name, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)

    def run(self, lens: Lens) -> None:
        function: Any = _imported(self._call["module"], self.name, self._lanes)
        for name in self._call["function"].split("."):
            function = getattr(function, name)
        arguments = ast.literal_eval(self._call["arguments"])
        lens.open_main_thread()
        result = function(*arguments)
        if inspect.iscoroutine(result):
            result = asyncio.run(result)
        lens.recorder.define(["result", literal(result)])


def _loaded_already(name: str) -> None:
    if name in sys.modules:
        raise SourceError(f"{name} is in use by the lens itself, so its functions cannot be lanes.")


def _imported(name: str, path: str, lanes: Mapping[str, Sequence[str]]) -> ModuleType:
    """The module of this name if it is this file, else the file under that name."""
    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        found = None
    if found is not None and os.path.realpath(found.origin or "") == os.path.realpath(path):
        return importlib.import_module(name)
    loader = _LaneLoader(name, path, lanes.get(name, ()))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


class _LaneLoader(SourceFileLoader):
    """Compiles a module with lanes. Never from or to the cache of bytecode, which is everybody's."""

    def __init__(self, name: str, path: str, lanes: Sequence[str]) -> None:
        super().__init__(name, path)
        self._lanes = lanes

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return compile_module(self.get_data(path), path, self._lanes)


class LaneFinder(importlib.abc.MetaPathFinder):
    """Finds modules as always, and gives those with lanes a loader that adds them."""

    def __init__(self, lanes: Mapping[str, Sequence[str]]) -> None:
        self._lanes = lanes

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        lanes = self._lanes.get(name)
        spec = PathFinder.find_spec(name, path, target) if lanes else None
        if lanes and spec is not None and spec.origin is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _LaneLoader(name, spec.origin, lanes)
        return spec


def _find_main_in(path: str) -> ModuleSpec:
    """What ``python folder`` runs; the folder is then the first on the import path."""
    folder = os.getcwd() if os.path.normpath(path) == os.curdir else os.path.join(os.getcwd(), path)
    sys.path.insert(0, folder)
    spec = PathFinder.find_spec("__main__", [folder])
    if spec is None:
        raise ImportError("the folder has no __main__.py")
    return spec


def _find_main(name: str) -> ModuleSpec:
    spec = importlib.util.find_spec(name)
    if spec is not None and spec.submodule_search_locations is not None:
        spec = importlib.util.find_spec(f"{name}.__main__")
    if spec is None:
        raise ImportError(f"there is no module {name}, or it is a package without __main__")
    return spec
