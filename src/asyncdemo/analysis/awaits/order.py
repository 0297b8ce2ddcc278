"""Awaits whose order matters, whether or not one uses another's result."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import combinations

from asyncdemo.analysis.awaits.flow import Comprehension, Function, Point, inside, last_name, path_of

_UNDERWAY = frozenset({"aclose", "close", "communicate", "join", "wait", "wait_closed"})
"""Methods that wait for something that is already in progress."""

_TOGETHER = frozenset({"as_completed", "gather", "wait"})
"""asyncio functions whose arguments already overlap; in a loop they are intentional batches."""

_ANY_OBJECT = frozenset(
    {"run_in_executor", "get", "post", "put", "patch", "delete", "head", "options", "request"}
)
"""Methods whose calls are independent of each other, though the object is the same."""

_WRAPPERS = frozenset({"shield", "wait_for"})
"""asyncio functions that await their first argument."""


_MUTABLE = frozenset(
    {"BytesIO", "Counter", "LifoQueue", "OrderedDict", "PriorityQueue", "Queue", "StringIO"}
    | {"bytearray", "defaultdict", "deque", "dict", "list", "set"}
)
"""Constructors of objects that one call can fill and the next one empty."""

_MUTABLE_DISPLAYS = ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp


def have_an_order(function: Function, points: Sequence[Point], names_of_modules: frozenset[str]) -> bool:
    """Return whether these awaits must come one after another even if none uses another's result."""
    company = [*points, *beside(function, points)]
    return (
        any(_has_its_order(function, point) for point in points)
        or any(_is_pace(function, point, points) for point in company)
        or _are_work_and_cleanup(function, points)
        or _share_an_object(function, points, names_of_modules)
        or _are_different_methods_of_self(company)
        or _share_an_argument(function, company)
    )


def beside(function: Function, points: Sequence[Point]) -> list[Point]:
    """Return the other awaits of the innermost loops around these."""
    loops = [loop for point in points for loop in loops_around(function, point)[-1:]]
    return [
        node
        for loop in loops
        for node in inside(loop)
        if isinstance(node, Point) and node not in points and _repeats(loop, node)
    ]


def _is_pace(function: Function, point: Point, points: Sequence[Point]) -> bool:
    """Return whether it is a sleep that paces other calls: those in its loop, or between the awaits."""
    sleeps = [call for call in _awaited(point) if isinstance(call, ast.Call) and _is_sleep(call)]
    if not sleeps:
        return False
    around = loops_around(function, point)
    first, last = min(node.lineno for node in points), max(node.lineno for node in points)
    calls = [
        node
        for node in inside(function)
        if isinstance(node, ast.Call)
        and (_repeats(around[-1], node) if around else first <= node.lineno <= last)
    ]
    slept = {part for call in calls if last_name(call.func) == "sleep" for part in ast.walk(call)}
    return not slept.issuperset(calls)


def _is_sleep(call: ast.Call) -> bool:
    """Return whether it sleeps; ``sleep(0)`` only yields to other tasks."""
    yields = bool(call.args) and isinstance(call.args[0], ast.Constant) and call.args[0].value == 0
    return last_name(call.func) == "sleep" and not yields


def _are_work_and_cleanup(function: Function, points: Sequence[Point]) -> bool:
    """Return whether one is in the body of a ``try`` and another in its ``finally``."""
    for node in inside(function):
        if isinstance(node, ast.Try | ast.TryStar) and node.finalbody:
            last = {child for part in node.finalbody for child in (part, *inside(part))}
            work = {child for child in inside(node) if child not in last}
            if any(point in last for point in points) and any(point in work for point in points):
                return True
    return False


def _are_different_methods_of_self(points: Sequence[Point]) -> bool:
    """``self.connect()`` and ``self.query()``: one may need what the other stores in ``self``."""
    methods = {
        call.func.attr
        for point in points
        for call in _awaited(point)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and path_of(call.func.value) in _OWN_CLASS
    }
    return len(methods) > 1


def _share_an_argument(function: Function, points: Sequence[Point]) -> bool:
    """Return whether two of the calls get the same mutable object, created in this function."""
    mutable = _made_to_be_changed(function)
    handed = [_names_handed_over(point) & mutable for point in points]
    return any(some & others for some, others in combinations(handed, 2))


def _names_handed_over(point: Point) -> set[str]:
    calls = [call for call in _awaited(point) if isinstance(call, ast.Call)]
    arguments = [
        value for call in calls for value in (*call.args, *(keyword.value for keyword in call.keywords))
    ]
    return {value.id for value in arguments if isinstance(value, ast.Name)}


def _made_to_be_changed(function: Function) -> set[str]:
    found: set[str] = set()
    for node in inside(function):
        match node:
            case ast.Assign(value=value, targets=targets):
                pass
            case ast.AnnAssign(value=ast.expr() as value, target=target):
                targets = [target]
            case _:
                continue
        if isinstance(value, _MUTABLE_DISPLAYS) or (
            isinstance(value, ast.Call) and last_name(value.func) in _MUTABLE
        ):
            found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return found


def loops_around(function: Function, point: ast.AST) -> list[ast.AST]:
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


def _has_its_order(function: Function, point: Point) -> bool:
    """Return whether it polls, reads a stream, waits for something already in progress, or is a batch."""
    for loop in loops_around(function, point):
        if isinstance(loop, ast.While | ast.AsyncFor):
            return True
        if isinstance(loop, Comprehension) and any(part.is_async for part in loop.generators):
            return True
    return not all(isinstance(call, ast.Call) and not _is_order(call) for call in _awaited(point))


def _is_order(call: ast.Call) -> bool:
    name = last_name(call.func)
    return (
        name in _TOGETHER or name == "anext" or (isinstance(call.func, ast.Attribute) and name in _UNDERWAY)
    )


def _awaited(point: Point) -> list[ast.expr]:
    """Return what is awaited, also inside ``wait_for``; if it is not a call, it was created earlier."""
    if isinstance(point, ast.AsyncWith):
        return [item.context_expr for item in point.items]
    value = point.value
    while isinstance(value, ast.Call) and last_name(value.func) in _WRAPPERS and value.args:
        value = value.args[0]
    return [value]


def _share_an_object(function: Function, points: Sequence[Point], names_of_modules: frozenset[str]) -> bool:
    """Return whether two of the calls, or one in two rounds of a loop, are methods of the same object."""
    seen: set[str] = set()
    for point in points:
        loops = loops_around(function, point)
        for owner in filter(None, map(_owner, _awaited(point))):
            root = owner.partition(".")[0]
            if root in names_of_modules:
                continue
            if owner in seen or (loops and not all(root in _names_bound_in(loop) for loop in loops)):
                return True
            seen.add(owner)
    return False


def _owner(call: ast.expr) -> str | None:
    """Return the path of the object whose method is called."""
    if (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr not in _ANY_OBJECT
    ):
        owner = path_of(call.func.value)
        return None if owner in _OWN_CLASS else owner
    return None


_OWN_CLASS = ("self", "cls")
"""``self.fetch(x)`` is the script's own function; calling it again is a separate call."""


def modules(module: ast.Module) -> frozenset[str]:
    """Return the names that ``import`` binds anywhere in the source."""
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
