"""Puts hooks into functions of the standard library and other libraries without adding a stack frame.

The function's own source is parsed, a hook is written into its syntax tree, and the code object compiled
from that (same file name, same lines, same name) replaces the original one. The function object stays the
same, so references taken earlier see the hook too, and stacks, tracebacks and ``inspect`` show what they
always do. Wrapping would change all of these.

Longer than most: each place of a hook is a change of the same syntax tree.
"""

from __future__ import annotations

import ast
import copy
import importlib.util
import sys
from collections.abc import Callable, Sequence
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple, TypeVar

from asyncdemo.capture.guard import Guard, Hook

_Node = TypeVar("_Node", bound=ast.AST)
_Function = ast.FunctionDef | ast.AsyncFunctionDef


class Transform(NamedTuple):
    """Where a hook goes in a function.

    Attributes:
        apply: Writes the call of the hook into the function's syntax tree.
        guarded: (guard, name, hook) -> the hook as it may be called there.
    """

    apply: Callable[[_Function], None]
    guarded: Callable[[Guard, str, Hook], Hook]


class Patches:
    """Every change made to the process, so that all of them can be undone."""

    def __init__(self, guard: Guard) -> None:
        """``guard`` wraps each hook."""
        self.guard = guard
        self._undo: list[Callable[[], None]] = []
        self._lines: dict[str, list[str]] = {}
        self._rewritten: dict[tuple[str, str], _Function] = {}

    def set(self, owner: Any, name: str, value: Any) -> None:
        """Set an attribute. Undoing restores its old value, or removes it."""
        present = name in vars(owner)
        old = vars(owner).get(name)
        if isinstance(value, FunctionType) and hasattr(owner, name):
            pass_for(value, getattr(owner, name))
        setattr(owner, name, value)
        if present:
            self._undo.append(lambda: setattr(owner, name, old))
        else:
            self._undo.append(lambda: delattr(owner, name))

    def leave(self, owner: Any, name: str, value: Any) -> None:
        """Set an attribute for good: running code may still look it up after everything is undone."""
        setattr(owner, name, value)

    def rewrite(self, module: ModuleType, qualname: str, hook: Any, transform: Transform) -> bool:
        """Rewrite one function of a module so that it calls ``hook``, which ``transform`` names ``HOOK``.

        Return False if this Python has no such function, no source for it, or one that is not the one we
        know. Then only that function is not observed.
        """
        try:
            return self._rewrite(module, qualname, hook, transform)
        except Exception as error:  # noqa: BLE001 - the tracer's fault must not become the script's
            self.guard.failed(f"{module.__name__}.{qualname}", error)
            return False

    def _rewrite(self, module: ModuleType, qualname: str, hook: Any, transform: Transform) -> bool:
        function = _find_function(module, qualname)
        if function is None:
            return False
        # where it is defined: this module may only import it
        module = sys.modules.get(function.__globals__["__name__"], module)
        original = function.__code__
        key = module.__name__, qualname
        # a copy: a transform that fails half-way must leave no trace in the tree for later hooks
        node = copy.deepcopy(self._rewritten.get(key)) or self._node(module, original)
        if node is None:
            return False
        name = f"__asyncdemo_{qualname.replace('.', '_')}_{len(self._undo)}__"
        transform.apply(node)
        _Name(name).visit(node)
        code = _compile(node, qualname, original)
        if code is None:
            return False
        self._rewritten[key] = node
        self.leave(module, name, transform.guarded(self.guard, f"{module.__name__}.{qualname}", hook))
        function.__code__ = code
        self._undo.append(lambda: setattr(function, "__code__", original))
        return True

    def forget_sources(self) -> None:
        """Drop sources and trees once all is rewritten: they are large, and every collection walks them."""
        self._lines.clear()
        self._rewritten.clear()

    def undo(self) -> None:
        while self._undo:
            self._undo.pop()()

    def _node(self, module: ModuleType, code: CodeType) -> _Function | None:
        name = module.__name__
        if name not in self._lines:
            self._lines[name] = _source(module).splitlines(keepends=True)
        return _parse(self._lines[name], code)


def pass_for(function: FunctionType, original: Any) -> None:
    """Give a replacement the name, docstring, signature and source of the original."""
    for name in ("__name__", "__qualname__", "__doc__", "__text_signature__"):
        if hasattr(original, name):
            setattr(function, name, getattr(original, name))
    function.__module__ = getattr(original, "__module__", None)  # type: ignore[assignment]  # methods have none
    function.__wrapped__ = original  # type: ignore[attr-defined]


def _source(module: ModuleType) -> str:
    """The module's source; empty if there is none."""
    loader = getattr(module.__spec__, "loader", None)
    get_source = getattr(loader, "get_source", None)
    try:
        source = get_source(module.__name__) if get_source else None
    except (ImportError, OSError):
        source = None
    if source is None:  # frozen modules keep their source elsewhere
        origin = getattr(module, "__file__", None)
        if not origin or not origin.endswith(".py"):
            return ""
        try:
            with open(origin, "rb") as file:
                source = importlib.util.decode_source(file.read())
        except OSError:
            return ""
    return str(source)


def _find_function(module: ModuleType, qualname: str) -> FunctionType | None:
    owner: Any = module
    for part in qualname.split("."):
        owner = vars(owner).get(part)
        if owner is None:
            return None
    if isinstance(owner, (classmethod, staticmethod)):
        owner = owner.__func__
    while isinstance(owner, FunctionType) and owner.__code__.co_filename != module.__file__:
        if not isinstance(getattr(owner, "__wrapped__", None), FunctionType):
            break
        owner = owner.__wrapped__  # type: ignore[attr-defined]  # the decorated function does the work
    return owner if isinstance(owner, FunctionType) else None


def _parse(lines: Sequence[str], code: CodeType) -> _Function | None:
    """The function that starts at the code's first line, with its positions in the file.

    Only its own lines are parsed: parsing a whole module takes a hundred times as long.
    """
    first = code.co_firstlineno - 1
    if not 0 <= first < len(lines):
        return None
    indent = _indent(lines[first])
    end = first
    while end < len(lines) and not lines[end].lstrip().startswith(("def ", "async def ")):
        end += 1  # decorators
    end += 1
    while end < len(lines) and (_indent(lines[end]) > indent or not _starts(lines[end])):
        end += 1
    shell = "class _:\n" if indent else ""
    text = "\n" * (first - bool(shell)) + shell + "".join(lines[first:end])
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return None
    found = next((node for node in ast.walk(tree) if isinstance(node, _Function)), None)
    if found is None or found.name != code.co_name:
        return None
    return found


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _starts(line: str) -> bool:
    """Whether a statement can start here: not in a comment, nor where an earlier bracket is closed."""
    text = line.strip()
    return bool(text) and not text.startswith((")", "]", "}", "#"))


def _compile(function: _Function, qualname: str, original: CodeType) -> CodeType | None:
    node: ast.stmt = function
    classes = qualname.split(".")[:-1]
    for name in reversed(classes):
        shell = ast.ClassDef(name=name, bases=[], keywords=[], body=[node], decorator_list=[], **_TYPE_PARAMS)
        node = ast.copy_location(shell, function)
    module = ast.fix_missing_locations(ast.Module(body=[node], type_ignores=[]))
    flags = original.co_flags & _FUTURE_FLAGS
    code: CodeType = compile(module, original.co_filename, "exec", dont_inherit=True, flags=flags)
    for name in (*classes, function.name):  # by name: a decorator may contain a lambda
        code = next(c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == name)
    if code.co_freevars != original.co_freevars:
        return None
    return code.replace(co_firstlineno=original.co_firstlineno)


_TYPE_PARAMS: dict[str, Any] = {"type_params": []} if sys.version_info >= (3, 12) else {}
_FUTURE_FLAGS = 0x1FF0000
"""The flags of a code object that ``from __future__`` sets."""
_CALL = "__asyncdemo_call__"
HOOK = "__hook__"


class _Name(ast.NodeTransformer):
    """Replaces the placeholder by the hook's name in the module."""

    def __init__(self, name: str) -> None:
        self._name = name

    def visit_Name(self, node: ast.Name) -> ast.Name:
        if node.id == HOOK:
            node.id = self._name
        return node


def call_hook(*arguments: ast.expr, at: ast.AST) -> ast.Call:
    call = ast.Call(func=ast.Name(id=HOOK, ctx=ast.Load()), args=list(arguments), keywords=[])
    return locate(call, at)


def locate(node: _Node, at: Any) -> _Node:
    """Give every new node the position of an old one, so that no line number changes."""
    for child in ast.walk(node):
        if isinstance(child, (ast.expr, ast.stmt)) and not hasattr(child, "lineno"):
            ast.copy_location(child, at)
    return node


def after_docstring(function: _Function) -> int:
    return 1 if ast.get_docstring(function, clean=False) is not None else 0


def _arguments(function: _Function, most: int | None = 1) -> list[ast.expr]:
    arguments = [*function.args.posonlyargs, *function.args.args]
    return [ast.Name(id=argument.arg, ctx=ast.Load()) for argument in arguments[:most]]


def _around(function: _Function) -> None:
    """``with HOOK(self): <body>``"""
    start = after_docstring(function)
    body = function.body[start:]
    item = ast.withitem(context_expr=call_hook(*_arguments(function), at=body[0]))
    function.body[start:] = [locate(ast.With(items=[item], body=body), body[0])]


def _around_with_all(function: _Function) -> None:
    """``with HOOK(every argument): <body>``"""
    start = after_docstring(function)
    body = function.body[start:]
    item = ast.withitem(context_expr=call_hook(*_arguments(function, None), at=body[0]))
    function.body[start:] = [locate(ast.With(items=[item], body=body), body[0])]


def _observing(function: _Function) -> None:
    """``with HOOK(every argument) as call: <body>``, with ``return call(value)`` for ``return value``."""
    start = after_docstring(function)
    body = [_Passing().visit(statement) for statement in function.body[start:]]
    item = ast.withitem(
        context_expr=call_hook(*_arguments(function, None), at=body[0]),
        optional_vars=ast.Name(id=_CALL, ctx=ast.Store()),
    )
    function.body[start:] = [locate(ast.With(items=[item], body=body), body[0])]


def _on_entry(function: _Function) -> None:
    """``HOOK(self)`` before the body."""
    start = after_docstring(function)
    first = function.body[start]
    function.body.insert(start, locate(ast.Expr(value=call_hook(*_arguments(function), at=first)), first))


def _on_entry_with_all(function: _Function) -> None:
    """``HOOK(every argument)`` before the body."""
    start = after_docstring(function)
    first = function.body[start]
    call = call_hook(*_arguments(function, None), at=first)
    function.body.insert(start, locate(ast.Expr(value=call), first))


def _at_end(function: _Function) -> None:
    """``HOOK(self)`` after the last statement, for a function that does not return early."""
    last = function.body[-1]
    function.body.append(locate(ast.Expr(value=call_hook(*_arguments(function), at=last)), last))


def _on_return(function: _Function) -> None:
    """``return HOOK(self, value)`` wherever the function itself returns a value."""
    _Returns(_arguments(function)).rewrite(function)


class _Returns(ast.NodeTransformer):
    def __init__(self, arguments: list[ast.expr]) -> None:
        self._arguments = arguments

    def rewrite(self, function: _Function) -> None:
        function.body = [self.visit(statement) for statement in function.body]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return node

    def visit_Return(self, node: ast.Return) -> ast.AST:
        if node.value is not None:
            node.value = call_hook(*copy.deepcopy(self._arguments), node.value, at=node)
        return node


class _Passing(_Returns):
    """Passes the returned value to the observer of this one call."""

    def __init__(self) -> None:
        super().__init__([])

    def visit_Return(self, node: ast.Return) -> ast.AST:
        if node.value is not None:
            call = ast.Call(func=ast.Name(id=_CALL, ctx=ast.Load()), args=[node.value], keywords=[])
            node.value = locate(call, node)
        return node


def around_call(method: str) -> Transform:
    """``with HOOK(self): ...`` around the statement that makes, or awaits, a call of that method."""

    class Around(ast.NodeTransformer):
        def visit_Expr(self, node: ast.Expr) -> ast.AST:
            call = node.value.value if isinstance(node.value, ast.Await) else node.value
            if (
                isinstance(call, ast.Call)
                and isinstance(call.func, ast.Attribute)
                and call.func.attr == method
            ):
                item = ast.withitem(context_expr=call_hook(ast.Name(id="self", ctx=ast.Load()), at=node))
                return locate(ast.With(items=[item], body=[node]), node)
            return node

    def transform(function: _Function) -> None:
        function.body = [Around().visit(statement) for statement in function.body]

    return Transform(transform, Guard.context)


def in_place_of(attribute: str) -> Transform:
    """``HOOK(value)`` wherever the function reads ``value.<attribute>``."""

    class InPlaceOf(ast.NodeTransformer):
        def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
            node.value = self.visit(node.value)
            if node.attr == attribute and isinstance(node.ctx, ast.Load):
                return call_hook(node.value, at=node)
            return node

    def transform(function: _Function) -> None:
        function.body = [InPlaceOf().visit(statement) for statement in function.body]

    def guarded(guard: Guard, name: str, hook: Hook) -> Hook:
        return guard.value(name, hook, lambda owner: getattr(owner, attribute))

    return Transform(transform, guarded)


def _passing_on(guard: Guard, name: str, hook: Hook) -> Hook:
    return guard.value(name, hook, lambda *arguments: arguments[-1])


def after_setting(attribute: str) -> Transform:
    """``HOOK(every argument)`` after each statement that sets ``self.<attribute>``."""

    def transform(function: _Function) -> None:
        arguments = _arguments(function, None)

        class Setting(ast.NodeTransformer):
            def _visit(self, node: ast.Assign | ast.AugAssign) -> ast.AST | list[ast.AST]:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                if not any(isinstance(one, ast.Attribute) and one.attr == attribute for one in targets):
                    return node
                return [node, locate(ast.Expr(value=call_hook(*copy.deepcopy(arguments), at=node)), node)]

            visit_Assign = visit_AugAssign = _visit

        function.body = [
            one
            for statement in function.body
            for visited in [Setting().visit(statement)]
            for one in (visited if isinstance(visited, list) else [visited])
        ]

    return Transform(transform, Guard.call)


def _where_it_yields(function: _Function) -> None:
    """``if HOOK(value): yield value`` for each ``yield value``, including those in nested functions."""

    class Yields(ast.NodeTransformer):
        def visit_Expr(self, node: ast.Expr) -> ast.AST:
            if not isinstance(node.value, ast.Yield) or node.value.value is None:
                return node
            is_wanted = call_hook(copy.deepcopy(node.value.value), at=node)
            return locate(ast.If(test=is_wanted, body=[node], orelse=[]), node)

    function.body = [Yields().visit(statement) for statement in function.body]


def _letting_through(guard: Guard, name: str, hook: Hook) -> Hook:
    return guard.value(name, hook, lambda value: True)


around = Transform(_around, Guard.context)
around_with_all = Transform(_around_with_all, Guard.context)
observing = Transform(_observing, Guard.context)
on_entry = Transform(_on_entry, Guard.call)
on_entry_with_all = Transform(_on_entry_with_all, Guard.call)
at_end = Transform(_at_end, Guard.call)
on_return = Transform(_on_return, _passing_on)
where_it_yields = Transform(_where_it_yields, _letting_through)
