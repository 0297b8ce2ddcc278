"""The end of a process and of all that it started: who is signalled, and who is not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

if sys.platform == "win32":
    pytest.skip("signals of POSIX", allow_module_level=True)

from asyncdemo.capture import wire
from asyncdemo.recording import processes
from asyncdemo.recording.processes import Family
from tests.hostile.traced import is_alive, until

LEAVES_ONE = """
import os, subprocess, sys
options = OPTIONS
left = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], **options)
print(left.pid, flush=True)
"""
"""Starts a process and ends."""


def family_of(source: str) -> tuple[subprocess.Popen[bytes], Family]:
    token = uuid.uuid4().hex
    process = subprocess.Popen(
        [sys.executable, "-c", source],
        stdout=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, wire.ENV: token},
    )
    return process, Family(process, token)


@pytest.fixture
def bystander() -> Iterator[subprocess.Popen[bytes]]:
    """A process that is none of the family, and must live."""
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


def test_one_that_has_ended_is_not_signalled(signalled: list[int]) -> None:
    process, family = family_of("pass")
    with process:
        process.wait()
        family.end()
        family.end()
    assert signalled == []


def test_it_is_signalled_once(signalled: list[int]) -> None:
    process, family = family_of("import time; time.sleep(60)")
    with process:
        family.end()
        family.end()
    assert signalled.count(process.pid) == 2, "once as a group, once by itself"
    assert process.returncode == -signal.SIGKILL


@pytest.mark.parametrize("options", ["{}", "{'env': {}}", "{'start_new_session': True}"])
def test_whom_it_leaves_is_ended(options: str) -> None:
    """In its group, without the mark in its environment, in a session of its own."""
    process, family = family_of(LEAVES_ONE.replace("OPTIONS", options))
    with process:
        assert process.stdout is not None
        left = int(process.stdout.readline())
        process.wait()
        assert is_alive(left)
        family.end()
        assert until(lambda: not is_alive(left), 5)


def test_who_has_the_number_of_one_that_ended_lives(
    bystander: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    process, family = family_of("pass")
    with process:
        process.wait()
    monkeypatch.setattr(process, "pid", bystander.pid)
    family._seen = {bystander.pid: "long ago"}
    family.end()
    assert bystander.poll() is None


def test_a_number_that_is_given_away_meanwhile_is_not_signalled(
    bystander: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    processes._kill(bystander.pid, "long ago")
    processes._kill(bystander.pid, "")
    with monkeypatch.context() as patch:  # not for Popen.wait, which uses it from Python 3.15 on
        patch.delattr(os, "pidfd_open", raising=False)
        processes._kill(bystander.pid, "long ago")
        assert bystander.poll() is None
        processes._kill(bystander.pid, processes._started(bystander.pid))
    assert bystander.wait(10) == -signal.SIGKILL
    processes._kill(bystander.pid, "long ago")


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="Linux")
@pytest.mark.parametrize("refused", [None, OSError("not here")])
def test_by_a_descriptor_where_there_are_such(
    bystander: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch, refused: OSError | None
) -> None:
    before = len(os.listdir("/proc/self/fd"))
    with monkeypatch.context() as patch:
        if refused is not None:

            def refuse(pid: int) -> int:
                raise refused

            patch.setattr(os, "pidfd_open", refuse)
        processes._kill(bystander.pid, processes._started(bystander.pid))
    assert bystander.wait(10) == -signal.SIGKILL
    assert len(os.listdir("/proc/self/fd")) == before
