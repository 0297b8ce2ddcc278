"""Follow results through the source of a coroutine function, from await to await."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

Function = ast.FunctionDef | ast.AsyncFunctionDef
Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
Point = ast.Await | ast.AsyncWith

_Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
_Tainted = frozenset[str]


_MOST_STEPS = 100_000
"""Loops are followed twice, so each that nests in another doubles the work."""


class TooComplexError(Exception):
    """The function is not judged, because that would take too long."""


class Flow:
    """Follows the results of some awaits through a function: which names hold them, which tests saw them.

    It goes through statements in order, through both branches of an ``if``, and through loops twice. What
    depends on a result (or on a branch that a result chose) is called tainted.
    """

    def __init__(self, points: Iterable[Point], sources: Iterable[Point] = ()) -> None:
        """``sources`` are further awaits whose results are followed to the points."""
        self._points = set(points)
        self._sources = self._points.union(sources)
        self._tainted: _Tainted = frozenset()
        self._decided = False
        """Whether a result decides if the current statement runs at all."""
        self._reached = False
        self._steps = 0

    def reaches_itself(self, function: Function) -> bool:
        self._block(function.body)
        return self._reached

    def _count_step(self) -> None:
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise TooComplexError

    # statements

    def _block(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        self._count_step()
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self._bind_name(node.name, self._mentions(node))
            case ast.Assign():
                tainted = self._value(node.value)
                for target in node.targets:
                    self._bind(target, tainted)
            case ast.AnnAssign():
                if node.value is not None:
                    self._bind(node.target, self._value(node.value))
            case ast.AugAssign():
                if self._value(node.value):
                    self._bind(node.target, True)
            case ast.Expr(value=ast.Call() as call):
                self._call_for_its_effect(call)
            case ast.If():
                self._branches(node, self._value(node.test), [node.body, node.orelse])
            case ast.Match():
                subject = self._value(node.subject)
                for case in node.cases:
                    for name in ast.walk(case.pattern):
                        if isinstance(name, ast.MatchAs | ast.MatchStar) and name.name:
                            self._bind_name(name.name, subject)
                self._branches(node, subject, [case.body for case in node.cases])
            case ast.For() | ast.AsyncFor():
                self._loop(node)
            case ast.While():
                for _ in range(2):
                    self._branches(node, self._value(node.test), [node.body, []])
                self._block(node.orelse)
            case ast.Try() | ast.TryStar():
                self._try(node)
            case ast.With() | ast.AsyncWith():
                self._with(node)
            case _:
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        tainted = self._value(child)
                        self._decided |= tainted and isinstance(node, ast.Assert)

    def _branches(self, node: ast.stmt, tainted: bool, bodies: Sequence[Sequence[ast.stmt]]) -> None:
        before, decided = self._tainted, self._decided
        after: _Tainted = frozenset()
        for body in bodies:
            self._tainted, self._decided = before, decided or tainted
            self._block(body)
            after |= self._tainted
        self._tainted = after | before if isinstance(node, ast.Match) else after
        self._decided = decided or (tainted and _leaves(node, ast.Return, ast.Raise, ast.Break, ast.Continue))

    def _loop(self, node: ast.For | ast.AsyncFor) -> None:
        tainted, decided = self._value(node.iter), self._decided
        without = self._tainted
        for _ in range(2):
            self._decided |= tainted
            self._bind(node.target, tainted)
            self._block(node.body)
        self._tainted |= without
        if tainted:
            self._decided = decided or _leaves(node, ast.Return, ast.Raise)
        self._block(node.orelse)

    def _try(self, node: ast.Try | ast.TryStar) -> None:
        before, decided = self._tainted, self._decided
        awaits = any(child in self._sources for child in inside(node) if isinstance(child, Point))
        self._block(node.body)
        self._block(node.orelse)
        after = self._tainted
        for handler in node.handlers:
            self._tainted = before | after
            decided_here, self._decided = self._decided, self._decided or awaits
            if handler.name:
                self._bind_name(handler.name, awaits)
            self._block(handler.body)
            self._decided = decided_here
            after |= self._tainted
        self._tainted = after
        self._decided |= decided
        if node.handlers and awaits and _leaves(node, ast.Return, ast.Break, ast.Continue):
            self._decided = True
        self._block(node.finalbody)

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        awaited = node in self._points
        decided = self._decided
        for item in node.items:
            tainted = self._value(item.context_expr)
            self._reached |= awaited and (tainted or self._decided)
            if item.optional_vars is not None:
                self._bind(item.optional_vars, tainted or node in self._sources)
        self._decided |= awaited
        self._block(node.body)
        self._decided = decided or (self._decided and not awaited)

    def _call_for_its_effect(self, call: ast.Call) -> None:
        """Taint what a call changes: ``out.append(x)`` and ``heappush(heap, x)`` store their argument."""
        values = [*call.args, *(keyword.value for keyword in call.keywords)]
        tainted = [self._value(value) for value in values]
        self._value(call.func)
        if any(tainted):
            if isinstance(call.func, ast.Attribute):
                self._bind(call.func.value, True)
            if call.args and not tainted[0]:
                self._bind(call.args[0], True)

    # values

    def _value(self, node: ast.expr) -> bool:
        """Return whether the value holds a result. Follows the awaits in it in order of evaluation."""
        self._count_step()
        match node:
            case ast.Await():
                tainted = self._value(node.value)
                if node in self._points:
                    self._reached |= tainted or self._decided
                return tainted or node in self._sources
            case ast.BoolOp():
                return self._one_after_another(node.values)
            case ast.IfExp():
                return self._one_after_another([node.test, node.body]) | self._value(node.orelse)
            case ast.NamedExpr():
                tainted = self._value(node.value)
                self._bind(node.target, tainted)
                return tainted
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self._comprehension(node)
            case ast.Lambda():
                return self._mentions(node)
            case ast.Call(func=ast.Attribute(value=owner)):
                parts: list[ast.AST] = [owner, *node.args, *node.keywords]
            case ast.Name() | ast.Attribute() | ast.Subscript() if (path := path_of(node)) is not None:
                parts = [node.slice] if isinstance(node, ast.Subscript) else []
                if self._is_tainted(path):
                    return True
            case _:
                parts = list(ast.iter_child_nodes(node))
        return self._any_of(parts)

    def _any_of(self, nodes: Iterable[ast.AST]) -> bool:
        tainted = False
        for node in nodes:  # all of them are evaluated
            if isinstance(node, ast.expr):
                tainted |= self._value(node)
            else:
                tainted |= self._any_of(ast.iter_child_nodes(node))
        return tainted

    def _one_after_another(self, values: Sequence[ast.expr]) -> bool:
        """Follow values, each evaluated only if the values before it allow it."""
        decided, tainted = self._decided, False
        for value in values:
            self._decided |= tainted
            tainted |= self._value(value)
        self._decided = decided
        return tainted

    def _comprehension(self, node: Comprehension) -> bool:
        before, decided, tainted = self._tainted, self._decided, False
        for _ in range(2):
            for part in node.generators:
                from_iter = self._value(part.iter)
                self._bind(part.target, from_iter)
                chosen = self._one_after_another(part.ifs)
                self._decided |= from_iter | chosen
                tainted |= from_iter
            elements = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
            tainted |= self._any_of(elements)
            self._decided = decided
        self._tainted |= before
        return tainted

    # names

    def _bind(self, target: ast.expr, tainted: bool) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            for element in target.elts:
                self._bind(element, tainted)
            return
        path = path_of(target)
        if path is None:
            return
        if tainted:
            self._tainted |= {path}
        elif not isinstance(target, ast.Subscript):  # a container still holds its other items
            self._tainted = frozenset(
                name for name in self._tainted if name != path and not name.startswith(f"{path}.")
            )

    def _bind_name(self, name: str, tainted: bool) -> None:
        self._bind(ast.Name(name, ast.Store()), tainted)

    def _mentions(self, node: ast.AST) -> bool:
        """Return whether a function that is defined here uses a tainted name."""
        return any(isinstance(name, ast.Name) and self._is_tainted(name.id) for name in ast.walk(node))

    def _is_tainted(self, path: str) -> bool:
        """Return whether the path, a part of it, or something that it is part of, is tainted."""
        return any(
            name == path or path.startswith(f"{name}.") or name.startswith(f"{path}.")
            for name in self._tainted
        )


def _leaves(node: ast.AST, *kinds: type[ast.stmt]) -> bool:
    return any(isinstance(child, kinds) for child in inside(node))


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
