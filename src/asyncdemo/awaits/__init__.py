"""Could the awaits of a coroutine function overlap? Judged from its source text alone.

Not for: finding out which awaits took long (a recording tells) or saying so (``diagnose``).
Where the source leaves it open, the answer is that they could not: advice that would break a
program is worse than none.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from asyncdemo.awaits.flow import Comprehension, Flow, Function, Point, inside, path_of

__all__ = ["independent"]

_UNDERWAY = frozenset({"aclose", "close", "communicate", "join", "wait", "wait_closed"})
"""Methods that wait for something which goes on already."""

_TOGETHER = frozenset({"as_completed", "gather", "wait"})
"""asyncio functions whose arguments overlap already; in a loop they are batches, made on purpose."""

_ANY_OBJECT = frozenset(
    {"run_in_executor", "get", "post", "put", "patch", "delete", "head", "options", "request"}
)
"""Methods whose calls have nothing to do with each other, though the object is the same."""

_WRAPPERS = frozenset({"shield", "wait_for"})
"""asyncio functions that await their first argument."""


def independent(source: str, lines: Sequence[int]) -> bool | None:
    """Does no result of these awaits reach a later one of them?

    lines: where one coroutine call awaited, each once, in order of first use; a single line is one
    that a loop repeated. None if the source cannot be read or does not have such awaits.
    """
    try:
        module = ast.parse(source)
        function = _function_around(module, lines)
        if function is None:
            return None
        if any(_is_stream(node) and _line_of(node) in lines for node in inside(function)):
            return False
        points = _points(function, lines)
        if points is None or (len(points) == 1 and not _loops_around(function, points[0])):
            return None
        if any(_has_its_order(function, point) for point in points):
            return False
        if _share_an_object(function, points, _modules(module)):
            return False
        return not Flow(points).reaches_itself(function)
    except (SyntaxError, ValueError, RecursionError):
        return None


# -- which awaits --------------------------------------------------------------------------------


def _function_around(module: ast.Module, lines: Sequence[int]) -> Function | None:
    """The innermost function that has all the lines."""
    found: Function | None = None
    for node in ast.walk(module):
        if isinstance(node, Function) and lines:
            has_all = node.lineno <= min(lines) and max(lines) <= (node.end_lineno or 0)
            if has_all and (found is None or node.lineno >= found.lineno):
                found = node
    return found


def _points(function: Function, lines: Sequence[int]) -> list[Point] | None:
    """What awaits at these lines; None if one of them is no await that can be judged."""
    awaits = [node for node in inside(function) if isinstance(node, ast.Await | ast.AsyncWith)]
    found: list[Point] = []
    for line in lines:
        here = [node for node in awaits if node.lineno == line]
        if not here:  # a call spread over lines
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
    """``async for``: each item is awaited when the one before it has been dealt with."""
    return isinstance(node, ast.AsyncFor) or (isinstance(node, ast.comprehension) and bool(node.is_async))


def _line_of(node: ast.AST) -> int:
    return node.iter.lineno if isinstance(node, ast.comprehension) else getattr(node, "lineno", 0)


def _loops_around(function: Function, point: ast.AST) -> list[ast.AST]:
    loops = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
    return [node for node in inside(function) if isinstance(node, loops) and _repeats(node, point)]


def _repeats(loop: ast.AST, point: ast.AST) -> bool:
    if isinstance(loop, ast.For | ast.AsyncFor):
        return any(point is node for part in loop.body for node in (part, *inside(part)))
    if isinstance(loop, Comprehension):
        once = loop.generators[0].iter
        if any(point is node for node in (once, *inside(once))):
            return False
    return any(point is node for node in inside(loop))


# -- awaits that have an order of their own ------------------------------------------------------


def _has_its_order(function: Function, point: Point) -> bool:
    """Polling, reading a stream, waiting for what goes on already, batches."""
    for loop in _loops_around(function, point):
        if isinstance(loop, ast.While | ast.AsyncFor):
            return True
        if isinstance(loop, Comprehension) and any(part.is_async for part in loop.generators):
            return True
    return not all(isinstance(call, ast.Call) and not _is_order(call) for call in _awaited(point))


def _is_order(call: ast.Call) -> bool:
    name = _last_name(call.func)
    return (
        name in _TOGETHER or name == "anext" or (isinstance(call.func, ast.Attribute) and name in _UNDERWAY)
    )


def _awaited(point: Point) -> list[ast.expr]:
    """The calls that are awaited, also inside ``wait_for``; not a call is what was made before."""
    if isinstance(point, ast.AsyncWith):
        return [item.context_expr for item in point.items]
    value = point.value
    while isinstance(value, ast.Call) and _last_name(value.func) in _WRAPPERS and value.args:
        value = value.args[0]
    return [value]


def _share_an_object(function: Function, points: Sequence[Point], modules: frozenset[str]) -> bool:
    """Are two of the calls, or one in two rounds of a loop, methods of the same object?"""
    seen: set[str] = set()
    for point in points:
        loops = _loops_around(function, point)
        for owner in filter(None, map(_owner, _awaited(point))):
            root = owner.partition(".")[0]
            if root in modules:
                continue
            if owner in seen or (loops and not all(root in _names_bound_in(loop) for loop in loops)):
                return True
            seen.add(owner)
    return False


def _owner(call: ast.expr) -> str | None:
    """The object whose method is called."""
    if (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr not in _ANY_OBJECT
    ):
        owner = path_of(call.func.value)
        return None if owner in _OWN_CLASS else owner
    return None


_OWN_CLASS = ("self", "cls")
"""``self.fetch(x)`` is the script's own function; what it awaits in turn may be anything."""


def _modules(module: ast.Module) -> frozenset[str]:
    """Names that ``import`` binds, anywhere in the source."""
    return frozenset(
        alias.asname or alias.name.partition(".")[0]
        for node in ast.walk(module)
        if isinstance(node, ast.Import)
        for alias in node.names
    )


def _names_bound_in(loop: ast.AST) -> set[str]:
    return {
        node.id for node in inside(loop) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def _last_name(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
