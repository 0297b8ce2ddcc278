"""Source that is deep, huge or in another encoding runs, or fails, with the words of plain Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from asyncdemo.capture.script.source import SourceError, compile_script
from tests.support.plain_and_traced import alike, plain, traced

OPERANDS = "+".join(["1"] * 1500)
BLOCKS = "".join(f"{' ' * depth}for _ in [1]:\n" for depth in range(1, 21)) + " " * 21 + "print(x)\n"

RUNS = {
    "operands": f"x = {OPERANDS}\nprint(x)\n",
    "operands in a function": f"def f(x):\n return x+{OPERANDS}\nprint(f(1))\n",
    "attributes": "class A: pass\na = A()\na.b = a\nprint(a" + ".b" * 1500 + " is a)\n",
    "branches": "x = 1\nif x == 0: pass\n" + "".join(f"elif x == {n}: pass\n" for n in range(2, 1500)),
    "lists": "print(" + "[" * 90 + "]" * 90 + ")\n",
    "negations": "x = " + "not " * 1500 + "1\nprint(x)\n",
    "blocks": f"def f(x):\n{BLOCKS}f(1)\n",
    "warnings": 'def f(): return "\\d"\nprint(1 is 1, f())\n',
}
FAILS = {
    "operands": "x = " + "+".join(["1"] * 100_000) + "\n",
    "calls": "x = f" + "()" * 10_000 + "\n",
    "lists": "x = " + "[" * 300 + "]" * 300 + "\n",
    "syntax": "x = (1,\n",
}
BYTES = {
    "latin-1": b'x = "\xe9"\n',
    "latin-1 in a comment": b"x = 1  # \xe9\ny = (\n",
    "a cookie": b'# coding: latin-1\nx = "\xe9"\nprint(ascii(x))\n',
    "an unknown cookie": b"# coding: nothing\nprint(1)\n",
    "utf-16": b"# coding: utf-16\nprint(1)\n",
    "a mark": b"\xef\xbb\xbfprint(1)\n",
    "a mark and another cookie": b"\xef\xbb\xbf# coding: latin-1\nprint(1)\n",
    "a null": b"print(1)\n\0x = 1\n",
    "a surrogate": b'x = "\xed\xa0\x80"\n',
    "line ends": b"x = 1\r\nprint(x)\r\n",
}


@pytest.mark.parametrize("lanes", [(), ("f",)], ids=["plain", "lanes"])
@pytest.mark.parametrize("name", RUNS)
def test_deep_script_runs(tmp_path: Path, name: str, lanes: tuple[str, ...]) -> None:
    source = RUNS[name] if "def f(" in RUNS[name] or not lanes else f"def f(): pass\n{RUNS[name]}"
    assert alike(tmp_path, source, lanes=lanes)[0].exit_code == 0


@pytest.mark.parametrize("name", FAILS)
def test_refused_script_fails_in_the_words_of_python(tmp_path: Path, name: str) -> None:
    assert alike(tmp_path, FAILS[name])[0].exit_code == 1


@pytest.mark.parametrize(
    ("name", "target"),
    [
        *((name, ("script.py",)) for name in BYTES),
        *((name, target) for name in ("latin-1", "a null") for target in (("-m", "script"), ("folder",))),
        *((name, ("-",)) for name in ("latin-1", "a null", "a mark")),
    ],
)
def test_encoding_is_read_as_python_reads_it(tmp_path: Path, name: str, target: tuple[str, ...]) -> None:
    (tmp_path / "script.py").write_bytes(BYTES[name])
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "__main__.py").write_bytes(BYTES[name])
    seen, _ = traced(*target, folder=tmp_path, stdin=BYTES[name])
    assert seen == plain(*target, folder=tmp_path, stdin=BYTES[name])


def test_deep_function_has_its_lane(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(RUNS["operands in a function"])
    _, run = traced("script.py", folder=tmp_path, lanes=("f",))
    assert [lane.name for lane in run.lanes] == ["f(1)"]


def test_knob_of_a_deep_script_is_set(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(f"CUPS = 3\nx = {OPERANDS}\nprint(CUPS)\n")
    seen, run = traced("script.py", folder=tmp_path, knobs={"CUPS": "4"})
    assert (seen.stdout, run.knobs) == ("4\n", {"CUPS": 4})


def test_function_that_allows_no_more_blocks_has_no_lane(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(RUNS["blocks"])
    seen, run = traced("script.py", folder=tmp_path, lanes=("f",))
    assert (seen.stdout, run.lanes) == ("1\n", ())
    assert any("ran without them" in note for note in run.notes)


def test_result_that_cannot_be_recorded_is_an_error() -> None:
    with pytest.raises(SourceError, match="nested too deeply"):
        compile_script(RUNS["blocks"], "script.py", ("f",), {}, results=True)


@pytest.mark.parametrize("follow", [False, True], ids=["alone", "with its processes"])
@pytest.mark.parametrize("name", ["operands", "warnings", "calls", "syntax"])
def test_imported_module_is_as_in_plain_python(tmp_path: Path, name: str, follow: bool) -> None:
    source = RUNS.get(name) or FAILS[name]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "script.py").write_text(source)
    (tmp_path / "script.py").write_text("import mine.script as one\nprint(one, one.__loader__)\n")
    uncached = {"PYTHONDONTWRITEBYTECODE": "1"}
    seen, _ = traced("script.py", folder=tmp_path, follow=follow, environment=uncached)
    assert seen == plain("script.py", folder=tmp_path, environment=uncached)
