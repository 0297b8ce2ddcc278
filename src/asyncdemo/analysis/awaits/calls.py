"""What the source says about single lines: which call was never awaited, which names objects were given.

If the source cannot be read, the answer is that nothing is known.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator

from asyncdemo.analysis.awaits.flow import last_name


def unawaited_call(source: str, function: str, dropped_at: int) -> int | None:
    """Return the line of the call whose coroutine was dropped on the line ``dropped_at``.

    That is the only call of ``function`` (a qualified name) that is neither awaited nor an argument of
    another call (``create_task``, ``gather``, ``append``). If there are several, it is the one on
    ``dropped_at``, or else the last one before it. None if there is none.
    """
    name = function.rpartition(".")[2]
    calls = [call for call in _calls_left_alone(_parsed(source)) if last_name(call.func) == name]
    if len(calls) == 1:
        return calls[0].lineno
    before = [call for call in calls if call.lineno <= dropped_at]
    there = [call.lineno for call in before if dropped_at <= (call.end_lineno or 0)]
    return max(there or [call.lineno for call in before], default=None)


def function_at(source: str, line: int) -> str:
    """Return the qualified name of the innermost function around a line; "<module>" outside of any."""
    names: list[str] = []
    scopes = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    for node in ast.walk(_parsed(source)):  # outer nodes first
        if isinstance(node, scopes) and node.lineno <= line <= (node.end_lineno or 0):
            names += [node.name] if isinstance(node, ast.ClassDef) else [node.name, "<locals>"]
    return ".".join(names).removesuffix(".<locals>") or "<module>"


def assigned_names(source: str) -> dict[int, tuple[str, ...]]:
    """Return line -> names of the objects created there: several if a tuple is assigned to a tuple.

    Names are variables ("left" for ``left = Lock()``), attributes ("self.lock"), keyword arguments and
    targets of ``with``. Only calls count, since nothing else creates such objects.
    """
    names: dict[int, tuple[str, ...]] = {}
    for node in ast.walk(_parsed(source)):  # outer nodes first, so that the innermost name wins
        try:
            named = list(_named(node))
        except UNREADABLE:
            continue  # the name is too deep an expression
        for name, value in named:
            if any(isinstance(part, ast.Call) for part in ast.walk(value)):
                names.update(dict.fromkeys(range(value.lineno, (value.end_lineno or value.lineno) + 1), name))
    return names


_LONGEST = 2_000_000
"""Characters of a source that is read. Nobody wrote more, and it would take seconds and gigabytes."""
UNREADABLE = SyntaxError, ValueError, RecursionError, MemoryError


def parse(source: str) -> ast.Module:
    """Parse a source. Raises one of UNREADABLE if it is too long or too deep, or not valid."""
    if len(source) > _LONGEST:
        raise ValueError("it is too long")
    with warnings.catch_warnings():  # the script has shown them
        warnings.simplefilter("ignore")
        return ast.parse(source)


def _parsed(source: str) -> ast.Module:
    try:
        return parse(source)
    except UNREADABLE:
        return ast.Module([], [])


def _calls_left_alone(module: ast.Module) -> Iterator[ast.Call]:
    """Yield calls that are neither awaited nor part of an argument of another call."""
    nodes: list[ast.AST] = [module]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.Call):
            yield node
            nodes.append(node.func)
        elif not isinstance(node, ast.Await):
            nodes += ast.iter_child_nodes(node)


def _named(node: ast.AST) -> Iterator[tuple[tuple[str, ...], ast.expr]]:
    if isinstance(node, ast.Assign):
        target = node.targets[0]
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            yield tuple(ast.unparse(elt) for elt in target.elts), node.value
        else:
            yield (ast.unparse(target),), node.value
    elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
        yield (ast.unparse(node.target),), node.value
    elif isinstance(node, ast.keyword) and node.arg is not None:
        yield (node.arg,), node.value
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield (ast.unparse(node.optional_vars),), node.context_expr
