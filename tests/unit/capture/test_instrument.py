"""Hooks written into functions: what they may change, and that nothing else does."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import linecache
import textwrap
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

    def returns_functions(self):
        def inner():
            return "inner"
        return inner

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
    """Hooks that write down when they are called."""

    def around(self, owner: Any) -> Log:
        self.append("around")
        return self

    def __enter__(self) -> None:
        self.append("enter")

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        self.append("exit" if kind is None else f"exit {kind.__name__}")

    def entry(self, *arguments: Any) -> None:
        self.append(("entry", *arguments))

    def end(self, *arguments: Any) -> None:
        self.append(("end", *arguments))

    def value(self, owner: Any, value: Any) -> Any:
        self.append(("return", value))
        return value


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


def test_a_rewritten_function_is_the_same_to_whoever_looks_at_it(
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
    assert log == ["around", "enter", "exit"] * 2


def test_lines_of_tracebacks_stay(module: ModuleType, patches: Patches, log: Log) -> None:
    with pytest.raises(ValueError) as before:
        module.plain(-1)
    assert patches.rewrite(module, "plain", log.around, around)
    with pytest.raises(ValueError) as after:
        module.plain(-1)
    shown = [traceback.format_tb(error.value.__traceback__)[1:] for error in (before, after)]
    assert shown[0] == shown[1] and len(shown[0]) == 1
    assert log == ["around", "enter", "exit ValueError"]


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


def test_two_hooks_of_one_function_compose(module: ModuleType, patches: Patches, log: Log) -> None:
    assert patches.rewrite(module, "Owner.method", log.around, around)
    assert patches.rewrite(module, "Owner.method", log.value, on_return)
    owner = module.Owner()
    assert owner.method(4) == 8 and owner.seen == 4
    assert log == ["around", "enter", ("return", 8), "exit"]


@pytest.mark.parametrize("name", ["missing", "Owner.missing", "Missing.method", "Owner.limit", "Owner"])
def test_what_is_not_there_is_not_observed(name: str, module: ModuleType, patches: Patches, log: Log) -> None:
    names = set(vars(module))
    assert not patches.rewrite(module, name, log.around, around)
    assert set(vars(module)) == names


def test_what_is_no_plain_function_stays_as_it_is(module: ModuleType, patches: Patches, log: Log) -> None:
    assert not patches.rewrite(module, "Owner.decorated", log.around, around)
    assert module.Owner().decorated() == 1


def test_a_function_within_a_condition_is_found_too(module: ModuleType, patches: Patches, log: Log) -> None:
    assert patches.rewrite(module, "conditional", lambda: log.around(None), around)
    assert module.conditional() == "conditional"
    assert log == ["around", "enter", "exit"]


def test_a_method_that_needs_its_class_stays_as_it_is(module: ModuleType, patches: Patches, log: Log) -> None:
    """``super()`` reads a cell of the class body; if it cannot be had, nothing is changed."""
    patched = patches.rewrite(module, "Child.method", log.around, around)
    assert module.Child().method(2) == 5
    assert log == (["around", "enter", "exit"] if patched else [])


def test_coroutine_functions_are_still_that(module: ModuleType, patches: Patches, log: Log) -> None:
    assert patches.rewrite(module, "coroutine", log.value, on_return)
    assert inspect.iscoroutinefunction(module.coroutine)
    with pytest.raises(StopIteration) as stopped:
        module.coroutine(3).send(None)
    assert stopped.value.value == 3 and log == [("return", 3)]


def test_entry_hooks_are_told_one_argument_or_all(module: ModuleType, patches: Patches, log: Log) -> None:
    patches.rewrite(module, "plain", log.entry, on_entry)
    patches.rewrite(module, "Owner.method", log.entry, on_entry_with_all)
    owner = module.Owner()
    module.plain(1, 2)
    owner.method(5)
    assert log == [("entry", 1), ("entry", owner, 5)]


def test_a_hook_at_the_end_comes_after_the_last_statement(
    module: ModuleType, patches: Patches, log: Log
) -> None:
    def run(self: Any) -> None:
        log.append("run")

    patches.set(module.Owner, "run", run)
    patches.rewrite(module, "Owner.calls", log.around, around_call("run"))
    assert module.Owner().calls() == 1
    assert log == ["around", "enter", "run", "exit"]


def test_around_one_call_sees_how_it_ended(module: ModuleType, patches: Patches, log: Log) -> None:
    assert patches.rewrite(module, "Owner.calls", log.around, around_call("run"))
    with pytest.raises(LookupError) as raised:
        module.Owner().calls()
    assert log == ["around", "enter", "exit LookupError"]
    assert line_of(raised.value) == SOURCE.splitlines().index('        raise LookupError("in run")') + 1


def test_reading_an_attribute_can_be_replaced(module: ModuleType, patches: Patches) -> None:
    assert patches.rewrite(module, "Owner.reads", lambda owner: 100, in_place_of("limit"))
    assert module.Owner().reads(module.Owner()) == 200


def test_returns_of_inner_functions_are_not_hooked(module: ModuleType, patches: Patches, log: Log) -> None:
    assert patches.rewrite(module, "Owner.returns_functions", log.value, on_return)
    inner = module.Owner().returns_functions()
    assert inner() == "inner" and len(log) == 1


def test_at_end(module: ModuleType, patches: Patches, log: Log) -> None:
    assert patches.rewrite(module, "only_documented", log.end, at_end)
    assert module.only_documented() is None and module.only_documented.__doc__ == "Nothing else."
    assert log == [("end",)]


def test_a_replacement_answers_as_what_it_replaces(module: ModuleType, patches: Patches) -> None:
    original = module.plain

    def replacement(*arguments: Any) -> str:
        return "replaced"

    patches.set(module, "plain", replacement)
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


class Observer(list[Any]):
    """For ``observing``: one call from its entry to its end."""

    def __call__(self, *arguments: Any) -> Any:
        self.append(("passes", *arguments) if self and self[-1] == "enter" else ("begins", *arguments))
        return self if self[-1][0] == "begins" else arguments[0]

    def __enter__(self) -> Observer:
        self.append("enter")
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        self.append("exit" if kind is None else f"exit {kind.__name__}")


def test_observing_sees_arguments_result_and_end(module: ModuleType, patches: Patches) -> None:
    seen = Observer()
    assert patches.rewrite(module, "plain", seen, observing)
    assert module.plain(1, 3) == 4
    assert seen == [("begins", 1, 3), "enter", ("passes", 4), "exit"]
    seen.clear()
    with pytest.raises(ValueError, match="-1"):
        module.plain(-1)
    assert seen == [("begins", -1, 2), "enter", "exit ValueError"]


def test_observing_a_coroutine_lasts_until_its_end(module: ModuleType, patches: Patches) -> None:
    seen = Observer()
    assert patches.rewrite(module, "coroutine", seen, observing)
    with pytest.raises(StopIteration, match="7"):
        module.coroutine(7).send(None)
    assert seen == [("begins", 7), "enter", ("passes", 7), "exit"]


def test_what_a_decorator_of_another_module_wraps_is_found(
    tmp_path: Path, module: ModuleType, patches: Patches, log: Log
) -> None:
    (tmp_path / "decorators.py").write_text(
        textwrap.dedent(
            """
            import functools
            def deprecated(function):
                @functools.wraps(function)
                def wrapper(*args):
                    return function(*args)
                return wrapper
            """
        ),
        encoding="utf-8",
    )
    path = tmp_path / "wrapped.py"
    path.write_text(
        "from decorators import deprecated\n\n@(lambda function: function)\n@deprecated\ndef old(value):\n"
        "    if value < 0:\n        raise ValueError(value)\n    return value\n\n"
        "class Made:\n    @classmethod\n    def of(cls, value):\n        return value\n",
        encoding="utf-8",
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(tmp_path))
        wrapped = importlib.import_module("wrapped")
    assert patches.rewrite(wrapped, "old", log.value, on_return)
    assert patches.rewrite(wrapped, "Made.of", log.value, on_return)
    assert (wrapped.old(5), wrapped.Made.of(6)) == (5, 6)
    assert log == [("return", 5), ("return", 6)]
    with pytest.raises(ValueError, match="-1") as caught:
        wrapped.old(-1)
    assert line_of(caught.value) == 7


def test_a_function_that_cannot_be_rewritten_is_left_as_it_is(module: ModuleType) -> None:
    def breaks(_: object) -> None:
        raise LookupError("another shape than the one we know")

    told: list[tuple[str, str]] = []
    patches = Patches(Guard(lambda name, why, _: told.append((name, why))))
    before = module.plain.__code__
    assert not patches.rewrite(module, "plain", print, Transform(breaks, Guard.call))
    assert module.plain.__code__ is before
    assert [name for name, _ in told] == ["patched.plain"]
