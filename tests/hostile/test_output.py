"""Scripts that write too much, nowhere, or what is no text; and what that does to the report."""

from __future__ import annotations

from pathlib import Path

import pytest

from asyncdemo.model import RunOutcome
from tests.hostile.traced import trace

pytestmark = pytest.mark.slow

AFTER = """
import asyncio
async def after(): await asyncio.sleep(0.05)
asyncio.run(after())
"""
"""Work that has to be recorded although its output is gone."""


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "json"])
def test_tens_of_megabytes(tmp_path: Path, plain: bool) -> None:
    text = f"""
import sys
line = "coffee " * 1000
for _ in range(4000):
    print(line)
    print("tea", file=sys.stderr)
{AFTER}
"""
    traced = trace(tmp_path, text, plain=plain)
    assert traced.code == 0
    wrote = traced.out if plain else traced.err
    assert wrote.count("coffee") == 4_000_000
    assert traced.err.count("tea\n") == 4000
    assert "Task-1 after" in traced.lanes


@pytest.mark.parametrize(
    "closing",
    [
        "sys.stdout.close()",
        "sys.stderr.close()",
        "os.close(1)",
        "os.close(2)",
        "os.close(0); os.close(1); os.close(2)",
        "sys.stdout = None",
        "sys.stdout = sys.stderr = sys.stdin = None",
        "del sys.stdout, sys.stderr",
        "sys.stdout = open(os.devnull, 'w')",
        "os.dup2(os.open(os.devnull, os.O_WRONLY), 1)",
    ],
)
def test_streams_that_are_closed_or_replaced(tmp_path: Path, closing: str) -> None:
    traced = trace(tmp_path, f"import os, sys\n{closing}\n{AFTER}")
    assert "Task-1 after" in traced.lanes
    assert traced.recorded.exit_code is not None
    assert "script: " in traced.out


def test_script_that_closes_all_files_continues_and_is_recorded(tmp_path: Path) -> None:
    text = f"""
import asyncio, os, time
async def before(): await asyncio.sleep(0.2)
asyncio.run(before())
os.closerange(3, 4096)
{AFTER}
with open("done", "w") as file:
    file.write("done")
"""
    traced = trace(tmp_path, text)
    assert (tmp_path / "done").read_text() == "done"
    assert traced.code == 0
    assert "Task-1 before" in traced.lanes
    assert "last events may be missing" in traced.words


def test_a_script_that_takes_our_place_among_its_files(tmp_path: Path) -> None:
    """What it then writes there goes where it should, and nothing of ours into its file."""
    text = f"""
import os
os.closerange(3, 4096)
files = [open(f"file{{n}}", "w+b") for n in range(300)]
{AFTER}
import time
time.sleep(0.3)
for file in files:
    file.flush()
    assert os.fstat(file.fileno()).st_size == 0
"""
    traced = trace(tmp_path, text)
    assert traced.code == 0, traced.err
    assert sum(file.stat().st_size for file in tmp_path.glob("file*")) == 0


def test_output_that_is_no_text(tmp_path: Path) -> None:
    text = "import sys\nsys.stdout.buffer.write(bytes(range(256)) * 100)\nsys.stdout.flush()"
    traced = trace(tmp_path, text)
    assert traced.code == 0
    assert "�" in traced.out


def test_a_reader_that_leaves(tmp_path: Path) -> None:
    """The script's stdout is closed at the other end: it ends as it would under plain python."""
    text = """
import os, sys
r, w = os.pipe()
os.close(r)
os.dup2(w, 1)
print("to nobody", flush=True)
"""
    traced = trace(tmp_path, text)
    assert traced.recorded.outcome is RunOutcome.FAILED
    assert "BrokenPipeError" in traced.err


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "json"])
def test_names_that_are_no_names(tmp_path: Path, plain: bool) -> None:
    """Control characters in names reach no terminal."""
    text = """
import asyncio, threading, time

class Loud(str):
    def __repr__(self): raise RuntimeError("do not call")
    __str__ = __repr__

async def brew(cup): await asyncio.sleep(0.01)

async def main():
    names = ["\\x1b[2J\\x1b[31mred", "\\x00\\x07bell", "coffee \\u2615 \\U0001F468\\u200D\\U0001F469",
             "a\\nb\\rc", "\\ud800 alone", "x" * 100_000, "\\u202e right to left", ""]
    tasks = [asyncio.create_task(brew(n), name=n) for n in names]
    await asyncio.gather(*tasks)

asyncio.run(main())
thread = threading.Thread(target=time.sleep, args=(0.01,), name="\\x1b]0;title\\x07")
thread.start()
thread.join()
"""
    traced = trace(tmp_path, text, *(["--lane", "brew"] if not plain else []), plain=plain)
    assert traced.code == 0, traced.err
    assert len(traced.recorded.lanes) >= 8
    assert not set(traced.out) & set("\x1b\x00\x07\r\u202e")
