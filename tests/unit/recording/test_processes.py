"""The end of a process and of all that it started: who is signalled, and who is not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from typing import Any

import psutil
import pytest

from asyncdemo.capture import wire
from asyncdemo.recording import processes
from asyncdemo.recording.processes import ProcessTree
from tests.hostile.traced import is_alive, until

LEAVES_ONE = """
import os, subprocess, sys
options = OPTIONS
left = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], **options)
print(left.pid, flush=True)
"""
"""Starts a process and ends."""
GENERATIONS = """
import os, time
for _ in range(5):
    if os.fork():
        break
    print(os.getpid(), flush=True)
time.sleep(60)
"""
"""Starts a process, which starts one, and so on."""


def tree_of(source: str) -> tuple[subprocess.Popen[bytes], ProcessTree]:
    token = uuid.uuid4().hex
    process = subprocess.Popen(
        [sys.executable, "-c", source],
        stdout=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, wire.ENV: token},
    )
    return process, ProcessTree(process, token)


@pytest.fixture
def bystander() -> Iterator[subprocess.Popen[bytes]]:
    """A process that is not in the tree, and must live."""
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
    yield process
    process.kill()
    process.wait()


@pytest.fixture
def signalled(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Whom a signal was sent to by number."""
    numbers: list[int] = []
    for name in ("kill", "killpg"):
        real = getattr(os, name)

        def noting(pid: int, number: int, real: Any = real) -> None:
            numbers.append(pid)
            real(pid, number)

        monkeypatch.setattr(os, name, noting)
    return numbers


def test_it_is_signalled_once_and_not_at_all_if_it_has_ended(signalled: list[int]) -> None:
    process, process_tree = tree_of("import time; time.sleep(60)")
    with process:
        process_tree.end()
        sent = [*signalled]
        process_tree.end()
    # Once as a group and, unless that has already ended it, once by itself.
    assert sent in ([process.pid], [process.pid] * 2)
    assert signalled == sent
    assert process.returncode == -signal.SIGKILL


@pytest.mark.parametrize("options", ["{}", "{'env': {}}", "{'start_new_session': True}"])
def test_whom_it_leaves_is_ended(options: str) -> None:
    """In its group, without the mark in its environment, in its own session."""
    process, process_tree = tree_of(LEAVES_ONE.replace("OPTIONS", options))
    with process:
        assert process.stdout is not None
        left = int(process.stdout.readline())
        process.wait()
        assert is_alive(left)
        process_tree.end()
        assert until(lambda: not is_alive(left), 5)


def long_gone(pid: int) -> psutil.Process:
    """A process that had this number before the one that has it now."""
    process = psutil.Process(pid)
    process._ident = (pid, 0.0)
    return process


def test_who_has_the_number_of_one_that_ended_lives(
    bystander: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    process, process_tree = tree_of("pass")
    with process:
        process.wait()
    monkeypatch.setattr(process, "pid", bystander.pid)
    process_tree._seen = (long_gone(bystander.pid),)
    process_tree.end()
    assert bystander.poll() is None


def test_a_number_that_is_given_away_meanwhile_is_not_signalled(
    bystander: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """After it was looked whether it lives."""
    process, process_tree = tree_of("pass")
    with process:
        process.wait()
    monkeypatch.setattr(processes, "_is_alive", lambda one: True)
    monkeypatch.setattr(processes, "_PERSISTENCE_S", 0.2)
    process_tree._seen = (long_gone(bystander.pid),)
    process_tree.end()
    assert bystander.poll() is None


@pytest.mark.parametrize("has_proc", [True, False])
def test_children_and_theirs_are_found_in_this_order(has_proc: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the system tells them of one process, and as psutil finds them."""
    monkeypatch.setattr(processes, "_HAS_PROC", has_proc and processes._HAS_PROC)
    process, process_tree = tree_of(GENERATIONS)
    with process:
        assert process.stdout is not None
        pids = tuple(int(process.stdout.readline()) for _ in range(5))
        assert process_tree.refresh() == 5
        assert process_tree.pids == pids
        assert process_tree.refresh() == 5
        assert process_tree.pids == pids
        process_tree.end()
        assert process_tree.refresh() == 0
    assert not any(map(is_alive, pids))


def test_memory_that_is_shared_counts_once() -> None:
    """Two that share what the first one had when the other was forked."""
    process, process_tree = tree_of(
        "import os, time\nkept = os.urandom(80_000_000)\nos.fork()\nprint(flush=True)\ntime.sleep(60)"
    )
    with process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.readline()
        assert process_tree.refresh() == 1
        assert process_tree.uses_more_than(70_000_000)
        assert not process_tree.uses_more_than(150_000_000)
        process_tree.end()
