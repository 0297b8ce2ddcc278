"""``trace``: a script of one's own, with its arguments, its output and its exit code."""

from __future__ import annotations

import errno
import py_compile
import sys
import zipapp
from pathlib import Path

import pytest

from asyncdemo.cli import trace
from asyncdemo.store import load
from tests.cli.commands import Done, in_process, program

CHATTY = """\
import asyncio
import sys

JOBS = 3


async def work(n: int) -> None:
    print(f"work {n} {{")
    await asyncio.sleep(0.01)


async def main() -> None:
    await asyncio.gather(*(work(n) for n in range(JOBS)))


if __name__ == "__main__":
    print("arguments:", sys.argv[1:])
    asyncio.run(main())
"""


@pytest.fixture
def chatty(tmp_path: Path) -> Path:
    script = tmp_path / "chatty.py"
    script.write_text(CHATTY)
    return script


@pytest.mark.parametrize(
    ("after", "passed_on"),
    [
        (["x y", "--json", "-m", "--", "--lane=work"], ["x y", "--json", "-m", "--", "--lane=work"]),
        (["--", "--json", "--", "x"], ["--json", "--", "x"]),
        (["-m", "--json"], ["-m", "--json"]),
        (["--help"], ["--help"]),
        (["-h"], ["-h"]),
        (["--unknown", "--json"], ["--unknown", "--json"]),
    ],
)
def test_what_stands_after_the_script_goes_to_the_script(after: list[str], passed_on: list[str]) -> None:
    given = trace.command.make_context("trace", ["--json", "chatty.py", *after]).params
    assert (given["script"], given["args"], given["as_json"]) == ("chatty.py", tuple(passed_on), True)


def test_trace_options_may_follow_the_script_and_json_is_clean(
    chatty: Path,
) -> None:
    done = in_process("trace", chatty, "--json", "--lane", "work", "--set=JOBS=2", "x", "--json")
    assert done.code == 0
    assert (done.data["script"], done.data["run"]["lanes"]) == (str(chatty), 2)
    assert "arguments: ['x', '--json']" in done.err
    assert "work 0 {" in done.err


def test_script_keeps_its_stdout_and_a_recording_holds_the_run(chatty: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    done = in_process("trace", "--lane", "work", "--save", file, chatty)
    assert done.code == 0
    assert "work 0 {\nwork 1 {\nwork 2 {\n" in done.out
    assert done.out.index("work 2 {") < done.out.index("chatty: ")
    assert f"saved {file}" in done.err
    assert [lane.name for lane in load(file).lanes] == ["work(0)", "work(1)", "work(2)"]


def test_a_module_is_traced_as_under_python_m(tmp_path: Path) -> None:
    package = tmp_path / "tool"
    package.mkdir()
    (package / "__init__.py").write_text("NAME = 'tool'\n")
    (package / "__main__.py").write_text("import sys\nfrom . import NAME\nprint(NAME, sys.argv[1:])\n")
    done = in_process("trace", "--json", "-m", "tool", "-v", cwd=tmp_path)
    assert done.code == 0
    assert "tool ['-v']" in done.err
    assert done.data["script"] == "tool"


@pytest.mark.parametrize(
    ("options", "answer"),
    [
        (["--set", "CUPS=1"], "JOBS"),
        (["--set", "JOBS=many"], "JOBS"),
        (["--set", "JOBS"], "NAME=VALUE"),
        (["--lane", "wrok"], "wrok"),
        (["--timeout", "0"], "--timeout"),
        (["--timeout", "soon"], "--timeout"),
        (["--lnae", "work"], "--lane"),
        (["--save", "no/such/folder/run.jsonl"], "there is no folder"),
        (["chatty.py", "--save"], "--save"),
    ],
)
def test_wrong_use_is_answered_with_what_would_be_right(
    chatty: Path, options: list[str], answer: str
) -> None:
    done = in_process("trace", *options, *["chatty.py"] * ("chatty.py" not in options), cwd=chatty.parent)
    assert (done.code, done.out) == (2, "")
    assert answer in done.err
    assert "Traceback" not in done.err
    assert [path.name for path in chatty.parent.iterdir()] == ["chatty.py"]


@pytest.mark.parametrize(
    "ending",
    ["raise ValueError('so')", "exit(7)", "import asyncio\nasync def f():\n    exit(3)\nasyncio.run(f())"],
)
def test_failing_script_gives_trace_its_exit_code_and_traceback(tmp_path: Path, ending: str) -> None:
    script = tmp_path / "fails.py"
    script.write_text(f"{ending}\n")
    bare = program(sys.executable, script)
    done = in_process("trace", "--json", script)
    assert done.code == 1
    assert done.data["run"]["outcome"] == "failed"
    assert (done.data["run"]["exit_code"], done.err) == (bare.code, bare.err)


def test_option_after_a_failed_script_is_pointed_out(tmp_path: Path) -> None:
    script = tmp_path / "strict.py"
    script.write_text("import argparse\nargparse.ArgumentParser().parse_args()\n")
    done = in_process("trace", script, "--quick", "--plain")
    assert done.code == 1
    assert (
        f"--plain was passed to {script}. Options of trace go before the script or right after it."
        in done.err
    )


def test_virtual_time_does_not_wait(tmp_path: Path) -> None:
    script = tmp_path / "long.py"
    script.write_text("import asyncio\n\nasyncio.run(asyncio.sleep(3600))\n")
    done = in_process("trace", "--virtual", "--json", script)
    assert done.data["run"]["clock"] == "virtual"
    assert 3600 <= done.data["run"]["wall_s"] < 3601


def test_a_pytest_with_warnings_as_errors(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\naddopts = -p no:cacheprovider\n")
    (tmp_path / "test_it.py").write_text(
        "def test_it():\n    try:\n        assert [1] == [2]\n    except AssertionError as error:\n"
        "        assert 'At index 0 diff' in str(error)\n"
    )
    done = in_process("trace", "--json", "-m", "pytest", "-q", "-W", "error", cwd=tmp_path)
    assert done.code == 0, done.err
    assert "1 passed" in done.err and "warning" not in done.err


def test_python_options_reach_the_script_unless_impossible(tmp_path: Path) -> None:
    (tmp_path / "flags.py").write_text(
        "import sys\nprint(sys.orig_argv[1:], sys.flags.dev_mode, sys.flags.optimize, __debug__)\n"
    )

    def python(*arguments: str) -> Done:
        return program(sys.executable, *arguments, cwd=tmp_path)

    trace = ["-m", "asyncdemo", "trace", "--plain", "flags.py"]
    done = python("-X", "dev", "-OW", "error", *trace, "-O")
    expected = python("-X", "dev", "-O", "-W", "error", "flags.py", "-O")
    assert done.out.startswith(expected.out)
    assert (done.code, done.err) == (0, "")
    done = python("-x", "-O", *trace)
    assert done.out.startswith("['-O', 'flags.py'] False 1 False")
    assert done.err == "-x is not passed on: flags.py runs without it.\n"


def test_a_script_from_standard_input_or_one_that_reads_it(tmp_path: Path) -> None:
    done = in_process("trace", "--json", "-", "an", "--argument", cwd=tmp_path, stdin=CHATTY)
    assert done.code == 0, done.err
    assert "arguments: ['an', '--argument']" in done.err
    assert done.data["script"] == "-"
    done = in_process("trace", "--plain", "--details", "--lane", "work", "-", cwd=tmp_path, stdin=CHATTY)
    assert "work(2)" in done.out
    (tmp_path / "reads.py").write_text("print('got', input())\n")
    assert "got this" in in_process("trace", tmp_path / "reads.py", stdin="this\n").out


def test_syntax_error_is_reported_once_and_recorded(tmp_path: Path) -> None:
    script, saved = tmp_path / "broken.py", tmp_path / "broken.jsonl"
    script.write_text("def f(:\n    pass\n")
    done = in_process("trace", "--plain", "--save", saved, script)
    assert done.code == 1
    assert (done.out + done.err).count("invalid syntax") == 1
    assert done.out == "broken: failed with exit code 1; no lanes: nothing was recorded\n"
    assert "broken.py has a syntax error: " in in_process("show", "--plain", saved).out


@pytest.mark.parametrize("name", ["app.pyz", "chatty.pyc", "folder"])
def test_what_else_python_runs(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    main = tmp_path / "folder" / "__main__.py"
    main.write_text(CHATTY)
    py_compile.compile(str(main), str(tmp_path / "chatty.pyc"))
    zipapp.create_archive(tmp_path / "folder", tmp_path / "app.pyz")
    lanes = () if name == "chatty.pyc" else ("--lane", "work")
    done = in_process("trace", "--json", *lanes, name, "an", cwd=tmp_path)
    assert done.code == 0, done.err
    assert "arguments: ['an']" in done.err
    assert done.data["run"]["lanes"] == (3 if lanes else 4)


def test_a_compiled_file_without_its_source_or_of_another_python(tmp_path: Path) -> None:
    (tmp_path / "chatty.py").write_text(CHATTY)
    py_compile.compile(str(tmp_path / "chatty.py"), str(tmp_path / "chatty.pyc"))
    (tmp_path / "other.pyc").write_bytes(b"\x00\x0d\x0d\x0a" + bytes(40))
    for arguments, words in (
        (["--lane", "work", "chatty.pyc"], "no source for chatty.pyc"),
        (["other.pyc"], "other.pyc was compiled by another version of Python."),
    ):
        done = in_process("trace", "--json", *arguments, cwd=tmp_path)
        assert (done.code, done.out) == (2, "")
        assert words in done.err


@pytest.mark.parametrize(
    ("called", "error", "words"),
    [
        ("subprocess.Popen", OSError(errno.EMFILE, "Too many open files"), "Too many open files. Raise"),
        ("subprocess.Popen", OSError(errno.EAGAIN, "Try again"), "ulimit -u"),
        ("os.openpty", OSError(errno.ENOSPC, "No space left on device"), "close some terminals"),
    ],
)
def test_exhausted_system_is_one_line(
    chatty: Path, monkeypatch: pytest.MonkeyPatch, called: str, error: OSError, words: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(called, fail)
    done = in_process("schedules", chatty)
    assert done.code == 3
    assert words in " ".join(done.err.split())
