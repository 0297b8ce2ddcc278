"""Puts hooks into functions of the standard library and other libraries without adding a stack frame.

The function's own source is parsed, a hook is written into its syntax tree, and the code object compiled
from that (same file name, same lines, same name) replaces the original one. The function object stays the
same, so references taken earlier see the hook too, and stacks, tracebacks and ``inspect`` show what they
always do. Wrapping would change all of these.
"""

from __future__ import annotations

import ast
import copy
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
        apply: Writes the call of the hook, as ``HOOK``, into the function's syntax tree.
        guarded: (guard, name, hook) -> the hook as it may be called there.
    """

    apply: Callable[[Any], object]
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

    def rewrite(self, module: ModuleType, qualname: str, hook: Any, transform: Transform) -> bool:
        """Rewrite one function of a module so that it calls ``hook``.

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
        if module.__name__ not in self._lines:
            self._lines[module.__name__] = _source(module).splitlines(keepends=True)
        # a copy: a transform that fails half-way must leave no trace in the tree for later hooks
        node = copy.deepcopy(self._rewritten.get(key)) or _parse(self._lines[module.__name__], original)
        if node is None:
            return False
        transform.apply(node)
        name = f"__asyncdemo_{qualname.replace('.', '_')}_{len(self._undo)}__"
        for child in ast.walk(node):
            if isinstance(child, ast.Name) and child.id == _HOOK:
                child.id = name
        code = _compile(node, qualname, original)
        if code is None:
            return False
        self._rewritten[key] = node
        # for good: code that is running may still look it up after everything is undone
        setattr(module, name, transform.guarded(self.guard, f"{module.__name__}.{qualname}", hook))
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


def pass_for(function: FunctionType, original: Any) -> None:
    """Give a replacement the name, docstring, signature and source of the original."""
    for name in ("__name__", "__qualname__", "__doc__", "__text_signature__"):
        if hasattr(original, name):
            setattr(function, name, getattr(original, name))
    function.__module__ = getattr(original, "__module__", None)  # type: ignore[assignment]  # methods have none
    function.__wrapped__ = original  # type: ignore[attr-defined]


def _source(module: ModuleType) -> str:
    """The module's source; empty if there is none."""
    get_source = getattr(getattr(module.__spec__, "loader", None), "get_source", None)
    try:
        return (get_source(module.__name__) if get_source else None) or ""
    except (ImportError, OSError):
        return ""


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
_HOOK = "__hook__"
"""Stands for the hook's name in its module."""
_CALL = "__asyncdemo_call__"
"""The observer of one call, in the function that is called."""


def call_hook(*arguments: ast.expr, at: ast.AST) -> ast.Call:
    return locate(ast.Call(func=_read(_HOOK), args=list(arguments), keywords=[]), at)


def locate(node: _Node, at: Any) -> _Node:
    """Give every new node the position of an old one, so that no line number changes."""
    for child in ast.walk(node):
        if isinstance(child, (ast.expr, ast.stmt)) and not hasattr(child, "lineno"):
            ast.copy_location(child, at)
    return node


def after_docstring(function: _Function) -> int:
    return 1 if ast.get_docstring(function, clean=False) is not None else 0


def in_context(body: list[ast.stmt], manager: ast.expr, passing: bool = False) -> ast.With:
    """``with <manager>: <body>``. If ``passing``, the manager is called with what the body returns."""
    if passing:
        body = [_Returns(_CALL).visit(statement) for statement in body]
    name = ast.Name(id=_CALL, ctx=ast.Store()) if passing else None
    return locate(ast.With(items=[ast.withitem(manager, name)], body=body), body[0])


def _read(name: str) -> ast.Name:
    return ast.Name(id=name, ctx=ast.Load())


def _arguments(function: _Function, most: int | None) -> list[ast.expr]:
    arguments = [*function.args.posonlyargs, *function.args.args]
    return [_read(argument.arg) for argument in arguments[:most]]


class _Returns(ast.NodeTransformer):
    """``return FUNCTION(arguments, value)`` wherever the function itself returns a value."""

    def __init__(self, function: str, arguments: Sequence[ast.expr] = ()) -> None:
        self._function = function
        self._arguments = arguments

    def _leave(self, node: ast.AST) -> ast.AST:
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = _leave

    def visit_Return(self, node: ast.Return) -> ast.AST:
        if node.value is not None:
            arguments = [*copy.deepcopy(self._arguments), node.value]
            node.value = locate(ast.Call(func=_read(self._function), args=arguments, keywords=[]), node)
        return node


# -- where a hook goes ------------------------------------------------------------------------------


def _around(most: int | None, passing: bool = False) -> Transform:
    def apply(function: _Function) -> None:
        start = after_docstring(function)
        body = function.body[start:]
        manager = call_hook(*_arguments(function, most), at=body[0])
        function.body[start:] = [in_context(body, manager, passing)]

    return Transform(apply, Guard.context)


def _on_entry(most: int | None) -> Transform:
    def apply(function: _Function) -> None:
        start = after_docstring(function)
        first = function.body[start]
        call = call_hook(*_arguments(function, most), at=first)
        function.body.insert(start, locate(ast.Expr(value=call), first))

    return Transform(apply, Guard.call)


def _at_end(function: _Function) -> None:
    last = function.body[-1]
    function.body.append(locate(ast.Expr(value=call_hook(*_arguments(function, 1), at=last)), last))


def _on_return(function: _Function) -> None:
    _Returns(_HOOK, _arguments(function, 1)).generic_visit(function)


class _Yields(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        if not isinstance(node.value, ast.Yield) or node.value.value is None:
            return node
        is_wanted = call_hook(copy.deepcopy(node.value.value), at=node)
        return locate(ast.If(test=is_wanted, body=[node], orelse=[]), node)


around = _around(1)
"""``with HOOK(self): <body>``"""
around_with_all = _around(None)
"""``with HOOK(every argument): <body>``"""
observing = _around(None, passing=True)
"""``with HOOK(every argument) as call: <body>``, with ``return call(value)`` for ``return value``."""
on_entry = _on_entry(1)
"""``HOOK(self)`` before the body."""
on_entry_with_all = _on_entry(None)
"""``HOOK(every argument)`` before the body."""
at_end = Transform(_at_end, Guard.call)
"""``HOOK(self)`` after the last statement, for a function that does not return early."""
on_return = Transform(_on_return, lambda guard, name, hook: guard.value(name, hook, lambda *given: given[-1]))
"""``return HOOK(self, value)`` wherever the function itself returns a value."""
where_it_yields = Transform(
    _Yields().generic_visit, lambda guard, name, hook: guard.value(name, hook, lambda value: True)
)
"""``if HOOK(value): yield value`` for each ``yield value``, including those in nested functions."""


def around_call(method: str) -> Transform:
    """``with HOOK(self): ...`` around the statement that makes, or awaits, a call of that method."""

    class Around(ast.NodeTransformer):
        def visit_Expr(self, node: ast.Expr) -> ast.AST:
            call = node.value.value if isinstance(node.value, ast.Await) else node.value
            match call:
                case ast.Call(func=ast.Attribute(attr=name)) if name == method:
                    return in_context([node], call_hook(_read("self"), at=node))
            return node

    return Transform(Around().generic_visit, Guard.context)


def in_place_of(attribute: str) -> Transform:
    """``HOOK(value)`` wherever the function reads ``value.<attribute>``."""

    class InPlaceOf(ast.NodeTransformer):
        def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
            node.value = self.visit(node.value)
            if node.attr == attribute and isinstance(node.ctx, ast.Load):
                return call_hook(node.value, at=node)
            return node

    def guarded(guard: Guard, name: str, hook: Hook) -> Hook:
        return guard.value(name, hook, lambda owner: getattr(owner, attribute))

    return Transform(InPlaceOf().generic_visit, guarded)


def after_setting(attribute: str) -> Transform:
    """``HOOK(every argument)`` after each statement that sets ``self.<attribute>``."""

    def apply(function: _Function) -> None:
        class Setting(ast.NodeTransformer):
            def _visit(self, node: ast.Assign | ast.AugAssign) -> ast.AST | list[ast.AST]:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                if not any(
                    isinstance(target, ast.Attribute) and target.attr == attribute for target in targets
                ):
                    return node
                return [node, locate(ast.Expr(value=call_hook(*_arguments(function, None), at=node)), node)]

            visit_Assign = visit_AugAssign = _visit

        Setting().generic_visit(function)

    return Transform(apply, Guard.call)
