"""The script compiled with knobs and lanes is, but for these, the script itself."""

from __future__ import annotations

import inspect
import subprocess
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, TracebackType
from typing import Any

import pytest

from asyncdemo.capture.script.source import AT_WORK, LANE, SourceError, compile_script, lane_name
from asyncdemo.errors import UsageError
from asyncdemo.recording.runner import Options, Target, record


class Recorded:
    """What stands in for the tracer: the lanes in the order in which they were entered and left."""

    def __init__(self) -> None:
        self.log: list[str] = []

    def lane(self, function: str, arguments: tuple[Any, ...]) -> Recorded._Lane:
        return self._Lane(self.log, lane_name(function, arguments))

    class _Lane:
        def __init__(self, log: list[str], name: str) -> None:
            self._log, self._name = log, name

        def __enter__(self) -> None:
            self._log.append(f"+{self._name}")

        def __exit__(
            self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
        ) -> None:
            self._log.append(f"-{self._name}" + (f" {kind.__name__}" if kind else ""))


def run(text: str, *lanes: str, **knobs: str) -> tuple[dict[str, Any], list[str]]:
    """(globals after the script, what its lanes did)."""
    code, _ = compile_script(text, "script.py", lanes, knobs)
    recorded = Recorded()
    space: dict[str, Any] = {"__name__": "__main__", LANE: recorded.lane, AT_WORK: lambda: None}
    exec(code, space)
    return space, recorded.log


def knobs_of(text: str, **knobs: str) -> dict[str, Any]:
    return dict(compile_script(text, "script.py", (), knobs)[1])


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

    def test_only_plain_constants_in_capitals_at_the_top_level_are_knobs(self) -> None:
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

    def test_every_knob_is_told_with_the_value_that_it_has(self) -> None:
        assert knobs_of("A = 1\nB = 'x'\nC = 0.5", B="y") == {"A": 1, "B": "y", "C": 0.5}

    def test_a_constant_set_twice_is_set_to_what_was_asked_for_in_the_end(self) -> None:
        space, _ = run("A = 1\nA = 2\n", A="7")
        assert space["A"] == 7


class TestLanes:
    def test_a_function_a_generator_and_a_coroutine_open_a_lane_a_call(self) -> None:
        text = """
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
"""
        space, log = run(text, "plain", "generator", "coroutine", "agenerator")
        assert space["got"] == (1, [2, 3], [3, [4]])
        assert log == [
            "+plain(1)", "-plain(1)", "+generator(2)", "-generator(2)",
            "+coroutine(3)", "-coroutine(3)", "+agenerator(4)", "-agenerator(4)",
        ]  # fmt: skip

    def test_kinds_of_functions_stay_what_they_are(self) -> None:
        text = "def g(): yield\nasync def c(): pass\nasync def a(): yield\ndef f(): pass"
        space, _ = run(text, "g", "c", "a", "f")
        assert inspect.isgeneratorfunction(space["g"])
        assert inspect.iscoroutinefunction(space["c"])
        assert inspect.isasyncgenfunction(space["a"])
        assert not inspect.isgeneratorfunction(space["f"])

    def test_docstrings_names_signatures_and_defaults_are_kept(self) -> None:
        text = (
            "def brew(cup: int, /, *more: str, hot: bool = True, **rest: int) -> str:\n"
            "    'Makes one.'\n    return 'x'"
        )
        space, _ = run(text, "brew")
        plain: dict[str, Any] = {}
        exec(compile(text, "script.py", "exec", dont_inherit=True), plain)
        for name in ("__doc__", "__name__", "__qualname__", "__annotations__", "__kwdefaults__"):
            assert getattr(space["brew"], name) == getattr(plain["brew"], name)
        assert inspect.signature(space["brew"]) == inspect.signature(plain["brew"])
        assert space["brew"].__code__.co_firstlineno == plain["brew"].__code__.co_firstlineno

    def test_a_function_of_nothing_but_a_docstring_still_works(self) -> None:
        space, _ = run('def brew():\n    """Nothing."""\nbrew()', "brew")
        assert space["brew"].__doc__ == "Nothing."

    def test_methods_super_and_class_work_and_self_is_no_argument(self) -> None:
        text = """
class Base:
    def brew(self, n): return [type(self).__name__, n]
class Cup(Base):
    def brew(self, n): return super().brew(n) + [__class__.__name__]
    @classmethod
    def make(cls, n): return cls().brew(n)
    @staticmethod
    def wash(n): return n
    @property
    def size(self): return 5
got = Cup.make(1), Cup.wash(2), Cup().size
"""
        space, log = run(text, "Cup.brew", "make", "wash", "size")
        assert space["got"] == (["Cup", 1, "Cup"], 2, 5)
        assert [entry for entry in log if entry.startswith("+")] == [
            "+make(1)",
            "+brew(1)",
            "+wash(2)",
            "+size()",
        ]

    def test_a_plain_name_means_every_function_of_that_name(self) -> None:
        text = "class A:\n    def go(self): pass\nclass B:\n    def go(self): pass\ndef go(): pass\n"
        text += "A().go(); B().go(); go()"
        assert run(text, "go")[1].count("+go()") == 3
        assert run(text, "B.go")[1].count("+go()") == 1

    def test_a_nested_function_and_one_in_an_if_are_found(self) -> None:
        text = "def outer(n):\n    def inner(m): return m\n    return inner(n)\n"
        text += "if True:\n    def other(): pass\nouter(1); other()"
        assert run(text, "outer.inner", "other")[1] == ["+inner(1)", "-inner(1)", "+other()", "-other()"]

    def test_global_and_nonlocal_stay_declarations(self) -> None:
        text = """
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
got = outer()
"""
        space, log = run(text, "brew")
        assert (space["got"], space["total"]) == (2, 5)
        assert len(log) == 4

    def test_decorators_see_the_function_and_its_lane_opens_when_it_is_called(self) -> None:
        text = """
import functools
seen = []
def register(function):
    seen.append(function.__name__)
    return functools.lru_cache(function)
@register
def brew(n): return n
brew(1); brew(1)
"""
        space, log = run(text, "brew")
        assert space["seen"] == ["brew"]
        assert log == ["+brew(1)", "-brew(1)"]

    def test_exceptions_returns_and_closed_generators_leave_the_lane(self) -> None:
        text = """
def fail(): raise OSError
def early(n):
    for i in range(n): return i
def cups():
    while True: yield 1
try: fail()
except OSError: pass
early(3)
c = cups(); next(c); c.close()
"""
        _, log = run(text, "fail", "early", "cups")
        assert log == [
            "+fail()",
            "-fail() OSError",
            "+early(3)",
            "-early(3)",
            "+cups()",
            "-cups() GeneratorExit",
        ]

    def test_an_unknown_function_is_answered_with_those_that_there_are(self) -> None:
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
    code, _ = compile_script(SCRIPT, str(script), ("fail", "brew", "茶"), {"CUPS": "5"})
    traced: dict[str, Any] = {"__name__": "__main__", LANE: Recorded().lane, AT_WORK: lambda: None}
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


def test_the_future_imports_of_the_script_stay_first_and_ours_do_not_reach_it() -> None:
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


# -- the whole way, in a child process --------------------------------------------------------------

PROBE = """
import os, sys
print(__name__, __package__, __spec__ and __spec__.name, __doc__)
print(sys.argv, os.path.basename(__file__), os.path.isabs(__file__))
print(sys.path[0] in ("", os.getcwd(), os.path.dirname(os.path.abspath(__file__))), repr(sys.stdin.read()))
print(sys.modules["__main__"].__file__ == __file__, sorted(n for n in globals()))
print(sys.flags.optimize, sys.stdout.isatty(), os.environ.get("ASYNCDEMO_NOT_THERE"))
sys.exit(4)
"""


def both(
    folder: Path, target: list[str], *options: str, stdin: bytes = b""
) -> tuple[subprocess.CompletedProcess[bytes], subprocess.CompletedProcess[bytes]]:
    """(under plain python, traced), with what they wrote and their exit codes."""
    from tests.cli.commands import asyncdemo_command, environment

    def done(command: list[str]) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            command, cwd=folder, input=stdin, env=environment(), capture_output=True, timeout=60, check=False
        )

    return done([sys.executable, *target]), done([*asyncdemo_command("trace", "--plain"), *options, *target])


@pytest.mark.parametrize("stdin", [b"", b"one\ntwo", "caffè\n".encode()])
def test_a_script_sees_itself_its_arguments_and_stdin_as_under_plain_python(
    tmp_path: Path, stdin: bytes
) -> None:
    (tmp_path / "script.py").write_text(PROBE)
    plain, traced = both(tmp_path, ["script.py", "--cups", "-x", "a b", "", "--", "--json"], stdin=stdin)
    assert plain.returncode == 4
    assert traced.stdout.startswith(plain.stdout), (plain.stdout, traced.stdout)
    assert b"exit code 4" in traced.stdout


def test_a_package_with_relative_imports_runs_with_m(tmp_path: Path) -> None:
    package = tmp_path / "shop"
    (package / "inner").mkdir(parents=True)
    (package / "__init__.py").write_text("MENU = 'coffee'")
    (package / "__main__.py").write_text(
        f"from . import MENU\nfrom .inner.cup import SIZE\nprint(MENU, SIZE)\n{PROBE}"
    )
    (package / "inner" / "__init__.py").write_text("")
    (package / "inner" / "cup.py").write_text(
        "from .. import MENU\nSIZE = len(MENU)\nif __name__ == '__main__': print(SIZE)"
    )
    plain, traced = both(tmp_path, ["-m", "shop", "x"], stdin=b"in")
    assert plain.returncode == 4, plain.stderr
    assert traced.stdout.startswith(plain.stdout), (plain.stdout, traced.stdout, traced.stderr)
    plain, traced = both(tmp_path, ["-m", "shop.inner.cup"])
    assert plain.stdout == b"6\n"
    assert traced.stdout.startswith(plain.stdout), traced.stderr


@pytest.mark.parametrize("target", [["script.py"], ["-m", "script"], ["."]])
def test_tracebacks_of_a_failing_script_are_those_of_plain_python(tmp_path: Path, target: list[str]) -> None:
    script = SCRIPT.replace(
        "    try:\n        asyncio.run(brew(3))", "    try:\n        asyncio.run(brew(CUPS))"
    )
    for name in ("script.py", "__main__.py"):
        (tmp_path / name).write_text(script + "\nif __name__ == '__main__':\n    asyncio.run(brew(CUPS))\n")
    plain, traced = both(tmp_path, target, "--lane", "fail,brew")
    assert plain.returncode == 1 and b"ZeroDivisionError" in plain.stderr
    assert traced.stderr.decode() == plain.stderr.decode()


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
        code, _ = compile_script(source, "app.py", lanes, {}, results=True)
        named = [const.co_qualname for const in _codes(code) if LANE in const.co_names]
        assert named == lanes


def _codes(code: CodeType) -> Iterator[CodeType]:
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield const
            yield from _codes(const)
