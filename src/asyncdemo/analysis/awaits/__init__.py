"""Whether the awaits of a coroutine function could overlap, judged from its source alone.

If the source leaves it open, the answer is no: advice that would break a program is worse than none.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from asyncdemo.analysis.awaits.calls import UNREADABLE, assigned_names, function_at, parse, unawaited_call
from asyncdemo.analysis.awaits.flow import Flow, Function, Point, TooComplexError, inside
from asyncdemo.analysis.awaits.order import beside, have_an_order, loops_around, modules

__all__ = ["assigned_names", "function_at", "independent", "unawaited_call"]


def independent(source: str, lines: Sequence[int]) -> bool | None:
    """Return whether no result of these awaits reaches a later one of them.

    ``lines`` are where one coroutine call awaited, each once, in order of first use; a single line is
    one that a loop repeated. None if the source cannot be read or has no such awaits.
    """
    try:
        module = parse(source)
        function = _function_around(module, lines)
        if function is None:
            return None
        if any(_is_stream(node) and _line_of(node) in lines for node in inside(function)):
            return False
        points = _points(function, lines)
        if points is None or (len(points) == 1 and not loops_around(function, points[0])):
            return None
        if have_an_order(function, points, modules(module)):
            return False
        return not Flow(points, beside(function, points)).reaches_itself(function)
    except (*UNREADABLE, TooComplexError):
        return None


# -- which awaits --------------------------------------------------------------------------------


def _function_around(module: ast.Module, lines: Sequence[int]) -> Function | None:
    """Return the innermost function that contains all the lines."""
    found: Function | None = None
    for node in ast.walk(module):
        if isinstance(node, Function) and lines:
            has_all = node.lineno <= min(lines) and max(lines) <= (node.end_lineno or 0)
            if has_all and (found is None or node.lineno >= found.lineno):
                found = node
    return found


def _points(function: Function, lines: Sequence[int]) -> list[Point] | None:
    """Return the awaits on these lines; None if one of the lines has none that can be judged."""
    awaits = [node for node in inside(function) if isinstance(node, ast.Await | ast.AsyncWith)]
    found: list[Point] = []
    for line in lines:
        here = [node for node in awaits if node.lineno == line]
        if not here:  # a call that spans several lines
            around = [
                node
                for node in awaits
                if isinstance(node, ast.Await) and node.lineno <= line <= (node.end_lineno or 0)
            ]
            here = list(around[-1:])
        if not here:
            return None
        found += [node for node in here if node not in found]
    return found


def _is_stream(node: ast.AST) -> bool:
    """Return whether it is an ``async for``, which awaits each item after the one before it was processed."""
    return isinstance(node, ast.AsyncFor) or (isinstance(node, ast.comprehension) and bool(node.is_async))


def _line_of(node: ast.AST) -> int:
    return node.iter.lineno if isinstance(node, ast.comprehension) else getattr(node, "lineno", 0)
