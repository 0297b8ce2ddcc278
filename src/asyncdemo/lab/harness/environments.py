"""Separate virtual environments for servers that cannot share one, each made when it is first needed.

Each is a folder in the user's cache, made from a locked file in ``environments/`` that has hashes for every
package. It gets its final name only when complete, so an interrupted one is never used.
Not here: which server needs which environment (see ``servers``).
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from asyncdemo.errors import LabFileError
from asyncdemo.lab.harness import Unavailable
from asyncdemo.model.fields import read

_LOCKS: Final = Path(__file__).with_name("environments")
_BUILD: Final = "build"
_INDEX_S: Final = 20
"""pip's timeout for an index that does not answer, for each of two tries."""


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
        return (_LOCKS / f"{_BUILD}.txt", own) if self.is_built else (own,)

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


Tell = Callable[[Progress], None]
Run = Callable[[list[str], Callable[[str], None]], str]
"""Runs a command, passes each line of its output to the callback, and returns the problem or ""."""


def tell_nobody(_: Progress | str) -> None:
    pass


def _load_recipes() -> dict[str, Recipe]:
    """Raises LabFileError."""
    path = _LOCKS / "recipes.toml"
    try:
        recipes = tomllib.loads(path.read_text(encoding="utf-8"))
        return {
            name: read(Recipe, {"name": name, **recipe}, name, strict=True)
            for name, recipe in recipes.items()
        }
    except (OSError, ValueError) as error:
        raise LabFileError(f"{path.name}: {error}") from error


ENVIRONMENTS: Final = _load_recipes()
"""Name -> recipe."""


def interpreter_of(
    name: str,
    tell: Tell = tell_nobody,
    cache: Path | None = None,
    run: Run | None = None,
) -> Path:
    """Return its Python, making the environment if needed. Raises Unavailable if that fails.

    ``run`` replaces the function that runs venv and pip.
    """
    recipe = ENVIRONMENTS[name]
    base = _python_for(recipe)
    root = cache or cache_folder()
    home = root / f"{name}-{_fingerprint(recipe, base)}"
    if not _is_there(home):
        try:
            root.mkdir(parents=True, exist_ok=True)
            with _only_one(root / f"{name}.lock"):
                if not _is_there(home):  # another process may have made it meanwhile
                    _make(recipe, base, home, tell, run or _run)
        except OSError as error:
            raise Unavailable(
                f"No environment for {recipe.title} can be made in {root}: {error.strerror or error}.",
                recipe.successor,
            ) from error
    return _python_in(home)


def is_made(name: str) -> bool:
    """Return whether it exists already; if not, it can be made. Raises Unavailable if it cannot."""
    recipe = ENVIRONMENTS[name]
    return _is_there(cache_folder() / f"{name}-{_fingerprint(recipe, _python_for(recipe))}")


def cache_folder() -> Path:
    """Return a folder for reproducible files, in $XDG_CACHE_HOME, ~/.cache or ~/Library/Caches."""
    named = os.environ.get("XDG_CACHE_HOME")
    default = Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache")
    return Path(named or default) / "asyncdemo" / "environments"


def _make(recipe: Recipe, base: str, home: Path, tell: Tell, run: Run) -> None:
    for left in home.parent.glob(f".{recipe.name}-*"):  # from a killed process, since we hold the lock
        shutil.rmtree(left, ignore_errors=True)
    place = Path(tempfile.mkdtemp(prefix=f".{recipe.name}-", dir=home.parent))
    steps = _Steps(recipe, tell)
    try:
        steps.next("making an environment")
        problem = run([base, "-m", "venv", str(place)], tell_nobody)
        for lock in recipe.locks:
            problem = problem or run(_install(_python_in(place), lock), steps.hear)
        steps.next("checking it")
        imports = f"import {', '.join(recipe.modules)}"
        problem = problem or run([str(_python_in(place)), "-c", imports], tell_nobody)
        if problem:
            raise Unavailable(f"{recipe.title} could not be installed: {problem}", recipe.successor)
        shutil.rmtree(home, ignore_errors=True)  # it exists only if its Python was removed
        place.rename(home)
    finally:
        shutil.rmtree(place, ignore_errors=True)  # already renamed if all went well


class _Steps:
    """Counts steps by the packages that pip names."""

    def __init__(self, recipe: Recipe, tell: Tell) -> None:
        self._recipe = recipe
        self._tell = tell
        self._done = 0
        self._of = 2 + sum(len(_pinned(lock)) + 1 for lock in recipe.locks)

    def next(self, what: str) -> None:
        self._tell(Progress(self._recipe.name, min(self._done, self._of), self._of, what))
        self._done += 1

    def hear(self, line: str) -> None:
        if line.startswith("Collecting "):
            self.next(f"getting {line.split()[1].partition('==')[0]}")
        elif line.startswith("Installing collected packages"):
            self.next("installing")


def _pinned(lock: Path) -> list[tuple[str, str]]:
    """Return (package, version) pairs."""
    return re.findall(r"^([a-z][\w.-]*)==(\S+)", lock.read_text(encoding="utf-8"), re.MULTILINE)


def _install(python: Path, lock: Path) -> list[str]:
    """Use --no-deps: the lock is complete, and the ``.overrides`` deliberately break some requirements."""
    return [
        *(str(python), "-m", "pip", "install", "--no-input", "--disable-pip-version-check"),
        *("--progress-bar", "off", "--timeout", str(_INDEX_S), "--retries", "1"),
        *("--require-hashes", "--no-deps", "--no-build-isolation", "--requirement", str(lock)),
    ]


def _run(command: list[str], hear: Callable[[str], None]) -> str:
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
            for line in lines:
                if line.strip():
                    said.append(line.strip())
                    hear(line.strip())
        return "" if process.wait() == 0 else _problem(said)
    finally:
        process.kill()  # still running only after an interrupt
        process.wait()


def _problem(said: list[str]) -> str:
    """Skip pip's last lines, which are about pip itself; the error comes before them."""
    errors = [line for line in said if line.lower().startswith(("error", "fatal")) or "Error:" in line]
    return " ".join((errors or said or ["it said nothing"])[-2:])


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


def _fingerprint(recipe: Recipe, base: str) -> str:
    """A different lock or a different Python makes a different environment."""
    parts = [*(lock.read_bytes() for lock in recipe.locks), os.path.realpath(base).encode()]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:12]


def _is_there(home: Path) -> bool:
    """Return whether it exists, and so does the Python that it was made with."""
    return _python_in(home).exists()


def _python_in(home: Path) -> Path:
    return home / "bin" / "python"


@contextlib.contextmanager
def _only_one(file: Path) -> Iterator[IO[bytes]]:
    """Wait for another process that makes the same; the system releases the lock if that one is killed."""
    with file.open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock
