"""Checks of answers, against a server that answers; and what a record says of the machine."""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import dataclass
from typing import cast

import pytest

from asyncdemo.lab.harness import Started
from asyncdemo.lab.harness.checks import answer_check
from asyncdemo.lab.harness.machine import Pinning, choose_pinning, describe_machine
from asyncdemo.lab.harness.protocol.description import Scene
from asyncdemo.lab.results.setup import Arm, Loop, Model, Setting
from asyncdemo.load import Send
from tests.unit.load.serving import answering

GET = Send("GET", "/")


@dataclass
class OnPort:
    port: int


def scene(port: int) -> Scene:
    setting = Setting("closed", "", Loop.CLOSED, (), clients=1)
    return Scene(Arm("a", "A", Model.THREADS), setting, cast("Started", OnPort(port)))


@pytest.mark.parametrize(
    ("asked", "held", "seen"),
    [
        ({}, True, "hello"),
        ({"headers": {"Content-Type": "TEXT/plain"}}, True, "hello"),
        ({"headers": {"Content-Type": "application/json"}}, False, "status 200, Content-Type: text/plain"),
        ({"headers": {"X-Served-By": "a"}}, False, "status 200, X-Served-By: none"),
        ({"holds": b"goodbye".__eq__}, False, "b'hello'"),
    ],
)
def test_an_answer_is_its_status_headers_and_body(asked: dict[str, object], held: bool, seen: str) -> None:
    values = {"asked": "hello", "holds": b"hello".__eq__, **asked}
    check = answer_check(GET, **values)  # type: ignore[arg-type]
    with answering() as server:
        found = check.look(scene(server.port))
    assert (found.held, found.words) == (held, seen)


def test_the_machine_is_described_and_not_named() -> None:
    seen = describe_machine(
        Pinning((1,), (0,)),
        ["pytest", "no-such-package"],
        {"python": (sys.executable, "--version"), "none": ("no-such-program",)},
    )
    assert seen.processor and seen.cores > 0 and seen.memory_bytes > 1_000_000
    assert seen.packages["pytest"] == pytest.__version__ and "no-such-package" not in seen.packages
    assert seen.programs["python"].startswith("3.") and "none" not in seen.programs
    assert seen.pinning == {"client": "1", "server": "0"}
    assert seen.python.endswith(platform.python_version())
    if os.path.exists("/proc/sys/net/core/somaxconn"):
        assert int(seen.sysctls["net.core.somaxconn"]) > 0
    assert platform.node() not in repr(seen)


@pytest.mark.parametrize(
    ("allowed", "words"),
    [
        ([], {"client": "any", "server": "any"}),
        ([3], {"client": "any", "server": "any"}),
        ([0, 1], {"client": "1", "server": "0"}),
        ([0, 1, 2, 3, 6, 7], {"client": "7", "server": "0-3,6"}),
    ],
)
def test_the_client_is_pinned_away_from_the_servers(allowed: list[int], words: dict[str, str]) -> None:
    pinning = choose_pinning(allowed)
    assert pinning.words == words
    assert not {*pinning.client} & {*pinning.server}
    assert {*pinning.client, *pinning.server} == ({*allowed} if len(allowed) > 1 else set())
