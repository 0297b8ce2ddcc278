"""A script that starts itself again, or becomes another program: it can, and the run says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.plain_and_traced import alike, plain, traced

ITSELF = """
import subprocess, sys, os
print(sys.orig_argv[1:], sys.argv, flush=True)
if "AGAIN" not in os.environ:
    again = subprocess.call([sys.executable, *sys.orig_argv[1:]], env={**os.environ, "AGAIN": "1"})
    print(subprocess.call([sys.executable, "-c", "print('another')"]), flush=True)
    raise SystemExit(again + 1)
raise SystemExit(3)
"""
EXEC = """
import os, sys, threading
print(sys.orig_argv[1:], sys.argv, flush=True)
if "AGAIN" in os.environ:
    raise SystemExit(3)
def refused(call, *arguments):
    try:
        call(*arguments)
    except Exception as error:
        print(type(error).__name__, error, flush=True)
refused(os.execv, "/no/such/program", ["x"])
refused(os.execvp, "no-such-program", ["x"])
refused(os.execv, sys.executable, [])
refused(os.execv, sys.executable)
refused(os.execve, sys.executable, ["x"], None)
os.environ["AGAIN"] = "1"
print(os.execv, os.execve, callable(os.execv), flush=True)
CALL
"""
CALLS = [
    "os.execve(sys.executable, sys.orig_argv, os.environ)",
    "os.execl(sys.executable, *sys.orig_argv)",
]
WORKERS = """
import multiprocessing, concurrent.futures, sys
def work(): print("worked", flush=True)
if __name__ == "__main__":
    process = multiprocessing.get_context("spawn").Process(target=work)
    process.start()
    process.join()
"""
POOL = """
import multiprocessing, concurrent.futures, sys
if __name__ == "__main__":
    with concurrent.futures.ProcessPoolExecutor(1) as pool:
        print(pool.submit(sum, [1, 2]).result())
"""


@pytest.mark.parametrize("target", [("script.py", "a"), ("-m", "script", "a")], ids=" ".join)
def test_a_script_can_start_itself_again(tmp_path: Path, target: tuple[str, ...]) -> None:
    (tmp_path / "script.py").write_text(ITSELF)
    seen, run = traced(*target, folder=tmp_path)
    assert seen == plain(*target, folder=tmp_path)
    assert seen.exit_code == 4
    assert [note for note in run.notes if "started itself again" in note] == list(run.notes)
    assert len(run.notes) == 1


@pytest.mark.parametrize("call", CALLS)
def test_a_script_can_become_another_program(tmp_path: Path, call: str) -> None:
    seen, run = alike(tmp_path, EXEC.replace("CALL", call), "a")
    assert seen.exit_code == 3
    assert "os.exec" in run.notes[-1] and "The recording ends there" in run.notes[-1]
    assert "failed" not in run.notes[-1]


def test_processes_that_are_not_observed_are_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(WORKERS)
    _, run = traced("script.py", folder=tmp_path)
    assert [note for note in run.notes if "multiprocessing" in note] == list(run.notes) != []
    _, run = traced("script.py", folder=tmp_path, follow=True)
    assert run.notes == ()
    (tmp_path / "script.py").write_text(POOL)
    _, run = traced("script.py", folder=tmp_path)
    assert run.notes == ()
