"""Every server program serves hello world, and is ready only when all its workers answer."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from asyncdemo.lab.harness.environments import Progress, ignore_progress, interpreter_of
from asyncdemo.lab.harness.rollcall import RollCall
from asyncdemo.lab.harness.served_app import ServedApp
from asyncdemo.lab.servers import PROGRAMS
from asyncdemo.serving.ports import free_port
from tests.lab.contestants import APPS, get, get_once_it_listens, hello, wait_until_gone

IN_DEV: Final = {"flask", "flask-threaded", "sanic", "hypercorn", "aiohttp"}


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of the environments that these tests make."""
    return tmp_path_factory.mktemp("cache")


def versions_in(environment: str, packages: Iterable[str]) -> dict[str, str]:
    """Of packages, in an environment that is made."""
    say = "import json, sys; from importlib import metadata as installed\n"
    say += "print(json.dumps({name: installed.version(name) for name in sys.argv[1:]}))"
    words = [str(interpreter_of(environment, ignore_progress)), "-I", "-c", say, *packages]
    return dict(json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout))


def needing(name: str) -> pytest.MarkDecorator:
    return pytest.mark.slow if name in IN_DEV else pytest.mark.lab


@pytest.mark.parametrize("name", [pytest.param(name, marks=needing(name)) for name in PROGRAMS])
def test_a_server_runs_hello_world_with_two_workers(
    name: str, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    workers = 1 if name.startswith("flask") else 2
    served = hello(name)
    with served.start({"workers": workers}) as server:
        assert get(server.port).lower().startswith("hello")
        pids = server.pids()
        assert len(pids) >= workers
        roll = RollCall(server.port, server.pids)
        for _ in range(20):
            roll.ask(workers - len(roll.answered))
        assert len(roll.answered) == workers
        assert {*server.workers()} == roll.answered, "without a master or other processes that belong to it"
        assert server.command == served.command({"workers": workers})
        assert not server.died()
    assert wait_until_gone(pids) == []


@pytest.mark.lab
def test_aioflask_runs_in_its_own_environment(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    steps: list[Progress] = []
    served = ServedApp(
        "aioflask",
        PROGRAMS["uvicorn"],
        APPS / "in_aioflask.py",
        packages=("aioflask",),
        environment="aioflask",
        on_progress=steps.append,
    )
    with served.start({"workers": 2}) as server:
        assert get(server.port) == "hello"
    assert steps[0].what == "making an environment"
    known = len(steps)
    assert versions_in("aioflask", served.own_versions) == served.own_versions, "as the lock has them"
    assert served.own_versions["aioflask"] == "0.4.0"
    assert len(steps) == known  # it is there


@pytest.mark.lab
def test_cyclone_runs_on_the_twisted_of_today(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And not on the one of 2019, which it asks for."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    served = hello("cyclone")
    versions = served.own_versions
    with served.start({}):
        assert versions_in("cyclone", versions) == versions, "as the lock has them"
    assert versions["cyclone"] == "1.3"
    assert int(versions["twisted"].partition(".")[0]) >= 26


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("hypercorn", marks=pytest.mark.slow),
        pytest.param("uvicorn", marks=pytest.mark.lab),
    ],
)
def test_a_server_is_not_ready_before_its_last_worker(name: str, tmp_path: Path) -> None:
    """Of two workers one hangs in its import, until there is a file named ``go``."""
    port = free_port()
    served = ServedApp(name, PROGRAMS[name], APPS / "late_second_worker.py")
    served = replace(served, free_port=lambda: port)
    ready = threading.Event()

    def start() -> None:
        with served.start({"workers": 2, "folder": str(tmp_path)}):
            ready.set()

    starting = threading.Thread(target=start)
    starting.start()
    try:
        assert get_once_it_listens(port) == "hello"
        assert not ready.wait(1)
        (tmp_path / "go").touch()
        assert ready.wait(60)
    finally:
        (tmp_path / "go").touch()
        starting.join()


@pytest.mark.slow
def test_a_worker_that_is_killed_takes_the_others_with_it() -> None:
    """So that nobody measures what is left; servers with a manager start another one instead."""
    with hello("aiohttp").start({"workers": 2}) as server:
        pids = server.pids()
        worker, _ = server.workers()
        os.kill(worker, signal.SIGKILL)
        assert wait_until_gone(pids) == []
        while not server.died():
            time.sleep(0.01)
        assert f"worker {worker} has ended, exit code -9" in server.log()
