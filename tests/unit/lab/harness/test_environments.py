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
from asyncdemo.lab.harness.environments import ENVIRONMENTS, Progress, interpreter_of

NAMES = list(ENVIRONMENTS)
LOCKS = sorted(Path(environments.__file__).with_name("environments").glob("*.txt"))


class Pip:
    """Notes what it was asked to run. problem: what it says to the first command with this word in it."""

    def __init__(self, fails_at: str = "", problem: str = "no network") -> None:
        self.commands: list[list[str]] = []
        self._fails_at = fails_at
        self._problem = problem

    def __call__(self, command: list[str], hear: Callable[[str], None]) -> str:
        self.commands.append(command)
        if self._fails_at and any(self._fails_at in word for word in command):
            return self._problem
        if "venv" in command:
            python = Path(command[-1]) / "bin" / "python"
            python.parent.mkdir()
            python.touch()
        if "pip" in command:
            for line in ("Collecting one==1.0", "Installing collected packages: one", "something else"):
                hear(line)
        return ""

    @property
    def made(self) -> int:
        return sum("venv" in command for command in self.commands)


@pytest.fixture(autouse=True)
def old_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some need a Python that is older than ours may be."""
    for name, recipe in ENVIRONMENTS.items():
        monkeypatch.setitem(ENVIRONMENTS, name, replace(recipe, newest=sys.version_info[:2]))


@pytest.mark.parametrize("name", NAMES)
def test_an_environment_is_made_once(name: str, tmp_path: Path) -> None:
    pip = Pip()
    first = interpreter_of(name, cache=tmp_path, run=pip)
    assert interpreter_of(name, cache=tmp_path, run=pip) == first
    assert pip.made == 1
    assert first.parent.parent.parent == tmp_path


def test_two_who_ask_at_once_wait_for_one_that_makes_it(tmp_path: Path) -> None:
    both, pip = threading.Barrier(2), Pip()
    got: list[Path] = []

    def ask() -> None:
        both.wait()
        got.append(interpreter_of("aioflask", cache=tmp_path, run=pip))

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got[0] == got[1]
    assert pip.made == 1


def test_only_what_has_a_hash_is_installed(tmp_path: Path) -> None:
    pip = Pip()
    interpreter_of("meinheld", cache=tmp_path, run=pip)
    installs = [command for command in pip.commands if "install" in command]
    assert [Path(command[-1]).name for command in installs] == ["build.txt", "meinheld.txt"]
    assert all({"--require-hashes", "--no-deps", "--no-build-isolation"} <= {*one} for one in installs)


def test_progress_is_told_by_steps_up_to_the_last(tmp_path: Path) -> None:
    told: list[Progress] = []
    interpreter_of("aioflask", told.append, tmp_path, Pip())
    whats = ["making an environment", "getting one", "installing", "checking it"]
    assert [step.what for step in told] == whats
    assert [step.done for step in told] == [0, 1, 2, 3]
    assert len({step.of for step in told}) == 1
    assert all(step.done < step.of for step in told)


@pytest.mark.parametrize("fails_at", ["venv", "install", "import "])
def test_what_cannot_be_installed_is_unavailable_and_leaves_nothing(fails_at: str, tmp_path: Path) -> None:
    pip = Pip(fails_at)
    with pytest.raises(Unavailable, match="could not be installed: no network") as caught:
        interpreter_of("meinheld", cache=tmp_path, run=pip)
    assert caught.value.successor == "Gunicorn with gevent workers"
    assert [path for path in tmp_path.iterdir() if path.is_dir()] == []
    again = Pip()
    interpreter_of("meinheld", cache=tmp_path, run=again)
    assert again.made == 1


def test_one_that_is_interrupted_leaves_nothing(tmp_path: Path) -> None:
    def interrupted(command: list[str], hear: Callable[[str], None]) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interpreter_of("meinheld", cache=tmp_path, run=interrupted)
    assert [path for path in tmp_path.iterdir() if path.is_dir()] == []


def test_what_a_killed_one_left_is_removed_by_the_next(tmp_path: Path) -> None:
    left = tmp_path / ".aioflask-left"
    left.mkdir()
    interpreter_of("aioflask", cache=tmp_path, run=Pip())
    assert not left.exists()


def test_one_whose_python_was_removed_is_made_anew(tmp_path: Path) -> None:
    python = interpreter_of("aioflask", cache=tmp_path, run=Pip())
    python.unlink()
    again = Pip()
    assert interpreter_of("aioflask", cache=tmp_path, run=again) == python
    assert again.made == 1
    assert python.exists()


@pytest.mark.parametrize("name", NAMES)
def test_its_versions_are_known_before_it_is_made(name: str) -> None:
    """They are those of its lock."""
    versions = ENVIRONMENTS[name].versions()
    assert all(re.fullmatch(r"[\d.]+", version) for version in versions.values())
    text = LOCKS[0].with_name(f"{name}.in").read_text(encoding="utf-8")
    asked = [line.partition("==") for line in text.splitlines() if not line.startswith("#")]
    assert {package for package, _, _ in asked} <= versions.keys()
    pinned = {package: version for package, _, version in asked if version}
    assert pinned.items() <= versions.items()


def test_another_lock_is_another_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = interpreter_of("aioflask", cache=tmp_path, run=Pip())
    monkeypatch.setitem(ENVIRONMENTS, "aioflask", replace(ENVIRONMENTS["aioflask"], is_built=True))
    assert interpreter_of("aioflask", cache=tmp_path, run=Pip()) != first


def test_without_a_python_that_is_old_enough_it_is_unavailable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(ENVIRONMENTS, "aioflask", replace(ENVIRONMENTS["aioflask"], newest=(3, 10)))
    with pytest.raises(Unavailable, match=r"needs a Python not newer than 3\.10, and none is on PATH"):
        interpreter_of("aioflask", cache=tmp_path, run=Pip())


def test_a_cache_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Unavailable, match="can be made in"):
        interpreter_of("aioflask", cache=tmp_path / "file" / "cache", run=Pip())


def test_every_environment_and_what_builds_it_has_a_lock() -> None:
    assert {lock.stem for lock in LOCKS} == {*NAMES, "build"}
    for lock in LOCKS:
        assert lock.with_suffix(".in").is_file()


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_every_package_of_a_lock_has_a_hash_and_no_address(lock: Path) -> None:
    text = lock.read_text(encoding="utf-8")
    packages = re.split(r"^(?=[\w.-]+==)", text, flags=re.MULTILINE)[1:]
    assert packages
    assert all(re.search(r"--hash=sha256:[0-9a-f]{64}", package) for package in packages)
    assert "://" not in text


def test_what_pip_says_is_told_by_its_errors_and_not_by_its_hints() -> None:
    command = ["/bin/sh", "-c", "echo 'error: no compiler'; echo 'hint: see above'; exit 1"]
    heard: list[str] = []
    assert environments._run(command, heard.append) == "error: no compiler"
    assert heard == ["error: no compiler", "hint: see above"]
    assert environments._run(["/bin/sh", "-c", "echo fine"], heard.append) == ""
    assert "No such file" in environments._run(["/no/such/program"], heard.append)
