"""The script compiled with knobs and lanes is, but for these, the script itself."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from asyncdemo.capture.script.source import AT_WORK, LANE, SourceError, compile_script, lane_name
from asyncdemo.errors import UsageError
from asyncdemo.recording.runner import Options, Target, record


class Lanes(list[str]):
    """Stands in for the tracer: the lanes in the order in which they were entered and left."""

    @contextmanager
    def __call__(self, function: str, arguments: tuple[Any, ...]) -> Iterator[None]:
        name = lane_name(function, arguments)
        self.append(f"+{name}")
        try:
            yield
        except BaseException as error:
            self.append(f"-{name} {type(error).__name__}")
            raise
        self.append(f"-{name}")


def run(text: str, *lanes: str, **knobs: str) -> tuple[dict[str, Any], list[str]]:
    """(globals after the script, what its lanes did)."""
    code = compile_script(text, "script.py", lanes, knobs).code
    log = Lanes()
    space: dict[str, Any] = {"__name__": "__main__", LANE: log, AT_WORK: lambda: None}
    exec(code, space)
    return space, log


def knobs_of(text: str, **knobs: str) -> dict[str, Any]:
    return compile_script(text, "script.py", (), knobs).knobs


class TestKnobs:
    @pytest.mark.parametrize(
        ("line", "typed", "value"),
        [
            ("CUPS = 3", "4", 4),
            ("CUPS = 3", "-4", -4),
            ("CUPS = -3", "4", 4),
            ("CUPS = 3_000", "1_000", 1000),
            ("CUPS: int = 3", "4", 4),
            ("BREW_S = 0.3", "1", 1.0),
            ("BREW_S = 0.3", "-1e-3", -0.001),
            ("BREW_S: float = -0.3", ".5", 0.5),
            ("NAME = 'tea'", "3", "3"),
            ("NAME = 'tea'", "", ""),
            ("NAME = 'tea'", 'it\'s "hot" ☕', 'it\'s "hot" ☕'),
            ("HOT = True", "false", False),
            ("HOT = True", "No", False),
            ("HOT = False", "1", True),
            ("HOT = False", "YES", True),
        ],
    )
    def test_what_is_typed_becomes_the_type_of_the_constant(self, line: str, typed: str, value: Any) -> None:
        name = line.split(maxsplit=1)[0].rstrip(":")
        space, _ = run(f"{line}\nother = {name}", **{name: typed})
        assert (space[name], type(space[name])) == (value, type(value))
        assert space["other"] == value
        assert knobs_of(line, **{name: typed}) == {name: value}

    @pytest.mark.parametrize(
        ("line", "typed", "kind"),
        [
            ("CUPS = 3", "4.5", "a whole number"),
            ("CUPS = 3", "many", "a whole number"),
            ("BREW_S = 0.3", "slow", "a number"),
            ("HOT = True", "warm", "true or false"),
            ("HOT = True", "2", "true or false"),
        ],
    )
    def test_another_type_is_refused(self, line: str, typed: str, kind: str) -> None:
        name, _, old = line.partition(" = ")
        with pytest.raises(SourceError) as caught:
            knobs_of(line, **{name: typed})
        assert str(caught.value) == f"{name} is {old} in the script, so it takes {kind}, not {typed!r}."

    def test_an_unknown_knob_is_answered_with_those_that_there_are(self) -> None:
        with pytest.raises(SourceError, match=r"no knob CUP in this script. Its knobs: CUPS=3, HOT=True\."):
            knobs_of("CUPS = 3\nHOT = True", CUP="4")
        with pytest.raises(SourceError, match=r"Its knobs: none\."):
            knobs_of("print", CUP="4")

    def test_only_plain_top_level_constants_in_capitals_are_knobs(self) -> None:
        text = """
A = 1
lower = 2
B = C = 3
D, E = 4, 5
F = [6]
G = len("7")
H: int
I = None
J = b"10"
K = 1 + 1j
_L = 12
M2 = 13
class N:
    O = 14
def p():
    Q = 15
if True:
    R = 16
S += 1
"""
        assert knobs_of(text) == {"A": 1, "_L": 12, "M2": 13}

    def test_constant_that_is_set_twice_ends_as_requested(self) -> None:
        space, _ = run("A = 1\nA = 2\n", A="7")
        assert space["A"] == 7


LANES = [
    (
        """
import asyncio
def plain(n): return n
def generator(n):
    yield n
    yield n + 1
async def coroutine(n):
    await asyncio.sleep(0)
    return n
async def agenerator(n):
    yield n
async def main():
    return [await coroutine(3), [x async for x in agenerator(4)]]
got = plain(1), list(generator(2)), asyncio.run(main())
""",
        "plain generator coroutine agenerator",
        (1, [2, 3], [3, [4]]),
        "plain(1) generator(2) coroutine(3) agenerator(4)",
    ),
    ('def brew():\n    """Nothing."""\nbrew()\ngot = brew.__doc__', "brew", "Nothing.", ""),
    (
        """
class Base:
    def brew(self, n): return [type(self).__name__, n]
class Cup(Base):
    def brew(self, n): return super().brew(n) + [__class__.__name__]
    @staticmethod
    def wash(n): return n
    @property
    def size(self): return 5
got = Cup().brew(1), Cup.wash(2), Cup().size
""",
        "Cup.brew wash size",
        (["Cup", 1, "Cup"], 2, 5),
        "brew(1) wash(2) size()",
    ),
    (
        """
class A:
    @classmethod
    def go(cls): pass
class B:
    @classmethod
    def go(cls): pass
def go(): pass
got = A.go(), B.go(), go()
""",
        "go",
        (None, None, None),
        "go() go() go()",
    ),
    ("class B:\n    def go(self): pass\ndef go(): pass\ngot = B().go(), go()", "B.go", (None, None), "go()"),
    (
        """
def outer(n):
    def inner(m): return m
    return inner(n)
if True:
    def other(): pass
got = outer(1), other()
""",
        "outer.inner other",
        (1, None),
        "inner(1) other()",
    ),
    (
        """
total = 0
def outer():
    count = 0
    def brew(n):
        "Counts."
        global total
        nonlocal count
        total += n
        count += 1
        return count
    brew(2)
    return brew(3)
got = outer(), total
""",
        "brew",
        (2, 5),
        "brew(2) brew(3)",
    ),
    (
        """
import functools
seen = []
def register(function):
    seen.append(function.__name__)
    return functools.lru_cache(function)
@register
def brew(n): return n
brew(1); brew(1)
got = seen
""",
        "brew",
        ["brew"],
        "brew(1)",
    ),
    (
        """
def fail(): raise OSError
def early(n):
    for i in range(n): return i
def cups():
    while True: yield 1
try: fail()
except OSError: pass
c = cups()
got = early(3), next(c), c.close()
""",
        "fail early cups",
        (0, 1, None),
        "fail()-OSError early(3) cups()-GeneratorExit",
    ),
]


class TestLanes:
    @pytest.mark.parametrize(("text", "lanes", "got", "entered"), LANES)
    def test_each_call_is_one_and_nothing_else_changes(
        self, text: str, lanes: str, got: Any, entered: str
    ) -> None:
        space, log = run(text, *lanes.split())
        assert space["got"] == got
        if entered:
            ways = [way.partition("-") for way in entered.split()]
            expected = [(f"+{name}", f"-{name} {error}".rstrip()) for name, _, error in ways]
            assert log == [line for pair in expected for line in pair]

    def test_kinds_names_signatures_and_defaults_are_kept(self) -> None:
        text = (
            "def g(): yield\nasync def c(): pass\nasync def a(): yield\n"
            "def brew(cup: int, /, *more: str, hot: bool = True, **rest: int) -> str:\n"
            "    'Makes one.'\n    return 'x'"
        )
        space, _ = run(text, "g", "c", "a", "brew")
        plain: dict[str, Any] = {}
        exec(compile(text, "script.py", "exec", dont_inherit=True), plain)
        for function in ("g", "c", "a", "brew"):
            for name in ("__doc__", "__name__", "__qualname__", "__annotations__", "__kwdefaults__"):
                assert getattr(space[function], name) == getattr(plain[function], name)
            assert inspect.signature(space[function]) == inspect.signature(plain[function])
            for name in ("co_firstlineno", "co_flags"):
                assert getattr(space[function].__code__, name) == getattr(plain[function].__code__, name)

    def test_unknown_function_is_answered_with_the_existing_ones(self) -> None:
        with pytest.raises(
            SourceError, match=r"no function brw in this script. Its functions: brew, Cup.wash."
        ):
            run("def brew(): pass\nclass Cup:\n    def wash(self): pass", "brw")

    @pytest.mark.parametrize(
        ("arguments", "name"),
        [
            ((3,), "brew(3)"),
            ((3, "tea", True), "brew(3, 'tea', True)"),
            ((0.5, None, [1], object()), "brew()"),
            (("x" * 1000,), f"brew('{'x' * 28}...{'x' * 28}')"),
            (
                ("https://example.org/api/v2/customers/orders/pages?expand=all&page=17",),
                "brew('https://example.org/api/v2/c...ers/pages?expand=all&page=17')",
            ),
            ((10**1000,), "brew(...)"),
            (("\x1b[31m\n",), "brew('\\x1b[31m\\n')"),
        ],
    )
    def test_names_of_lanes(self, arguments: tuple[Any, ...], name: str) -> None:
        assert lane_name("brew", arguments) == name

    def test_nothing_of_the_users_is_called_for_a_name(self) -> None:
        class Loud(int):
            def __repr__(self) -> str:
                raise AssertionError

        assert lane_name("brew", (Loud(3),)) == "brew()"


SCRIPT = '''"""Doc."""
from __future__ import annotations
import asyncio, sys

CUPS = 2

def fail(n):
    """Doc."""
    return (
        1 /
        (n - n)
    )

async def brew(n):
    await asyncio.sleep(0)
    fail(n)

class Café:
    def 茶(self): return [
        lambda: fail(1)
    ][0]()

def show():
    try:
        asyncio.run(brew(3))
    except ZeroDivisionError:
        import traceback
        return traceback.format_exc()
'''


def test_lines_and_tracebacks_are_those_of_the_plain_script(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    plain: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(SCRIPT, str(script), "exec", dont_inherit=True), plain)
    code = compile_script(SCRIPT, str(script), ("fail", "brew", "茶"), {"CUPS": "5"}).code
    traced: dict[str, Any] = {"__name__": "__main__", LANE: Lanes(), AT_WORK: lambda: None}
    exec(code, traced)
    assert traced["show"]() == plain["show"]()
    texts = []
    for space in (plain, traced):
        try:
            space["Café"]().茶()
        except ZeroDivisionError as error:
            own = error.__traceback__.tb_next if error.__traceback__ else None
            texts.append("".join(traceback.format_tb(own)))
    assert texts[0] == texts[1] != ""


def test_scripts_future_imports_stay_first_and_ours_stay_out() -> None:
    space, _ = run("from __future__ import annotations\ndef f(x: Missing): pass", "f")
    assert space["f"].__annotations__ == {"x": "Missing"}
    space, _ = run("def f(x: int): pass", "f")
    assert space["f"].__annotations__ == {"x": int}


@pytest.mark.parametrize(
    "text", ["def f(:", "x = (", "\0", "return 1", "def f():\n  x\n y", "nonlocal x", "f'{'"]
)
def test_what_does_not_compile_fails_as_it_would_without_us(text: str) -> None:
    with pytest.raises((SyntaxError, ValueError)) as plain:
        compile(text, "script.py", "exec", dont_inherit=True)
    with pytest.raises((SyntaxError, ValueError)) as ours:
        compile_script(text, "script.py", (), {})
    assert (type(ours.value), str(ours.value)) == (type(plain.value), str(plain.value))


def test_lanes_and_knobs_the_whole_way(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT + "\nfor n in range(CUPS): show()\n")
    run = record(Target(str(script)), Options(lanes=("brew",), knobs={"CUPS": "4"}))
    assert [lane.name for lane in run.lanes] == ["brew(3)"] * 4
    assert run.knobs == {"CUPS": 4}
    with pytest.raises(UsageError, match="There is no function brow"):
        record(Target(str(script)), Options(lanes=("brow",)))


def test_a_check_means_the_function_and_not_a_method_of_its_name() -> None:
    source = "class Page:\n    def load(self): return 1\ndef load(): return 2\n"
    for lanes in (["load"], ["Page.load"]):
        code = compile_script(source, "app.py", lanes, {}, results=True).code
        named = [const.co_qualname for const in _codes(code) if LANE in const.co_names]
        assert named == lanes


def _codes(code: CodeType) -> Iterator[CodeType]:
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield const
            yield from _codes(const)
