"""Files that are no script, or not for long, and how they are called: what is said of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from asyncdemo.model import RunOutcome
from tests.hostile.traced import trace, trace_file

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256))
LATIN_1 = "print('caffè')".encode("latin-1")
KLINGON = b"# -*- coding: klingon -*-\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (PNG, "null bytes"),
        (LATIN_1, "SyntaxError"),
        (KLINGON, "unknown encoding"),
        (b"print('never closed'", "'(' was never closed"),
        (b"if True:\nprint('x')", "IndentationError"),
        (b"return 1", "'return' outside function"),
        (b"(" * 300, "too many nested parentheses"),
        (b"#!/bin/sh\necho not python here", "SyntaxError"),
    ],
    ids=["png", "latin-1", "coding", "unclosed", "indent", "return", "deep", "shell"],
)
def test_source_that_is_not_python_fails_without_a_traceback(
    tmp_path: Path, content: bytes, words: str
) -> None:
    traced = trace(tmp_path, content)
    assert traced.code == 1
    is_text = content not in (PNG, LATIN_1, KLINGON)
    fault = "has a syntax error" if is_text else "is not a Python script"
    assert any(fault in note for note in traced.recorded.notes)
    assert (fault in traced.words) is not is_text  # Python has said it
    assert traced.words.count(words) == 1 or not is_text
    assert "Traceback" not in traced.words
    assert traced.recorded.outcome is RunOutcome.FAILED
    assert traced.lanes == []


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf", b'"""Words."""'])
def test_a_script_that_does_nothing(tmp_path: Path, content: bytes) -> None:
    traced = trace(tmp_path, content)
    assert traced.code == 0
    assert traced.recorded.outcome is RunOutcome.OK


def test_windows_line_ends_and_no_last_one(tmp_path: Path) -> None:
    traced = trace(tmp_path, b"import sys\r\nprint('a')\r\nraise OSError('b')")
    assert traced.code == 1
    assert "line 3, in <module>" in traced.words


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [("missing.py", [], "There is no file"), ("none", ["-m"], "none"), ("folder", [], "__main__")],
)
def test_what_is_not_there(tmp_path: Path, name: str, options: list[str], words: str) -> None:
    (tmp_path / "folder").mkdir()
    traced = trace_file(tmp_path / name, *options)
    assert traced.code in {1, 2}
    assert words in traced.words and "Traceback" not in traced.words


def test_a_named_pipe_that_nobody_writes_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.py"
    os.mkfifo(pipe)
    traced = trace_file(pipe)
    assert traced.code == 1
    assert "pipe.py is neither a file nor a folder" in traced.words


@pytest.mark.parametrize(
    "change",
    [
        "os.remove(sys.argv[0])",
        "with open(sys.argv[0], 'wb') as file: file.write(b'\\x00\\xff not python' * 100)",
    ],
)
def test_a_script_that_changes_its_file(tmp_path: Path, change: str) -> None:
    text = f"""
import asyncio, os, sys
{change}
async def main(): await asyncio.sleep(0.01)
asyncio.run(main())
{{}}["milk"]
"""
    traced = trace(tmp_path, text, may_change=True)
    assert traced.code == 1
    assert "KeyError: 'milk'" in traced.words
    assert "Task-1 main" in traced.lanes


@pytest.mark.parametrize(
    ("name", "cwd"),
    [
        *((name, None) for name in ("asyncio.py", "socket.py")),
        # `python -m` itself imports these from where one is
        *((name, Path("/")) for name in ("types.py", "asyncdemo.py")),
    ],
)
def test_a_script_with_the_name_of_a_module(tmp_path: Path, name: str, cwd: Path | None) -> None:
    text = "import sys\nprint('ran', __name__)"
    traced = trace(tmp_path, text, name=name, cwd=cwd)
    assert traced.code == 0, traced.err
    assert "ran __main__" in traced.words


def test_neighbours_with_names_of_modules_that_the_tracer_uses(tmp_path: Path) -> None:
    for name in ("queue", "random", "selectors", "ssl", "subprocess", "socket", "wire"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('the neighbour was imported')")
    text = """
import asyncio
async def brew(): await asyncio.sleep(0.01)
asyncio.run(brew())
"""
    # under plain python asyncio would import these; the tracer had it before
    traced = trace(tmp_path, text)
    assert "the neighbour" not in traced.words
    assert traced.code == 0, traced.err


@pytest.mark.parametrize(
    "name",
    ["'quoted\".py", "caffè ☕.py", "-leading.py", "no_ending", "new\nline.py", "esc\x1b[31m.py"],
)
def test_names_of_files(tmp_path: Path, name: str) -> None:
    options = ["--"] if name.startswith("-") else []
    traced = trace(tmp_path, "print('ran')", *options, name=name)
    assert traced.code == 0, traced.err
    assert "ran" in traced.out
    assert "\x1b" not in traced.out
