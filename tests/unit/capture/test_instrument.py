"""Hooks written into functions: what they may change, and that nothing else does."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import inspect
import linecache
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from asyncdemo.capture.frames import disguise
from asyncdemo.capture.guard import Guard
from asyncdemo.capture.instrument import (
    Patches,
    Transform,
    around,
    around_call,
    at_end,
    in_place_of,
    observing,
    on_entry,
    on_entry_with_all,
    on_return,
)
from tests.support.guards import strict_guard

SOURCE = '''\
"""A module to be patched."""
import functools

def plain(value, other=2, *rest, key=3, **more):
    """Says what it does."""
    if value < 0:
        raise ValueError(value)
    return value + other

def only_documented():
    """Nothing else."""

def returns_functions(value):
    def inner():
        return "inner"
    return inner

class Owner:
    limit = 7

    def method(self, value):
        self.seen = value
        return value * 2

    @functools.lru_cache
    def decorated(self):
        return 1

    def calls(self):
        before = 1
        self.run()
        return before

    def run(self):
        raise LookupError("in run")

    def reads(self, other):
        return other.limit + self.limit

    @classmethod
    def of(cls, value):
        return value

@(lambda function: function)
@functools.singledispatch
def old(value):
    if value < 0:
        raise ValueError(value)
    return value

class Child(Owner):
    def method(self, value):
        return super().method(value) + 1

if True:
    def conditional():
        return "conditional"

async def coroutine(value):
    return value

made = [lambda: 1]
'''


class Log(list[Any]):
    """Hooks that write down when they are called, and with what."""

    def value(self, owner: Any, value: Any) -> Any:
        self.append(("return", value))
        return value

    def entry(self, *arguments: Any) -> None:
        self.append(("entry", *arguments))

    def around(self, *arguments: Any) -> Log:
        self.append(("begins", *arguments))
        return self

    def __call__(self, value: Any) -> Any:
        self.append(("passes", value))
        return value

    def __enter__(self) -> Log:
        self.append("enter")
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        self.append("exit" if kind is None else f"exit {kind.__name__}")


@pytest.fixture
def module(tmp_path: Path) -> ModuleType:
    path = tmp_path / "patched.py"
    path.write_text(SOURCE, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("patched", path)
    assert spec is not None and spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    linecache.checkcache(str(path))
    return loaded


@pytest.fixture
def patches() -> Iterator[Patches]:
    made = Patches(strict_guard())
    yield made
    made.undo()


@pytest.fixture
def log() -> Log:
    return Log()


def line_of(error: BaseException) -> int | None:
    return traceback.extract_tb(error.__traceback__)[-1].lineno


def test_rewritten_function_looks_the_same_to_inspection(
    module: ModuleType, patches: Patches, log: Log
) -> None:
    function = module.plain
    before = function.__code__
    signature, source, stated = inspect.signature(function), inspect.getsource(function), function.__doc__
    assert patches.rewrite(module, "plain", log.around, around)
    assert module.plain is function and function.__code__ is not before
    assert (inspect.signature(function), inspect.getsource(function), function.__doc__) == (
        signature,
        source,
        stated,
    )
    assert function.__defaults__ == (2,) and function.__kwdefaults__ == {"key": 3}
    after = function.__code__
    for name in ("co_name", "co_qualname", "co_filename", "co_firstlineno", "co_freevars", "co_varnames"):
        assert getattr(after, name) == getattr(before, name), name
    assert function(1) == 3 and function(1, 5, 6, key=7, more=8) == 6
    assert log == [("begins", 1), "enter", "exit"] * 2


@pytest.mark.parametrize("name", ["plain", "old"])
def test_lines_of_tracebacks_stay(name: str, module: ModuleType, patches: Patches, log: Log) -> None:
    shown = []
    for patched in (False, True):
        assert not patched or patches.rewrite(module, name, log.around, around)
        with pytest.raises(ValueError) as caught:
            getattr(module, name)(-1)
        shown.append(traceback.format_tb(caught.value.__traceback__)[1:])
    assert shown[0] == shown[1] and "raise ValueError(value)" in shown[0][-1]
    assert log == [("begins", -1), "enter", "exit ValueError"]


def test_undo_gives_everything_back(module: ModuleType, patches: Patches, log: Log) -> None:
    code, names = module.plain.__code__, set(vars(module))
    patches.rewrite(module, "plain", log.around, around)
    patches.rewrite(module, "plain", log.entry, on_entry)
    patches.set(module, "made", None)
    patches.set(module, "added", 1)
    patches.undo()
    assert module.plain.__code__ is code and len(module.made) == 1
    # the hooks stay: a call that began before may still ask for them
    assert all(name.startswith("__asyncdemo_") for name in set(vars(module)) - names)
    module.plain(1)
    assert log == []


PLACES: list[tuple[Transform, str, str, Any, list[Any]]] = [
    (around, "conditional", "conditional()", "conditional", [("begins",), "enter", "exit"]),
    (observing, "plain", "plain(1, 3)", 4, [("begins", 1, 3), "enter", ("passes", 4), "exit"]),
    (observing, "plain", "plain(-1)", ValueError, [("begins", -1, 2), "enter", "exit ValueError"]),
    (observing, "coroutine", "run(coroutine(7))", 7, [("begins", 7), "enter", ("passes", 7), "exit"]),
    (on_entry, "plain", "plain(1, 2)", 3, [("entry", 1)]),
    (on_entry_with_all, "plain", "plain(1, 2)", 3, [("entry", 1, 2)]),
    (at_end, "only_documented", "only_documented()", None, [("entry",)]),
    (on_return, "coroutine", "run(coroutine(3))", 3, [("return", 3)]),
    (on_return, "returns_functions", "returns_functions(0)()", "inner", [("return", ...)]),
    (on_return, "old", "old(5)", 5, [("return", 5)]),  # its decorator is in another module
    (on_return, "Owner.of", "Owner.of(6)", 6, [("return", 6)]),
]


@pytest.mark.parametrize(("transform", "name", "call", "result", "seen"), PLACES)
def test_where_hooks_go(
    transform: Transform,
    name: str,
    call: str,
    result: Any,
    seen: list[Any],
    module: ModuleType,
    patches: Patches,
    log: Log,
) -> None:
    hook = {around: log.around, observing: log.around, on_return: log.value}.get(transform, log.entry)
    assert patches.rewrite(module, name, hook, transform)
    space = {**vars(module), "run": asyncio.run}
    if result is ValueError:
        with pytest.raises(ValueError, match="-1"):
            eval(call, space)
    else:
        assert eval(call, space) == result
    assert len(log) == len(seen)
    assert all(one == want or want[1:] == (...,) for one, want in zip(log, seen, strict=True))


def test_two_hooks_of_one_function_compose(module: ModuleType, patches: Patches, log: Log) -> None:
    assert patches.rewrite(module, "Owner.method", log.around, around)
    assert patches.rewrite(module, "Owner.method", log.value, on_return)
    owner = module.Owner()
    assert owner.method(4) == 8 and owner.seen == 4
    assert log == [("begins", owner), "enter", ("return", 8), "exit"]


@pytest.mark.parametrize("name", ["missing", "Missing.method", "Owner.limit", "Owner.decorated"])
def test_what_is_no_plain_function_is_not_observed(
    name: str, module: ModuleType, patches: Patches, log: Log
) -> None:
    names = set(vars(module))
    assert not patches.rewrite(module, name, log.around, around)
    assert set(vars(module)) == names
    assert module.Owner().decorated() == 1


def test_a_method_that_needs_its_class_stays_as_it_is(module: ModuleType, patches: Patches, log: Log) -> None:
    """``super()`` reads a cell of the class body; if it cannot be had, nothing is changed."""
    patched = patches.rewrite(module, "Child.method", log.around, around)
    assert module.Child().method(2) == 5
    assert bool(log) == patched


def test_around_one_call_sees_how_it_ended(module: ModuleType, patches: Patches, log: Log) -> None:
    assert patches.rewrite(module, "Owner.calls", log.around, around_call("run"))
    owner = module.Owner()
    with pytest.raises(LookupError) as raised:
        owner.calls()
    assert log == [("begins", owner), "enter", "exit LookupError"]
    assert line_of(raised.value) == SOURCE.splitlines().index('        raise LookupError("in run")') + 1


def test_reading_an_attribute_can_be_replaced(module: ModuleType, patches: Patches) -> None:
    assert patches.rewrite(module, "Owner.reads", lambda owner: 100, in_place_of("limit"))
    assert module.Owner().reads(module.Owner()) == 200


def test_a_replacement_answers_as_what_it_replaces(module: ModuleType, patches: Patches) -> None:
    original = module.plain
    patches.set(module, "plain", lambda *arguments: "replaced")
    assert module.plain(1) == "replaced"
    assert inspect.signature(module.plain) == inspect.signature(original)
    assert (module.plain.__name__, module.plain.__doc__) == ("plain", "Says what it does.")
    assert inspect.getsource(module.plain) == inspect.getsource(original)


def test_a_disguised_frame_shows_the_call_of_the_original() -> None:
    def original(call: Any, arguments: Any) -> Any:
        before = 1
        call(*arguments)
        return before

    def stand_in(call: Any, arguments: Any) -> Any:
        log: list[int] = []
        for _ in range(3):
            log.append(len(log))
        call(*arguments)
        return log

    def fail() -> None:
        raise ValueError

    shown = []
    disguise(stand_in, original)
    for function in (original, stand_in):
        with pytest.raises(ValueError) as raised:
            function(fail, ())
        shown.append(traceback.format_tb(raised.value.__traceback__)[1:])
    assert shown[0] == shown[1] and "call(*arguments)" in shown[0][0]
    assert stand_in(lambda: None, ()) == [0, 1, 2]


def test_a_function_that_cannot_be_rewritten_is_left_as_it_is(module: ModuleType) -> None:
    def breaks(_: object) -> None:
        raise LookupError("another shape than the one we know")

    failures: list[tuple[str, str]] = []
    patches = Patches(Guard(lambda name, why, _: failures.append((name, why))))
    before = module.plain.__code__
    assert not patches.rewrite(module, "plain", print, Transform(breaks, Guard.call))
    assert module.plain.__code__ is before
    assert [name for name, _ in failures] == ["patched.plain"]
