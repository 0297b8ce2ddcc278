"""Compiles the script with its knobs set and the named functions as lanes.

The syntax tree keeps every line number, so tracebacks and stacks are those of the plain script.
"""

from __future__ import annotations

import ast
import importlib.abc
import os
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any

from asyncdemo.capture.instrument import after_docstring, in_context, locate

LANE = "__asyncdemo_lane__"
AT_WORK = "__asyncdemo_at_work__"

Value = int | float | str | bool


class SourceError(Exception):
    """The request does not fit the script. The text is for the user."""


def compile_script(
    source: bytes | str,
    filename: str,
    lanes: Sequence[str],
    knobs: Mapping[str, str],
    results: bool = False,
) -> tuple[CodeType, dict[str, Value]]:
    """Return (code, every knob of the script with the value it will have).

    If ``results``, what the calls of the lanes return is recorded, too.

    Raises SyntaxError or ValueError as ``compile`` does, SourceError for an unknown knob or function.
    """
    tree = compile(source, filename, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    assert isinstance(tree, ast.Module)
    values = _set_knobs(tree, knobs)
    _wrap_lanes(tree, lanes, results)
    _mark_start_of_work(tree)
    ast.fix_missing_locations(tree)
    return compile(tree, filename, "exec", dont_inherit=True), values


def compile_module(source: bytes | str, filename: str, lanes: Sequence[str]) -> CodeType:
    """Return the code of a module with these functions as lanes. Raises as ``compile_script`` does."""
    tree = compile(source, filename, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    assert isinstance(tree, ast.Module)
    _wrap_lanes(tree, lanes, results=True)
    ast.fix_missing_locations(tree)
    return compile(tree, filename, "exec", dont_inherit=True)


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
    except ValueError:
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
    functions = _functions(tree, "")
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


def _functions(node: ast.AST, prefix: str) -> list[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    found: list[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]] = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.append((prefix + child.name, child))
            found += _functions(child, prefix + child.name + ".")
        elif isinstance(child, ast.ClassDef):
            found += _functions(child, prefix + child.name + ".")
        else:
            found += _functions(child, prefix)
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

Compile = Callable[[bytes, str], CodeType]
"""(source, file name) -> code"""


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
        spec.loader = Loader(name, spec.origin, compile_it)
        return spec


class Loader(SourceFileLoader):
    """Does not use the bytecode cache, which is shared with other runs."""

    def __init__(self, name: str, path: str, compile_it: Compile) -> None:
        super().__init__(name, path)
        self._compile = compile_it

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self._compile(self.get_data(path), path)


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
