"""Tracing changes nothing of what a script can see of how it was started: plain and traced, byte for byte.

Files, modules, folders, zip files, compiled files and standard input, with the options of Python itself.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipapp
from pathlib import Path

import pytest

from asyncdemo.recording.options import interpreter_flags
from tests.support.plain_and_traced import PYTHON, plain, traced

LOOKS_ABOUT = """
import sys, warnings
print([(name, value) for name, value in globals().items() if name not in ("sys", "warnings")])
print(sys.argv, sys.orig_argv[1:], sys.path, sys.executable)
print(sys.flags, sys._xoptions, sys.warnoptions, warnings.filters, sys.pycache_prefix)
print(sys.stdout.write_through, sys.stdin.read())
import atexit, threading, time
def late():
    threading.main_thread().join()
    print("late", sorted(name for name in globals() if name.startswith("__")))
threading.Thread(target=late).start()
atexit.register(lambda: print("at exit", sorted(name for name in globals() if name.startswith("__"))))
from multiprocessing.util import _args_from_interpreter_flags
print(_args_from_interpreter_flags())
def documented():
    "words"
try:
    assert False
except AssertionError:
    print("asserted")
print(documented.__doc__)
def fails():
    raise ValueError("the end")
fails()
"""
ANNOTATED = """
number: int = 1
text: "str"
import sys
print(sys.modules["__main__"].__annotations__)
print(sorted(name for name in globals() if name.startswith("__")))
"""


@pytest.fixture(scope="module")
def forms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Has the script in each of the forms that Python runs."""
    folder = tmp_path_factory.mktemp("forms")
    (folder / "script.py").write_text(LOOKS_ABOUT)
    (folder / "packed").mkdir()
    (folder / "packed" / "__main__.py").write_text(LOOKS_ABOUT)
    (folder / "packed" / "__init__.py").write_text("import sys\nprint('imported', sys.argv)\n")
    (folder / "packed" / "module.py").write_text(LOOKS_ABOUT)
    (folder / "spaced").mkdir()
    (folder / "spaced" / "module.py").write_text(LOOKS_ABOUT)
    (folder / "link.py").symlink_to("spaced/module.py")
    zipapp.create_archive(folder / "packed", folder / "app.pyz")
    for name in ("compiled.pyc", "no_ending"):
        compile_it = f"import py_compile; py_compile.compile('script.py', {name!r})"
        subprocess.run([PYTHON, "-c", compile_it], cwd=folder, check=True)
    return folder


@pytest.fixture
def folder(forms: Path, tmp_path: Path) -> Path:
    return shutil.copytree(forms, tmp_path / "folder", symlinks=True)


TARGETS = [
    ("script.py",),
    ("./script.py",),
    ("spaced/../spaced/module.py",),
    ("link.py",),
    ("-m", "script"),
    ("-m", "packed"),
    ("-m", "packed.module"),
    ("-m", "spaced.module"),
    ("packed",),
    ("app.pyz",),
    ("compiled.pyc",),
    ("no_ending",),
    ("-",),
]


@pytest.mark.parametrize("target", TARGETS, ids=" ".join)
def test_how_it_was_started(folder: Path, target: tuple[str, ...]) -> None:
    stdin = LOOKS_ABOUT.encode() if target == ("-",) else b"words"
    seen, _ = traced(*target, "an", "--argument", folder=folder, stdin=stdin)
    assert seen == plain(*target, "an", "--argument", folder=folder, stdin=stdin)
    assert seen.exit_code == 1 and "ValueError: the end" in seen.stderr


FLAGS = [
    "-X dev",
    "-O -W error -B -q",
    "-OO -bb -W error::BytesWarning -u",
    "-I -X utf8=0",
    "-E -s -X utf8 -X frozen_modules=off",
    "-S",
    "-P -X no_debug_ranges -X int_max_str_digits=0",
    "-X warn_default_encoding -W error",
    "-X pycache_prefix=elsewhere -X of_its_own=1",
]
"""Each option once: what they change is printed apart."""


@pytest.mark.parametrize("flags", FLAGS)
def test_options_of_python(folder: Path, flags: str) -> None:
    seen, _ = traced("script.py", folder=folder, flags=flags.split())
    assert seen == plain("script.py", folder=folder, flags=flags.split())


@pytest.mark.parametrize("target", [("-m", "packed"), ("app.pyz",), ("-",)], ids=" ".join)
def test_a_safe_path_has_no_folder_of_the_script(folder: Path, target: tuple[str, ...]) -> None:
    """A module that is not found is an error of use, so it is found by PYTHONPATH here."""
    safe = {"PYTHONSAFEPATH": "1", "PYTHONPATH": str(folder)}
    stdin = LOOKS_ABOUT.encode() if target == ("-",) else b""
    seen, _ = traced(*target, folder=folder, environment=safe, stdin=stdin)
    assert seen == plain(*target, folder=folder, environment=safe, stdin=stdin)


@pytest.mark.parametrize("target", [("script.py",), ("-m", "script")], ids=" ".join)
def test_annotations_of_the_main_module(tmp_path: Path, target: tuple[str, ...]) -> None:
    (tmp_path / "script.py").write_text(ANNOTATED)
    seen, _ = traced(*target, folder=tmp_path)
    assert seen == plain(*target, folder=tmp_path)
    assert "number" in seen.stdout


WORKERS = """
import multiprocessing, sys
def look(queue):
    main = sys.modules["__main__"]
    queue.put((sys.argv, sys.orig_argv[1:6:2], str(sys.flags), sys.path[0], sorted(vars(main)), str(main)))
if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=look, args=(queue,))
    process.start()
    print(queue.get(timeout=60))
    process.join()
"""


@pytest.mark.parametrize("follow", [False, True])
def test_a_spawned_worker(tmp_path: Path, follow: bool) -> None:
    (tmp_path / "script.py").write_text(WORKERS)
    flags = ["-X", "dev", "-W", "error::UserWarning"]
    seen, _ = traced("script.py", folder=tmp_path, follow=follow, flags=flags)
    expected = plain("script.py", folder=tmp_path, flags=flags)
    assert seen.stdout == expected.stdout
    assert seen.exit_code == expected.exit_code == 0


def test_a_compiled_file_runs_without_rows_of_calls(folder: Path) -> None:
    _, run = traced("compiled.pyc", folder=folder)
    assert run.notes == ("There is no source for compiled.pyc, so the compiled code ran.",)
    assert [lane.name for lane in run.lanes][:1] == ["MainThread"]


@pytest.mark.parametrize(
    ("command", "flags", "refused"),
    [
        ("python -m asyncdemo trace -X", (), ()),
        ("python -X dev -m asyncdemo", ("-X", "dev"), ()),
        ("python -Xdev -OO -Werror -masyncdemo", ("-X", "dev", "-O", "-O", "-W", "error"), ()),
        ("python -IBu -m asyncdemo", ("-I", "-B", "-u"), ()),
        ("python -ix -u -m asyncdemo", ("-u",), ("-i", "-x")),
        ("python -BIm asyncdemo", ("-B", "-I"), ()),
        ("python --check-hash-based-pycs always -m asyncdemo", ("--check-hash-based-pycs", "always"), ()),
        ("python -sP -X dev /usr/bin/asyncdemo trace -O x.py", ("-X", "dev"), ()),
        ("python /usr/bin/asyncdemo trace -O x.py", (), ()),
    ],
)
def test_which_options_are_for_the_script(
    command: str, flags: tuple[str, ...], refused: tuple[str, ...]
) -> None:
    assert interpreter_flags(command.split()) == (flags, refused)


@pytest.mark.parametrize(
    ("source", "flags"),
    [
        ("print(__name__, __import__('sys').argv)", "-B"),
        ("1 / 0", "-B"),
        ("raise SystemExit(7)", "-B"),
        ("import package.module", "-B"),
        ("import package.module", "-W error"),
        ("__path__.insert(0, 'moved')", "-B"),
        ("def broken(", "-B"),
    ],
)
def test_a_package_that_is_imported_on_the_way(tmp_path: Path, source: str, flags: str) -> None:
    for folder in ("package", "moved"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "module.py").write_text(f"print('in', __file__)\nprint({folder!r})\n")
    (tmp_path / "package" / "__init__.py").write_text(source)
    target = ("-m", "package.module", "an")
    seen, run = traced(*target, folder=tmp_path, flags=flags.split())
    assert seen == plain(*target, folder=tmp_path, flags=flags.split())
    assert any("moved it" in note for note in run.notes) == ("moved" in source)


def test_what_a_package_imports_is_observed(tmp_path: Path) -> None:
    (tmp_path / "package" / "spaced").mkdir(parents=True)
    (tmp_path / "package" / "__init__.py").write_text("from time import sleep\n")
    (tmp_path / "package" / "spaced" / "module.py").write_text("from .. import sleep\nsleep(0.05)\n")
    _, run = traced("-m", "package.spaced.module", folder=tmp_path)
    (lane,) = run.lanes
    assert "sleep" in {span.wait.reason for span in lane.spans}


def test_utf8_mode_is_on_in_the_locale_c(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import os, sys; print(sys.flags.utf8_mode, 'PYTHONUTF8' in os.environ)\n")
    others = "LC_ALL", "LC_CTYPE", "PYTHONUTF8"
    environment = {name: value for name, value in os.environ.items() if name not in others} | {"LANG": "C"}
    commands = [[sys.executable], [sys.executable, "-m", "asyncdemo", "trace", "--plain"]]
    first, second = (
        subprocess.run(
            [*command, os.fspath(script)], env=environment, stdout=subprocess.PIPE, check=True
        ).stdout.splitlines()[0]
        for command in commands
    )
    assert first == second == b"1 False"
