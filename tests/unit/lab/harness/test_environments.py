"""Environments of their own: made once, whole or not at all; pip is played by the tests."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from asyncdemo.lab.harness import Unavailable, environments
from asyncdemo.lab.harness.environments import ENVIRONMENTS, Progress, interpreter_of, is_made

NAMES = list(ENVIRONMENTS)
LOCKS = sorted(Path(environments.__file__).with_name("environments").glob("*.txt"))


class Pip:
    """Notes what it was asked to run. fails_at: it has a problem with the first command with this word."""

    def __init__(self) -> None:
        self.commands: list[list[str]] = []
        self.fails_at = ""
        self.interrupted = False

    def __call__(self, command: list[str], on_line: Callable[[str], None] = lambda _: None) -> str:
        self.commands.append(command)
        if self.interrupted:
            raise KeyboardInterrupt
        if self.fails_at and any(self.fails_at in word for word in command):
            return "no network"
        if "venv" in command:
            python = Path(command[-1]) / "bin" / "python"
            python.parent.mkdir()
            python.touch()
        if "pip" in command:
            for line in ("Collecting one==1.0", "Installing collected packages: one", "something else"):
                on_line(line)
        return ""

    @property
    def made(self) -> int:
        return sum("venv" in command for command in self.commands)


@pytest.fixture(autouse=True)
def pip(monkeypatch: pytest.MonkeyPatch) -> Pip:
    """Some need a Python that is older than ours may be."""
    for name, recipe in ENVIRONMENTS.items():
        monkeypatch.setitem(ENVIRONMENTS, name, replace(recipe, newest=sys.version_info[:2]))
    played = Pip()
    monkeypatch.setattr(environments, "run", played)
    return played


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "asyncdemo" / "environments"


def folders(cache: Path) -> list[Path]:
    return [path for path in cache.iterdir() if path.is_dir()]


@pytest.mark.parametrize("name", NAMES)
def test_environment_is_made_once_and_recognized_by_its_lock(name: str, pip: Pip, cache: Path) -> None:
    versions = ENVIRONMENTS[name].versions()
    text = LOCKS[0].with_name(f"{name}.in").read_text(encoding="utf-8")
    asked = [line.partition("==") for line in text.splitlines() if not line.startswith("#")]
    assert {package for package, _, _ in asked} <= versions.keys()
    assert {package: version for package, _, version in asked if version}.items() <= versions.items()
    assert not is_made(name)
    first = interpreter_of(name)
    assert interpreter_of(name) == first and is_made(name)
    assert pip.made == 1
    assert folders(cache) == [first.parent.parent]


def test_two_who_ask_at_once_wait_for_one_that_makes_it(pip: Pip) -> None:
    both = threading.Barrier(2)
    got: list[Path] = []

    def ask() -> None:
        both.wait()
        got.append(interpreter_of("aioflask"))

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got[0] == got[1]
    assert pip.made == 1


def test_only_what_has_a_hash_is_installed(pip: Pip) -> None:
    interpreter_of("meinheld")
    installs = [command for command in pip.commands if "install" in command]
    assert [Path(command[-1]).name for command in installs] == ["build.txt", "meinheld.txt"]
    assert all({"--require-hashes", "--no-deps", "--no-build-isolation"} <= {*one} for one in installs)


def test_progress_is_reported_by_steps_up_to_the_last() -> None:
    steps: list[Progress] = []
    interpreter_of("aioflask", steps.append)
    whats = ["making an environment", "getting one", "installing", "checking it"]
    assert [step.what for step in steps] == whats
    assert [step.done for step in steps] == [0, 1, 2, 3]
    assert all(step.done < step.of == steps[0].of for step in steps)


@pytest.mark.parametrize("fails_at", ["venv", "install", "import "])
def test_failed_installation_is_unavailable_and_leaves_nothing(fails_at: str, pip: Pip, cache: Path) -> None:
    pip.fails_at = fails_at
    with pytest.raises(Unavailable, match="could not be installed: no network") as caught:
        interpreter_of("meinheld")
    assert caught.value.successor == "Gunicorn with gevent workers"
    assert folders(cache) == []


def test_interrupted_installation_leaves_nothing_and_is_repeated(pip: Pip, cache: Path) -> None:
    pip.interrupted = True
    with pytest.raises(KeyboardInterrupt):
        interpreter_of("meinheld")
    assert folders(cache) == []
    pip.interrupted = False
    interpreter_of("meinheld")
    assert len(folders(cache)) == 1


def test_leftovers_are_removed_and_a_missing_python_is_remade(pip: Pip, cache: Path) -> None:
    (cache / ".aioflask-left").mkdir(parents=True)
    python = interpreter_of("aioflask")
    assert len(folders(cache)) == 1
    python.unlink()
    assert interpreter_of("aioflask") == python
    assert pip.made == 2 and python.exists()


def test_another_lock_is_another_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    first = interpreter_of("aioflask")
    monkeypatch.setitem(ENVIRONMENTS, "aioflask", replace(ENVIRONMENTS["aioflask"], is_built=True))
    assert interpreter_of("aioflask") != first


def test_without_a_python_that_is_old_enough_it_is_unavailable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(ENVIRONMENTS, "aioflask", replace(ENVIRONMENTS["aioflask"], newest=(3, 10)))
    with pytest.raises(Unavailable, match=r"needs a Python not newer than 3\.10, and none is on PATH"):
        interpreter_of("aioflask")


def test_a_cache_that_cannot_be_written_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(Unavailable, match="can be made in"):
        interpreter_of("aioflask")


def test_every_environment_has_a_lock_with_hashes_and_no_address() -> None:
    assert {lock.stem for lock in LOCKS} == {*NAMES, "build"}
    for lock in LOCKS:
        assert lock.with_suffix(".in").is_file()
        text = lock.read_text(encoding="utf-8")
        packages = re.split(r"^(?=[\w.-]+==)", text, flags=re.MULTILINE)[1:]
        assert packages
        assert all(re.search(r"--hash=sha256:[0-9a-f]{64}", package) for package in packages)
        assert "://" not in text


def test_pip_is_quoted_by_its_errors_and_not_by_its_hints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    command = ["/bin/sh", "-c", "echo 'error: no compiler'; echo 'hint: see above'; exit 1"]
    heard: list[str] = []
    assert environments.run(command, heard.append) == "error: no compiler"
    assert heard == ["error: no compiler", "hint: see above"]
    assert environments.run(["/bin/sh", "-c", "echo fine"]) == ""
    assert "No such file" in environments.run(["/no/such/program"])
