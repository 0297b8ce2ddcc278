"""Follow results through the source of a coroutine function, from await to await.

What holds a result is called tainted. In a loop, a name that holds one somewhere counts as tainted
everywhere, unless every round binds it anew. In such a round, and outside of loops, it counts from there on.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

Function = ast.FunctionDef | ast.AsyncFunctionDef
Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
Point = ast.Await | ast.AsyncWith

_Scope = Function | ast.Lambda | ast.ClassDef
_Loop = ast.For | ast.AsyncFor | ast.While
_Place = tuple[int, int]
"""Line and column."""
_ALWAYS: _Place = (0, 0)


class Flow:
    """Follows the results of some awaits through a function: which names hold them, which tests saw them."""

    def __init__(self, function: Function, points: Sequence[Point], others: Sequence[Point]) -> None:
        """``others`` are further awaits whose results are followed to the points."""
        self._nodes = list(inside(function))
        self._points = set(points)
        self._sources = self._points.union(others)
        self._loops = [node for node in self._nodes if isinstance(node, _Loop)]
        self._tainted: dict[str, _Place] = {}
        """Path -> since where it holds a result."""
        bindings = [
            (node, path, values)
            for node in self._nodes
            for targets, values in assignments(node)
            for path in targets
        ]
        before: dict[str, _Place] | None = None
        while before != self._tainted:
            before = dict(self._tainted)
            for node, path, values in bindings:
                if any(map(self._is_tainted, values)):
                    since = self._since(node, path)
                    self._tainted[path] = min(since, self._tainted.get(path, since))

    def reaches_itself(self) -> bool:
        """Return whether a result reaches one of the points: as an argument, or by deciding if it runs."""
        decided = (part for node in self._nodes for part in self._decided_by(node))
        return any(map(self._gets_a_result, self._points)) or any(map(self._has_a_point, decided))

    def _gets_a_result(self, point: Point) -> bool:
        if isinstance(point, ast.AsyncWith):
            return any(self._is_tainted(item.context_expr) for item in point.items)
        return self._is_tainted(point.value)

    def _has_a_point(self, part: ast.AST) -> bool:
        return part in self._points or not self._points.isdisjoint(inside(part))

    def _decided_by(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the parts of the function that run, or don't, because of a result that this node sees."""
        match node:
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Match(subject=test):
                if self._is_tainted(test):
                    yield from (part for part in ast.iter_child_nodes(node) if part is not test)
                    yield from self._left_out(node, ast.Return, ast.Raise, ast.Break, ast.Continue)
            case ast.For() | ast.AsyncFor():
                if self._is_tainted(node.iter):
                    yield from node.body
                    yield from self._left_out(node, ast.Return, ast.Raise)
            case ast.Try() | ast.TryStar():
                if node.handlers and not self._sources.isdisjoint(inside(node)):
                    yield from (*node.handlers, *node.finalbody)
                    yield from self._left_out(node, ast.Return, ast.Break, ast.Continue)
            case ast.AsyncWith() if node in self._points:
                yield from node.body
            case ast.Assert():
                if self._is_tainted(node.test):
                    yield from self._left_out(node, ast.Assert)
            case ast.BoolOp():
                for place, value in enumerate(node.values, 1):
                    if self._is_tainted(value):
                        yield from node.values[place:]
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                first = node.generators[0]
                if any(self._is_tainted(test) for part in node.generators for test in (part.iter, *part.ifs)):
                    yield from (part for part in ast.iter_child_nodes(node) if part is not first)
                    yield from first.ifs

    def _left_out(self, node: ast.AST, *leaving: type[ast.stmt]) -> Iterator[ast.AST]:
        """Yield what is left out if the node leaves its block: what comes after it, or again in a loop."""
        if any(isinstance(child, leaving) for child in (node, *inside(node))):
            yield from (loop for loop in self._loops if any(child is node for child in inside(loop)))
            yield from (
                other for other in self._nodes if isinstance(other, ast.stmt) and _start(other) >= _end(node)
            )

    def _since(self, node: ast.AST, path: str) -> _Place:
        """Return where the path begins to hold a result that this node gives to it."""
        if not isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr):
            return _ALWAYS
        around = [loop for loop in self._loops if any(child is node for child in inside(loop))]
        if not around:
            return _end(node)
        loop = around[-1]
        anew = [part for part in loop.body if isinstance(part, ast.Assign) and _end(part) < _end(node)]
        targets = [target for part in anew for target in part.targets]
        targets += [] if isinstance(loop, ast.While) else [loop.target]
        names = {
            name.id
            for target in targets
            for name in ast.walk(target)
            if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
        }
        return _end(node) if path.partition(".")[0] in names else _ALWAYS

    def _is_tainted(self, node: ast.AST) -> bool:
        """Return whether it holds a result, or is a function that is defined here and uses one."""
        if node in self._sources:
            return True
        path = path_of(node) if isinstance(node, ast.Name | ast.Attribute | ast.Subscript) else None
        match node:
            case ast.Name() | ast.Attribute() | ast.Subscript() if path is not None:
                parts: list[ast.AST] = [node.slice] if isinstance(node, ast.Subscript) else []
                if any(_start(node) >= since and _overlap(path, of) for of, since in self._tainted.items()):
                    return True
            case ast.Call(func=ast.Attribute(value=owner)):
                parts = [owner, *node.args, *node.keywords]
            case ast.AsyncWith():
                parts = [item.context_expr for item in node.items]
            case _:
                parts = list(ast.iter_child_nodes(node))
        return any(map(self._is_tainted, parts))


def assignments(node: ast.AST) -> Iterator[tuple[list[str], Sequence[ast.AST]]]:
    """Yield (paths that get a value, what the value is made of)."""
    match node:
        case ast.Assign():
            yield _paths(*node.targets), [node.value]
        case (
            ast.AnnAssign(value=ast.expr() as value) | ast.AugAssign(value=value) | ast.NamedExpr(value=value)
        ):
            yield _paths(node.target), [value]
        case ast.For() | ast.AsyncFor() | ast.comprehension():
            yield _paths(node.target), [node.iter]
        case ast.With() | ast.AsyncWith():
            values = [node] if isinstance(node, ast.AsyncWith) else [item.context_expr for item in node.items]
            yield _paths(*(item.optional_vars for item in node.items if item.optional_vars)), values
        case ast.Match():
            names = [part.name for part in ast.walk(node) if isinstance(part, ast.MatchAs | ast.MatchStar)]
            yield [name for name in names if name], [node.subject]
        case ast.Try() | ast.TryStar():
            yield [handler.name for handler in node.handlers if handler.name], node.body
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield [node.name], node.body
        case ast.Expr(value=ast.Call(args=[*args]) as call):
            # ``out.append(x)`` and ``heappush(heap, x)`` store their argument.
            if isinstance(call.func, ast.Attribute):
                yield _paths(call.func.value), [*args, *call.keywords]
            yield _paths(*args[:1]), [*args[1:], *call.keywords]


def _paths(*targets: ast.expr) -> list[str]:
    found: list[str] = []
    for target in targets:
        if isinstance(target, ast.Tuple | ast.List):
            found += _paths(*target.elts)
        elif (path := path_of(target)) is not None:
            found.append(path)
    return found


def _overlap(path: str, other: str) -> bool:
    """Return whether they are the same, or one is part of the other."""
    return path == other or path.startswith(f"{other}.") or other.startswith(f"{path}.")


def _start(node: ast.stmt | ast.expr) -> _Place:
    return node.lineno, node.col_offset


def _end(node: ast.AST) -> _Place:
    return getattr(node, "end_lineno", 0), getattr(node, "end_col_offset", 0)


def inside(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes below a node, in order, without the bodies of functions and classes defined there."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, _Scope):
            yield from inside(child)


def path_of(node: ast.AST) -> str | None:
    """Return the path (``a.b.c``) of a name, an attribute, or an item of one; None for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = path_of(node.value)
        return None if base is None else f"{base}.{node.attr}"
    if isinstance(node, ast.Subscript | ast.Starred):
        return path_of(node.value)
    return None


def last_name(node: ast.AST) -> str:
    """Return ``c`` for the name ``c`` and the attribute ``a.b.c``; "" for anything else."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
