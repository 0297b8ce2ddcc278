"""Separate virtual environments for servers that cannot share one, each made when it is first needed.

Each is a folder in the user's cache, made from a locked file in ``environments/`` that has hashes for every
package. It gets its final name only when complete, so an interrupted one is never used.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from asyncdemo.lab.harness import Unavailable
from asyncdemo.model.fields import read

_LOCKS: Final = Path(__file__).with_name("environments")
_INSTALL: Final = (
    *("-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--progress-bar", "off"),
    *("--timeout", "20", "--retries", "1"),  # for an index that does not answer
    # --no-deps: a lock is complete, and the ``.overrides`` deliberately break some requirements
    *("--require-hashes", "--no-deps", "--no-build-isolation", "--requirement"),
)


@dataclass(frozen=True, slots=True)
class Recipe:
    """An entry of ``recipes.toml``. ``modules`` can be imported once it is made. ``is_built``: from source.

    ``newest`` is the newest Python that it supports, ``successor`` what one would use today.
    """

    name: str
    title: str
    modules: tuple[str, ...]
    newest: tuple[int, int]
    successor: str
    is_built: bool = False

    @property
    def locks(self) -> tuple[Path, ...]:
        """The lock files, in the order in which to install them."""
        own = _LOCKS / f"{self.name}.txt"
        return (_LOCKS / "build.txt", own) if self.is_built else (own,)

    def versions(self) -> dict[str, str]:
        """Return package -> version, for everything in the finished environment."""
        return dict(pin for lock in self.locks for pin in _pinned(lock))


@dataclass(frozen=True, slots=True)
class Progress:
    """``done`` of ``of`` steps are finished; ``what`` describes the step that starts now."""

    environment: str
    done: int
    of: int
    what: str


OnProgress = Callable[[Progress], None]


def ignore_progress(_: Progress | str) -> None:
    pass


ENVIRONMENTS: Final = {
    name: read(Recipe, {"name": name, **recipe}, name, strict=True)
    for name, recipe in tomllib.loads((_LOCKS / "recipes.toml").read_text(encoding="utf-8")).items()
}
"""Name -> recipe."""


def interpreter_of(name: str, on_progress: OnProgress = ignore_progress) -> Path:
    """Return its Python, making the environment if needed. Raises Unavailable if that fails."""
    recipe = ENVIRONMENTS[name]
    home, base = _place(recipe)
    python = home / "bin" / "python"
    if python.exists():
        return python
    try:
        home.parent.mkdir(parents=True, exist_ok=True)
        with (home.parent / f"{name}.lock").open("wb") as lock:
            # wait for another process that makes the same; if that one is killed, the system releases this
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not python.exists():  # another process may have made it meanwhile
                _make(recipe, base, home, on_progress)
    except OSError as error:
        raise Unavailable(
            f"No environment for {recipe.title} can be made in {home.parent}: {error.strerror or error}.",
            recipe.successor,
        ) from error
    return python


def is_made(name: str) -> bool:
    """Return whether it exists already; if not, it can be made. Raises Unavailable if it cannot."""
    home, _ = _place(ENVIRONMENTS[name])
    return (home / "bin" / "python").exists()


def _place(recipe: Recipe) -> tuple[Path, str]:
    """Return its folder, which depends on its locks and its Python, and that Python. Raises Unavailable."""
    base = _python_for(recipe)
    parts = [*(lock.read_bytes() for lock in recipe.locks), os.path.realpath(base).encode()]
    named = os.environ.get("XDG_CACHE_HOME")
    default = Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache")
    folder = Path(named or default) / "asyncdemo" / "environments"
    fingerprint = hashlib.sha256(b"\0".join(parts)).hexdigest()[:12]
    return folder / f"{recipe.name}-{fingerprint}", base


def _python_for(recipe: Recipe) -> str:
    """Return our Python, or an older one on PATH. Raises Unavailable."""
    if sys.version_info[:2] <= recipe.newest:
        return sys.executable
    major, newest_minor = recipe.newest
    for minor in range(newest_minor, 10, -1):
        if found := shutil.which(f"python{major}.{minor}"):
            return found
    raise Unavailable(
        f"{recipe.title} needs a Python not newer than {major}.{newest_minor}, and none is on PATH.",
        recipe.successor,
    )


def _make(recipe: Recipe, base: str, home: Path, on_progress: OnProgress) -> None:
    for left in home.parent.glob(f".{recipe.name}-*"):  # from a killed process, since we hold the lock
        shutil.rmtree(left, ignore_errors=True)
    place = Path(tempfile.mkdtemp(prefix=f".{recipe.name}-", dir=home.parent))
    python = str(place / "bin" / "python")
    done, of = 0, 2 + sum(len(_pinned(lock)) + 1 for lock in recipe.locks)

    def begin(what: str) -> None:
        nonlocal done
        on_progress(Progress(recipe.name, min(done, of), of, what))
        done += 1

    def on_line(line: str) -> None:
        if line.startswith("Collecting "):
            begin(f"getting {line.split()[1].partition('==')[0]}")
        elif line.startswith("Installing collected packages"):
            begin("installing")

    try:
        begin("making an environment")
        problem = run([base, "-m", "venv", str(place)])
        for lock in recipe.locks:
            problem = problem or run([python, *_INSTALL, str(lock)], on_line)
        begin("checking it")
        problem = problem or run([python, "-c", f"import {', '.join(recipe.modules)}"])
        if problem:
            raise Unavailable(f"{recipe.title} could not be installed: {problem}", recipe.successor)
        shutil.rmtree(home, ignore_errors=True)  # it exists only if its Python was removed
        place.rename(home)
    finally:
        shutil.rmtree(place, ignore_errors=True)  # already renamed if all went well


def _pinned(lock: Path) -> list[tuple[str, str]]:
    """Return (package, version) pairs."""
    return re.findall(r"^([a-z][\w.-]*)==(\S+)", lock.read_text(encoding="utf-8"), re.MULTILINE)


def run(command: list[str], on_line: Callable[[str], None] = lambda _: None) -> str:
    """Run a command, pass each line of its output to ``on_line``, and return the problem or ""."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    said: list[str] = []
    try:
        process = subprocess.Popen(
            command,
            env=kept,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
    except OSError as error:
        return f"{command[0]}: {error.strerror}"
    try:
        assert process.stdout is not None
        with process.stdout as lines:
            for line in filter(None, map(str.strip, lines)):
                said.append(line)
                on_line(line)
        if process.wait() == 0:
            return ""
    finally:
        process.kill()  # still running only after an interrupt
        process.wait()
    # pip's last lines are about pip itself; the error comes before them
    errors = [line for line in said if line.lower().startswith(("error", "fatal")) or "Error:" in line]
    return " ".join((errors or said or ["it said nothing"])[-2:])
