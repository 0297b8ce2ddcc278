"""Compiles the script with its knobs set and the named functions as lanes.

The syntax tree keeps every line number, so tracebacks and stacks are those of the plain script.
"""

from __future__ import annotations

import _thread
import ast
import importlib.abc
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any, NamedTuple, TypeVar

from asyncdemo.capture.instrument import after_docstring, in_context, locate

LANE = "__asyncdemo_lane__"
AT_WORK = "__asyncdemo_at_work__"

Value = int | float | str | bool


class SourceError(Exception):
    """The request does not fit the script. The text is for the user."""


class Compiled(NamedTuple):
    """The code of a script, and every knob that it has with the value it will have.

    ``changed`` is False if it is the plain code, because nothing could be written into its syntax tree.
    """

    code: CodeType
    knobs: dict[str, Value]
    changed: bool = True


def compile_script(
    source: bytes | str,
    filename: str,
    lanes: Sequence[str],
    knobs: Mapping[str, str],
    results: bool = False,
) -> Compiled:
    """Compile a script with these lanes and knobs.

    If ``results``, what the calls of the lanes return is recorded, too.

    Raises what ``compile`` does for the plain source, SourceError for an unknown knob or function, or for
    knobs and results if the syntax tree cannot be changed.
    """
    plain = compile(source, filename, "exec", dont_inherit=True)

    def change() -> Compiled:
        tree = _parse(source, filename)
        values = _set_knobs(tree, knobs)
        _wrap_lanes(tree, lanes, results)
        _mark_start_of_work(tree)
        return Compiled(_compile_tree(tree, filename), values)

    try:
        return _changed(change)
    except _UNCHANGEABLE:
        if knobs or (lanes and results):
            raise SourceError(_TOO_DEEP.format(filename)) from None
        return Compiled(plain, {}, changed=False)


def compile_module(source: bytes | str, filename: str, lanes: Sequence[str]) -> CodeType:
    """Return the code of a module with these functions as lanes. Raises as ``compile_script`` does."""
    compile_quietly(source, filename)

    def change() -> CodeType:
        tree = _parse(source, filename)
        _wrap_lanes(tree, lanes, results=True)
        return _compile_tree(tree, filename)

    try:
        return _changed(change)
    except _UNCHANGEABLE:
        raise SourceError(_TOO_DEEP.format(filename)) from None


# -- syntax trees that are too deep ---------------------------------------------------------------

_TOO_DEEP = (
    "Lanes and knobs cannot be set in {}: an expression or a block is nested too deeply. Split it, or run "
    "the script without them."
)
_UNCHANGEABLE = SyntaxError, RecursionError, MemoryError
"""Errors if the plain source compiles, but not with more blocks and calls, or not from a syntax tree."""
_STACK = 256 * 2**20
_DEPTH = 50_000

_start_thread, _allocate_lock, _stack_size = (
    _thread.start_new_thread,
    _thread.allocate_lock,
    _thread.stack_size,
)
_T = TypeVar("_T")


def _parse(source: bytes | str, filename: str) -> ast.Module:
    tree = compile(source, filename, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    assert isinstance(tree, ast.Module)
    return tree


def _compile_tree(tree: ast.Module, filename: str) -> CodeType:
    return compile(tree, filename, "exec", dont_inherit=True)


def compile_quietly(source: bytes | str, filename: str) -> CodeType:
    """Compile it without warnings: they are shown when the script or module itself is compiled."""
    with _no_warnings():
        return compile(source, filename, "exec", dont_inherit=True)


@contextmanager
def _no_warnings() -> Iterator[None]:
    """Ignore warnings of the compiler.

    ``catch_warnings`` would make Python show warnings again that the script has already seen.
    """
    filters: Any = warnings.filters
    ignored = ("ignore", None, Warning, None, 0)
    filters.insert(0, ignored)
    try:
        yield
    finally:
        filters.remove(ignored)


def _changed(change: Callable[[], _T]) -> _T:
    """Call it without warnings; if the stack is too small, again in a thread that has a larger one.

    The plain source has been compiled before, so it is not deeper than Python itself allows. Compiling from
    a syntax tree takes more of the stack than that.
    """
    with _no_warnings():
        try:
            return change()
        except (RecursionError, MemoryError):
            return _with_large_stack(change)


def _with_large_stack(change: Callable[[], _T]) -> _T:
    results: list[_T] = []
    errors: list[BaseException] = [RecursionError()]
    done = _allocate_lock()

    def work() -> None:
        try:
            sys.setrecursionlimit(max(limit, _DEPTH))
            results.append(change())
        except BaseException as error:  # noqa: BLE001 - raised where it is waited for
            errors.append(error)
        finally:
            done.release()

    limit = sys.getrecursionlimit()
    done.acquire()
    try:
        before = _stack_size(_STACK)
    except (RuntimeError, ValueError):
        raise errors[-1] from None
    try:
        _start_thread(work, ())
        _stack_size(before)
        done.acquire()
    except RuntimeError:
        raise errors[-1] from None  # there are no threads, or there is no memory for one
    finally:
        _stack_size(before)
        sys.setrecursionlimit(limit)
    if results:
        return results[0]
    raise errors[-1]


# -- knobs --------------------------------------------------------------------------------------


def _set_knobs(tree: ast.Module, wanted: Mapping[str, str]) -> dict[str, Value]:
    constants: dict[str, tuple[ast.Assign | ast.AnnAssign, Value]] = {}
    for statement in tree.body:
        found = _constant(statement)
        if found is not None:
            name, value = found
            assert isinstance(statement, (ast.Assign, ast.AnnAssign))
            constants[name] = statement, value
    unknown = [name for name in wanted if name not in constants]
    if unknown:
        have = ", ".join(f"{name}={value!r}" for name, (_, value) in constants.items()) or "none"
        raise SourceError(f"There is no knob {unknown[0]} in this script. Its knobs: {have}.")
    values: dict[str, Value] = {}
    for name, (statement, value) in constants.items():
        if name in wanted:
            value = _converted(name, wanted[name], value)
            assert statement.value is not None
            statement.value = ast.copy_location(ast.Constant(value), statement.value)
        values[name] = value
    return values


def _constant(statement: ast.stmt) -> tuple[str, Value] | None:
    """(name, value) of ``NAME = literal`` in capitals."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target: ast.expr = statement.targets[0]
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        target = statement.target
    else:
        return None
    if not isinstance(target, ast.Name) or not target.id.isupper():
        return None
    try:
        value = ast.literal_eval(statement.value) if statement.value is not None else None
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
    return (target.id, value) if isinstance(value, (int, float, str, bool)) else None


def _converted(name: str, text: str, old: Value) -> Value:
    words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    try:
        if isinstance(old, bool):
            return words[text.lower()]
        if isinstance(old, int):
            return int(text)
        if isinstance(old, float):
            return float(text)
    except (KeyError, ValueError):
        kind = {bool: "true or false", int: "a whole number", float: "a number"}[type(old)]
        raise SourceError(f"{name} is {old!r} in the script, so it takes {kind}, not {text!r}.") from None
    return text


# -- lanes --------------------------------------------------------------------------------------


def _wrap_lanes(tree: ast.Module, wanted: Sequence[str], results: bool) -> None:
    if not wanted:
        return
    functions = _functions(tree)
    for name in wanted:
        matches = [node for q, node in functions if q == name or q.endswith("." + name)]
        if results:
            # A check refers to the function; a method of that name is the learner's own.
            matches = [node for q, node in functions if q == name] or matches
        if not matches:
            have = ", ".join(dict.fromkeys(q for q, _ in functions)) or "none"
            raise SourceError(f"There is no function {name} in this script. Its functions: {have}.")
        for function in matches:
            _wrap_body(function, results)


def _functions(tree: ast.Module) -> list[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    found: list[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]] = []
    pending: list[tuple[ast.AST, str]] = [(tree, "")]
    while pending:
        node, prefix = pending.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.append((prefix + node.name, node))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            prefix += node.name + "."
        inner = [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr)]
        pending += [(child, prefix) for child in reversed(inner)]
    return found


def _wrap_body(function: ast.FunctionDef | ast.AsyncFunctionDef, results: bool) -> None:
    """``with LANE(name, arguments): <body>`` after the docstring; the function itself stays as it is.

    If ``results``, returned values are passed to the lane.
    """
    start = after_docstring(function)
    body = function.body[start:]
    if not body:
        return
    names = [a.arg for a in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]
    arguments = ast.Tuple(
        elts=[ast.Name(id=name, ctx=ast.Load()) for name in names if name not in ("self", "cls")],
        ctx=ast.Load(),
    )
    call = ast.Call(
        func=ast.Name(id=LANE, ctx=ast.Load()), args=[ast.Constant(function.name), arguments], keywords=[]
    )
    declarations = [s for s in body if isinstance(s, (ast.Global, ast.Nonlocal))]
    rest = [s for s in body if s not in declarations] or [ast.copy_location(ast.Pass(), body[0])]
    function.body[start:] = [*declarations, in_context(rest, call, results)]


_LONGEST_LITERAL = 20_000
_LONGEST_ARGUMENT = 61
_PLAIN = (type(None), bool, int, float, str, bytes)


def literal(value: Any) -> str | None:
    """Return the value as Python source if it is made of plain values and not too long, else None.

    Nothing of the user's is called for it: subclasses are not plain.
    """
    if not _is_plain(value, 8):
        return None
    text = repr(value)
    return text if len(text) <= _LONGEST_LITERAL else None


def _is_plain(value: Any, depth: int) -> bool:
    if type(value) is float:
        return value - value == 0  # infinity and not-a-number have no literal
    if type(value) in _PLAIN:
        return type(value) is not int or value.bit_length() < 10_000
    if depth == 0 or type(value) not in (list, tuple, dict, set) or len(value) > _LONGEST_LITERAL:
        return False
    items = [*value, *value.values()] if type(value) is dict else list(value)
    return all(_is_plain(item, depth - 1) for item in items)


# -- where it is loaded again ---------------------------------------------------------------------

Compile = Callable[[bytes, str], CodeType | None]
"""(source, file name) -> code; None to load it as Python itself does"""


class Finder(importlib.abc.MetaPathFinder):
    """Finds modules as usual, and has some of them compiled in our own way.

    These are the ones for whose name ``compiler`` returns how, of this file if there is one.
    """

    def __init__(self, compiler: Callable[[str], Compile | None], file: str = "") -> None:
        self._compiler = compiler
        self._file = file

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        compile_it = self._compiler(name)
        spec = None if compile_it is None else PathFinder.find_spec(name, path, target)
        if compile_it is None or spec is None or spec.origin is None:
            return None
        if type(spec.loader) is not SourceFileLoader or self._file not in ("", os.path.realpath(spec.origin)):
            return None
        return spec if load_as(spec.loader, compile_it) else None


def load_as(loader: SourceFileLoader, compile_it: Compile) -> bool:
    """Let it load the code from ``compile_it``. Return False if there is none, so that it loads it as usual.

    The loader stays what it is, but does not use the bytecode cache, which is shared with other runs.
    """
    path = loader.get_filename(loader.name)
    try:
        with _no_warnings():
            code = compile_it(loader.get_data(path), path)
    except SourceError:
        raise
    except Exception:  # noqa: BLE001 - Python itself then says what is wrong, in its own words
        return False
    if code is None:
        return False

    def get_code(_: str) -> CodeType:
        loader.source_to_code(loader.get_data(path), path)  # for its warnings
        return code

    loader.get_code = get_code  # type: ignore[method-assign, assignment]
    return True


# -- where the script starts to work --------------------------------------------------------------


def _mark_start_of_work(tree: ast.Module) -> None:
    """Open the main thread's lane after imports, definitions and constants, which are not work yet."""
    for position, statement in enumerate(tree.body):
        if not _is_preparation(statement):
            call = ast.Call(func=ast.Name(id=AT_WORK, ctx=ast.Load()), args=[], keywords=[])
            tree.body.insert(position, locate(ast.Expr(value=call), statement))
            return


def _is_preparation(statement: ast.stmt) -> bool:
    if isinstance(
        statement, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    ):
        return True
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    if isinstance(statement, ast.Assign):
        return not _computes(statement.value)
    if isinstance(statement, ast.AnnAssign):
        return statement.value is None or not _computes(statement.value)
    return False


def _computes(value: ast.expr) -> bool:
    return any(isinstance(node, (ast.Call, ast.Await)) for node in ast.walk(value))


def lane_name(function: str, arguments: tuple[Any, ...]) -> str:
    """Return ``brew(3)``: only numbers, text and truth values; nothing of the user's is called for it."""
    shown = [_shown(a) for a in arguments if type(a) in (int, str, bool)]
    return f"{function}({', '.join(shown)})"


def _shown(value: int | str | bool) -> str:
    if type(value) is int and value.bit_length() > 64:
        return "..."
    if type(value) is str and len(value) > 2 * _LONGEST_ARGUMENT:
        value = value[:_LONGEST_ARGUMENT] + value[-_LONGEST_ARGUMENT:]  # the rest is left out below anyway
    text = repr(value)
    if len(text) <= _LONGEST_ARGUMENT:
        return text
    # Keep both ends: either may distinguish one address or file from the next.
    half = (_LONGEST_ARGUMENT - 3) // 2
    return f"{text[:half]}...{text[-half:]}"
