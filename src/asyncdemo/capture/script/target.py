"""What the traced process runs: a script, or one function of a module."""

from __future__ import annotations

import ast
import asyncio
import errno
import importlib
import importlib.util
import inspect
import marshal
import os
import pkgutil
import runpy
import stat
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from functools import partial
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader, SourcelessFileLoader
from importlib.util import MAGIC_NUMBER
from types import CodeType, ModuleType
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.capture.script.source import (
    Compile,
    Finder,
    SourceError,
    Value,
    compile_module,
    compile_quietly,
    compile_script,
    literal,
    load_as,
)
from asyncdemo.capture.tracer import Tracer

_runpy: Any = runpy


class Script:
    """What ``python`` runs: a file, a folder or zip file with a ``__main__``, a ``-m`` module, or stdin.

    It is found as Python itself would find it, and compiled with its lanes and knobs; without a source (a
    ``.pyc``) it runs as it is. ``note`` is what a reader of the run must know, or None.
    """

    note: str | None = None
    error: Exception | None = None

    def __init__(self, options: dict[str, Any]) -> None:
        self._options = options
        self.name: str = options["module"] or options["script"]
        self._by_runpy = ""
        """What ``runpy`` is to find and run: a module, or ``__main__`` in a folder or a zip file."""
        self._loader: Any = None
        self._source: Any = None
        self._imported_packages = False
        self._is_marked = False
        """Whether the code tells where it starts to work."""

    def load(self) -> None:
        """Find and compile it. Raises SourceError, or what reading and compiling raise."""
        options = self._options
        as_typed = ["-m", options["module"]] if options["module"] else [options["script"]]
        sys.orig_argv = [*sys.orig_argv[:-1], *as_typed, *options["args"]]
        sys.argv = [as_typed[0], *options["args"]]
        source, code, folders = self._find()
        self._source = source
        self.roots: tuple[str, ...] = (os.getcwd(), *folders)
        self.knobs: Mapping[str, Value] = {}
        if source is not None:
            compiled = compile_script(
                source, self.path, options["lanes"], options["knobs"], options["results"]
            )
            code, self.knobs = compiled.code, compiled.knobs
            self._is_marked = compiled.changed
            if options["lanes"] and not compiled.changed:
                self.note = f"{self.name} is nested too deeply to have lanes, so it ran without them."
        elif options["lanes"] or options["knobs"]:
            raise SourceError(f"There is no source for {self.name}, so it has no lanes and no knobs to set.")
        else:
            self.note = f"There is no source for {self.name}, so the compiled code ran."
        assert code is not None
        self.code = code

    def run_plain(self) -> None:
        """Run plain Python in this process' place, for its words about a source that does not compile.

        Return if that cannot be done: the packages around it have already run, or there is no such program.
        """
        if self._imported_packages or not sys.executable:
            return
        if self._options["script"] == "-" and not self._options["module"]:
            with tempfile.TemporaryFile() as again:
                again.write(self._source or b"")
                again.seek(0)
                os.dup2(again.fileno(), 0)
        os.execv(sys.executable, sys.orig_argv)

    def run(self, tracer: Tracer) -> None:
        if not self._is_marked:
            tracer.open_main_thread()
        main = main_as_python_made_it()
        if self._by_runpy:
            _substitute(self, tracer)
            # the interpreter deletes `__file__` of its main module before it waits for threads
            threading._register_atexit(_put_back, main)  # type: ignore[attr-defined]
            _runpy._run_module_as_main(self._by_runpy, bool(self._options["module"]))
        else:
            main["__file__"] = self.path
            if sys.version_info < (3, 15):
                main["__cached__"] = None
            main["__loader__"] = self._loader
            exec(self.code, main)

    def _find(self) -> tuple[bytes | str | None, CodeType | None, tuple[str, ...]]:
        """(source, code if there is no source, the user's folders)"""
        options = self._options
        path = options["script"]
        if options["module"]:
            if not sys.flags.safe_path:
                sys.path.insert(0, os.getcwd())
            return self._found_by_runpy(options["module"], _find_unimported(options["module"]))
        if path == "-":
            return self._from_stdin(), None, ()
        if pkgutil.get_importer(path) is not None:
            sys.path.insert(0, os.getcwd() if os.path.normpath(path) == os.curdir else _absolute(path))
            return self._found_by_runpy("__main__", None)
        folder = os.path.dirname(os.path.realpath(path))
        if not sys.flags.safe_path:
            sys.path.insert(0, folder)
        self.path = _absolute(path)
        data = _content(os.path.abspath(path))
        if path.endswith(".pyc") or data[:2] == MAGIC_NUMBER[:2]:
            self._loader = SourcelessFileLoader("__main__", path)
            if data[:4] != MAGIC_NUMBER:
                raise SourceError(f"{path} was compiled by another version of Python.")
            return None, marshal.loads(data[16:]), (folder,)
        self._loader = SourceFileLoader("__main__", path)
        return data, None, (folder,)

    def _found_by_runpy(
        self, name: str, spec: ModuleSpec | None
    ) -> tuple[bytes | str | None, CodeType | None, tuple[str, ...]]:
        """``spec`` is None if its place is unknown: then ``runpy`` looks for it, which imports packages."""
        self._by_runpy = name
        if spec is None:
            self._imported_packages = bool(self._options["module"])
            error = _runpy._Error
            try:
                if self._options["module"]:
                    _, spec, _ = _runpy._get_module_details(name, error)
                else:
                    _, spec, _ = _runpy._get_main_module_details(error)
            except error as why:
                raise SourceError(f"{why}.") from None
        assert spec is not None
        loader: Any = spec.loader
        self.path = spec.origin or name
        source: bytes | str | None = None
        if type(loader) is SourceFileLoader:
            source = loader.get_data(self.path)
        elif hasattr(loader, "get_source"):
            source = loader.get_source(spec.name)
        code = loader.get_code(spec.name) if source is None else None
        return source, code, (os.path.dirname(self.path),)

    def _from_stdin(self) -> bytes:
        self.path = "<stdin>"
        self._loader = sys.modules["builtins"].__loader__
        if sys.stdin is not None and sys.stdin.isatty():
            raise SourceError("- reads a script from standard input, and that is a terminal: give a file.")
        if not sys.flags.safe_path:
            sys.path.insert(0, "")
        return b"" if sys.stdin is None else sys.stdin.buffer.read()


def main_as_python_made_it() -> dict[str, Any]:
    """Return the interpreter's own ``__main__``, which outlives all others, as it was before our start."""
    main = sys.modules["__main__"].__dict__
    for name in [name for name in main if not name.startswith("__")]:
        del main[name]
    for name in ("__file__", "__cached__"):
        main.pop(name, None)
    main["__doc__"] = None
    main["__loader__"] = sys.modules["builtins"].__loader__
    return main


def _substitute(script: Script, tracer: Tracer) -> None:
    """Let ``runpy`` import a module's packages and find it as usual, but give it our code."""
    plain = _runpy._get_module_details

    def details(*arguments: Any) -> tuple[str, ModuleSpec, CodeType]:
        _runpy._get_module_details = plain
        name, spec, code = plain(*arguments)
        if (spec.origin or name) == script.path:
            return name, spec, script.code
        note = f"{name} ran without lanes and knobs, because its package moved it to {spec.origin}."
        tracer.recorder.define(wire.Note(note))
        tracer.open_main_thread()
        script.code = code
        return name, spec, code

    _runpy._get_module_details = details


def _find_unimported(name: str) -> ModuleSpec | None:
    """Find what ``python -m name`` runs without importing its packages. Return None if that is impossible."""
    top, *parts = name.split(".")
    try:
        spec = importlib.util.find_spec(top)
        for part in parts:
            spec = _find_in(spec, part)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = _find_in(spec, "__main__")
    except Exception:  # noqa: BLE001 - finders may be anyone's code; runpy then says what is wrong
        return None
    return None if spec is None or spec.loader is None else spec


def _find_in(package: ModuleSpec | None, part: str) -> ModuleSpec | None:
    locations: Any = None if package is None else package.submodule_search_locations
    if package is None or locations is None:
        return None
    finder: Any = PathFinder
    # as its find_spec, which for a namespace package needs the parent, and that is not imported
    found: ModuleSpec | None = finder._get_spec(
        f"{package.name}.{part}", getattr(locations, "_path", locations)
    )
    return found


def _put_back(main: dict[str, Any]) -> None:
    spec = main.get("__spec__")
    if spec is not None:
        main.setdefault("__file__", spec.origin)
        if sys.version_info < (3, 15):
            main.setdefault("__cached__", spec.cached)


def _absolute(path: str) -> str:
    """The path as Python itself makes it: it keeps dots that were typed."""
    return os.path.join(os.getcwd(), path)


class Function:
    """A function of a module that is imported for it, called with plain values.

    Its own module and others get their lanes as they are imported.
    """

    knobs: Mapping[str, Value] = {}
    note: str | None = None
    error: Exception | None = None
    code: CodeType | None = None

    def __init__(self, options: dict[str, Any]) -> None:
        self._call: dict[str, Any] = options["call"]
        self._lanes: dict[str, list[str]] = self._call["lanes"]
        self.name = self.path = self._call["file"]
        self.roots: tuple[str, ...] = (os.getcwd(), os.path.dirname(os.path.realpath(self.name)))

    def load(self) -> None:
        for name in self._lanes:
            if name in sys.modules:
                raise SourceError(f"The tracer itself uses {name}, so its functions cannot be lanes.")
        sys.path[:] = self._call["path"]
        sys.argv = [self.name]
        sys.orig_argv = [*sys.orig_argv[:-1], self.name]
        observe_modules(self._lanes)
        main = sys.modules["__main__"].__dict__
        main.clear()  # a process that the function starts must not find us there
        main.update({"__name__": "__main__", "__builtins__": sys.modules["builtins"], "__spec__": None})
        compile_quietly(_content(self.name), self.name)

    def run(self, tracer: Tracer) -> None:
        function: Any = _imported(self._call["module"], self.name, self._lanes)
        for name in self._call["function"].split("."):
            function = getattr(function, name)
        arguments = ast.literal_eval(self._call["arguments"])
        tracer.open_main_thread()
        result = function(*arguments)
        if inspect.iscoroutine(result):
            result = asyncio.run(result)
        tracer.recorder.define(wire.Result(literal(result)))


def _content(path: str) -> bytes:
    """Return the content of a regular file. Raises OSError.

    Opening a FIFO, by which the file may just have been replaced, would wait for a writer, even if our parent
    ends: nothing watches for that yet.
    """
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "Not a regular file", path)
        return file.read()


def observe_modules(lanes: Mapping[str, Sequence[str]]) -> None:
    """Give modules that are imported from now on their lanes: name -> functions."""

    def compiler(name: str) -> Compile | None:
        return partial(compile_module, lanes=lanes[name]) if lanes.get(name) else None

    sys.meta_path.insert(0, Finder(compiler))


def load(target: Script | Function) -> wire.Refused | wire.Invalid | None:
    """Load it. Return what is wrong with it, if anything is. ``target.error`` is that of invalid Python."""
    try:
        target.load()
    except SourceError as error:
        return wire.Refused(str(error))
    except (OSError, ImportError) as error:
        return wire.Refused(f"{target.name} cannot be read: {error}.")
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError) as error:
        target.error = error.with_traceback(None)
        return wire.Invalid(f"{type(error).__name__}: {error}")
    return None


def _imported(name: str, path: str, lanes: Mapping[str, Sequence[str]]) -> ModuleType:
    """Import the module of this name if it is this file, else load the file under that name."""
    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        found = None
    if found is not None and os.path.realpath(found.origin or "") == os.path.realpath(path):
        return importlib.import_module(name)
    loader = SourceFileLoader(name, path)
    load_as(loader, partial(compile_module, lanes=lanes.get(name, ())))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module
