"""The commands of the server programs, without running any."""

from __future__ import annotations

import ast
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from asyncdemo.lab import servers
from asyncdemo.lab.harness.environments import ENVIRONMENTS
from asyncdemo.lab.harness.rollcall import Acceptors, Pids, look, look_with_psutil
from asyncdemo.lab.harness.served_app import ServedApp
from asyncdemo.lab.servers import PROGRAMS

NAMES = list(PROGRAMS)
APP = Path("/apps/hello.py")
SCRIPTS = sorted(Path(servers.__file__).with_name("scripts").glob("*.py"))


@pytest.mark.parametrize("name", NAMES)
def test_a_command_has_the_app_the_port_and_the_backlog(name: str) -> None:
    program = PROGRAMS[name]
    words = program.arguments(APP, 50123, backlog=77)
    assert "hello:app" in words
    assert sum(word.rpartition(":")[2] == "50123" for word in words) == 1
    assert "77" in words


@pytest.mark.parametrize("name", NAMES)
def test_a_command_has_the_workers(name: str) -> None:
    program = PROGRAMS[name]
    four, three = (program.arguments(APP, workers=number) for number in (4, 3))
    assert [pair for pair in zip(four, three, strict=True) if pair[0] != pair[1]] == [("4", "3")]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_shown_is_what_is_run_without_port_and_folders(name: str) -> None:
    program = PROGRAMS[name]
    shown = ServedApp(name, program, APP).command({"workers": 2})
    assert "PORT" in shown
    assert not [word for word in shown.split() if word.startswith("/")]


def test_every_environment_that_a_server_needs_has_a_recipe() -> None:
    needed = {program.environment for program in PROGRAMS.values()} - {""}
    assert needed
    assert needed <= set(ENVIRONMENTS)


@pytest.mark.parametrize("name", ["uvicorn", "hypercorn", "sanic", "tornado", "aiohttp"])
def test_the_loop_is_part_of_the_command(name: str) -> None:
    for loop in ("uvloop", "asyncio"):
        assert loop in PROGRAMS[name].arguments(APP, loop=loop)


def test_knobs_that_no_server_has_are_shown_as_app_settings() -> None:
    served = ServedApp("uvicorn", PROGRAMS["uvicorn"], APP)
    shown = served.command({"workers": 6, "delay_ms": 20, "name": "a b"})
    assert shown.startswith("LAB_DELAY_MS=20 LAB_NAME='a b' python -m uvicorn hello:app")
    assert "--workers 6" in shown


def test_uwsgi_gets_no_longer_queue_than_the_system_allows() -> None:
    words = PROGRAMS["uwsgi"].arguments(APP, backlog=10**9)
    assert 0 < int(words[words.index("--listen") + 1]) < 10**9


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_needs_no_asyncdemo(script: Path) -> None:
    """It may run in an environment that has none."""
    modules = {
        name.name if isinstance(node, ast.Import) else node.module or ""
        for node in ast.walk(ast.parse(script.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in node.names
    }
    assert modules
    assert not [module for module in modules if module.startswith("asyncdemo")]


def test_every_script_is_that_of_a_server() -> None:
    used = {
        Path(word).name
        for program in PROGRAMS.values()
        for word in program.arguments(APP)
        if word.endswith(".py")
    }
    assert used | {"starting.py"} == {script.name for script in SCRIPTS}


@pytest.mark.parametrize("seen", [look, look_with_psutil])
def test_acceptor_of_a_connection_is_known_after_acceptance(
    seen: Callable[[int, Pids], Acceptors],
) -> None:
    ours = os.getpid()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as asking:
            name = asking.getsockname()[1]
            before = look(port, lambda: [ours])
            assert name not in before.accepted
            assert name not in before.strangers
            with listening.accept()[0]:
                after = seen(port, lambda: [ours])
                assert after.accepted[name] == ours
                assert after.listeners == {ours}
                assert not after.stranger_listens


@pytest.mark.parametrize("seen", [look, look_with_psutil])
def test_port_of_another_program_is_reported(seen: Callable[[int, Pids], Acceptors]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        assert seen(port, tuple).stranger_listens
    assert not seen(port, tuple).stranger_listens


def test_connection_and_port_of_another_program_are_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as asking, listening.accept()[0]:
            seen = look(port, tuple)
            assert seen.stranger_listens
            assert asking.getsockname()[1] in seen.strangers
    assert not look(port, tuple).stranger_listens
