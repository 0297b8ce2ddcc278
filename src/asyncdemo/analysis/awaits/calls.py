"""What the source says about single lines: which call was never awaited, which names objects were given.

If the source cannot be read, the answer is that nothing is known.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator

from asyncdemo.analysis.awaits.flow import last_name


def unawaited_call(source: str, function: str, dropped_at: int | None) -> int | None:
    """Return the line of the call whose coroutine was dropped; None if it can't be known.

    That is the only mention of ``function`` (a qualified name) that does not await it, or else the one on
    ``dropped_at``. A function that is passed on by its name may be called by what gets it.

    Args:
        source: The file that it was dropped in, or that called what dropped it.
        function: The coroutine function.
        dropped_at: The line that dropped it; None if no line of that file did, but a library or a thread.
    """
    name = function.rpartition(".")[2]
    module = _parsed(source)
    left_alone = [
        (node, parents)
        for node, parents in _with_parents(module)
        if last_name(node) == name and not _is_awaited(parents)
    ]
    if len(left_alone) == 1:
        return left_alone[0][0].lineno
    if dropped_at is None:
        return None
    for node, parents in left_alone:
        statement = next((one for one in reversed(parents) if isinstance(one, ast.stmt)), None)
        place = node if statement is None or isinstance(statement, _BLOCKS) else statement
        if place.lineno <= dropped_at <= (place.end_lineno or 0):
            return node.lineno
    return None


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


_AWAITING = {
    "as_completed", "create_task", "ensure_future", "gather", "run", "run_coroutine_threadsafe",
    "run_until_complete", "shield", "wait", "wait_for",
}  # fmt: skip
"""Functions of asyncio that await the coroutines that they are given."""
_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_BLOCKS = _FUNCTIONS | ast.ClassDef | ast.If | ast.For | ast.AsyncFor | ast.While | ast.With | ast.AsyncWith
"""They go on over the lines of the statements in them."""


def _with_parents(module: ast.Module) -> Iterator[tuple[ast.expr, tuple[ast.AST, ...]]]:
    """Yield every expression with all that it is part of, the module first."""
    nodes: list[tuple[ast.AST, tuple[ast.AST, ...]]] = [(module, ())]
    while nodes:
        node, parents = nodes.pop()
        if isinstance(node, ast.expr):
            yield node, parents
        nodes += [(child, (*parents, node)) for child in ast.iter_child_nodes(node)]


def _is_awaited(parents: tuple[ast.AST, ...]) -> bool:
    """Return whether the name is called, and that is awaited, or given to what awaits it."""
    if not parents or not isinstance(parents[-1], ast.Call):
        return False
    calls = [one for one in parents[:-1] if isinstance(one, ast.Call)]
    return isinstance(parents[-2], ast.Await) or any(last_name(call.func) in _AWAITING for call in calls)


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
