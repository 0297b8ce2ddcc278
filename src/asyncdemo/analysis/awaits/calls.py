"""Where a coroutine was made that nobody awaited, judged from the source text alone."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator


def unawaited_call(source: str, function: str, dropped_at: int) -> int | None:
    """The line of the call whose coroutine was dropped at the line ``dropped_at``.

    function: its qualified name. It is the only call that is neither awaited nor an argument of
    another one (``create_task``, ``gather``, ``append``); of several, the one on ``dropped_at``, else the
    last before it. None if there is none, or the source cannot be read.
    """
    name = function.rpartition(".")[2]
    try:
        module = ast.parse(source)
        calls = [call for call in _calls_left_alone(module) if _last_name(call.func) == name]
    except (SyntaxError, ValueError, RecursionError):
        return None
    if len(calls) == 1:
        return calls[0].lineno
    before = [call for call in calls if call.lineno <= dropped_at]
    there = [call.lineno for call in before if dropped_at <= (call.end_lineno or 0)]
    return max(there or [call.lineno for call in before], default=None)


def function_at(source: str, line: int) -> str:
    """The qualified name of the innermost function around a line; "<module>" outside of any."""
    try:
        node: ast.AST = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return ""
    names: list[str] = []
    inner: ast.AST | None = node
    while inner is not None:
        node, inner = (
            inner,
            next(
                (
                    child
                    for child in ast.walk(inner)
                    if child is not inner
                    and isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
                    and child.lineno <= line <= (child.end_lineno or 0)
                ),
                None,
            ),
        )
        if isinstance(inner, ast.ClassDef):
            names.append(inner.name)
        elif isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
            names += [inner.name, "<locals>"]
    return ".".join(names).removesuffix(".<locals>") or "<module>"


def _calls_left_alone(node: ast.AST) -> Iterator[ast.Call]:
    """Calls that are not awaited, and not part of an argument of another call."""
    if isinstance(node, ast.Await):
        return  # the awaited call, and what it is given
    if isinstance(node, ast.Call):
        yield node
        children: Iterable[ast.AST] = [node.func]
    else:
        children = ast.iter_child_nodes(node)
    for child in children:
        yield from _calls_left_alone(child)


def _last_name(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
