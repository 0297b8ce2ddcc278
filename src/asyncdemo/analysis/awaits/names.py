"""What the source calls something that is made at a line: ``left = Lock()`` makes "left"."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def assigned_names(source: str) -> dict[int, tuple[str, ...]]:
    """Line -> the names that what is made there gets: several where a tuple is assigned a tuple.

    Variables, attributes ("self.lock"), keyword arguments and what a ``with`` names; of calls only, as
    nothing else makes anything.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    names: dict[int, tuple[str, ...]] = {}
    for node in ast.walk(tree):  # outer ones first, so that the innermost name stays
        for name, value in _named(node):
            if any(isinstance(part, ast.Call) for part in ast.walk(value)):
                names.update(dict.fromkeys(range(value.lineno, (value.end_lineno or value.lineno) + 1), name))
    return names


def _named(node: ast.AST) -> Iterator[tuple[tuple[str, ...], ast.expr]]:
    if isinstance(node, ast.Assign):
        target = node.targets[0]
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            yield tuple(ast.unparse(one) for one in target.elts), node.value
        else:
            yield (ast.unparse(target),), node.value
    elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
        yield (ast.unparse(node.target),), node.value
    elif isinstance(node, ast.keyword) and node.arg is not None:
        yield (node.arg,), node.value
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield (ast.unparse(node.optional_vars),), node.context_expr
