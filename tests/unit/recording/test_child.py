"""Processes that are started ahead of the script that they will run."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from asyncdemo.capture import wire
from asyncdemo.errors import MissingError
from asyncdemo.model import RunOutcome
from asyncdemo.recording.child import Child, HandshakeListener, SpareChildren
from asyncdemo.recording.output_buffer import OutputBuffer
from asyncdemo.recording.runner import Options, Recording, Stdout, Target
from tests.hostile.traced import PATIENCE_S, is_alive, until

OPTIONS = Options(stdout=Stdout.CAPTURE, stdin=False, timeout_s=30)

LOOKS_ABOUT = """
import gc, os, signal, sys, threading
print(sys.argv, sys.path, sys.flags, os.getcwd(), __file__, __name__)
print(sorted(set(os.environ)), sorted(sys.modules), [t.name for t in threading.enumerate()])
print([signal.getsignal(number) for number in signal.valid_signals()])
print(sorted(number for number in map(int, os.listdir("/dev/fd")) if os.path.exists(f"/dev/fd/{number}")))
print(repr(sys.stdin.read()), gc.get_threshold(), sys.stdout.line_buffering)
raise SystemExit(3)
"""


@pytest.fixture
def script(tmp_path: Path) -> Target:
    path = tmp_path / "script.py"
    path.write_text(LOOKS_ABOUT)
    return Target(str(path))


def run(target: Target, child: Child | None = None) -> tuple[int | None, str]:
    output = OutputBuffer()
    with Recording(target, OPTIONS, output, child) as recording:
        recording.start()
        recording.go()
        while recording.poll(0.1):
            pass
        return recording.result().exit_code, output.text


def pids(spares: SpareChildren) -> list[int]:
    return [child.process.pid for child in spares._children]


def test_a_script_sees_nothing_of_it(script: Target) -> None:
    cold = run(script)
    with SpareChildren() as spares:
        assert until(lambda: spares.fill(1))
        warm = run(script, spares.take())
    assert cold == warm
    assert cold[0] == 3 and "''" in cold[1]


def test_they_are_there_before_they_are_asked_for(script: Target) -> None:
    with SpareChildren() as spares:
        assert until(lambda: spares.fill(2))
        first, second = pids(spares)
        child = spares.take()
        assert child.process.pid == first
        assert run(script, child)[0] == 3
        assert pids(spares) == [second]
        spares.fill(2)  # without waiting for it
        assert pids(spares)[0] == second and len(pids(spares)) == 2
        spares.take().close()
        assert run(script, spares.take())[0] == 3, "it may not have connected yet"


def test_one_that_died_meanwhile_is_neither_given_nor_kept() -> None:
    with SpareChildren() as spares:
        assert until(lambda: spares.fill(3))
        first, second, third = pids(spares)
        for pid in (first, third):
            os.kill(pid, signal.SIGKILL)
            assert until(lambda pid=pid: not is_alive(pid))  # type: ignore[misc]
        child = spares.take()
        child.close()
        assert child.process.pid == second
        assert until(lambda: spares.fill(1))
        assert pids(spares) != [third]


def test_process_that_dies_during_the_handshake_fails_the_run(script: Target) -> None:
    with SpareChildren() as spares:
        assert until(lambda: spares.fill(1))
        child = spares.take()
        os.kill(child.process.pid, signal.SIGKILL)
        assert until(lambda: not is_alive(child.process.pid))
        with Recording(script, OPTIONS, None, child) as recording:
            recording.start()
            recording.go()
            while recording.poll(0.1):
                pass
            assert recording.result().outcome is RunOutcome.FAILED


def test_nothing_is_left_of_those_that_nobody_took() -> None:
    open_before = set(os.listdir("/dev/fd"))
    with SpareChildren() as spares:
        spares.fill(2)
        left = pids(spares)
    assert not any(map(is_alive, left))
    assert set(os.listdir("/dev/fd")) <= open_before


@pytest.mark.parametrize("connected", [True, False])
def test_one_whose_parent_is_gone_ends_by_itself(connected: bool) -> None:
    child = Child(Stdout.CAPTURE, stdin=False)
    try:
        if connected:
            assert until(lambda: child.connect(0.1) is not None)
            assert child.connection is not None
            child.connection.socket.close()
        else:
            child._listener.close()
        assert until(lambda: child.process.poll() is not None)
    finally:
        child.close()


HELLO = wire.json_frame(wire.MESSAGES, [["Hello", "token", 1, wire.VERSION]])


@pytest.fixture
def door() -> Iterator[HandshakeListener]:
    """Where a child finds us."""
    door = HandshakeListener("token")
    yield door
    door.close()


def come(door: HandshakeListener) -> socket.socket:
    stranger = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    stranger.connect(door.address.removesuffix("#token"))
    return stranger


@pytest.mark.parametrize(
    "said",
    [
        wire.json_frame(wire.MESSAGES, [["Hello", "wrong", 1, wire.VERSION]]),
        wire.json_frame(wire.MESSAGES, 7),
        wire.json_frame(wire.MESSAGES, []),
        wire.frame(wire.MESSAGES, b"no json"),
        b"\xff" * 20,
    ],
)
def test_a_stranger_is_turned_away(said: bytes, door: HandshakeListener) -> None:
    with come(door) as stranger:
        stranger.sendall(said)
        assert door.admit(0.1) is None
        assert len(door.sockets) == 1


def test_silent_connection_is_not_waited_for(door: HandshakeListener) -> None:
    with come(door) as silent, come(door) as slow:
        slow.sendall(HELLO[:9])
        for _ in range(3):  # these come to an end, and only then is the rest said
            assert door.admit(0) is None
        slow.sendall(HELLO[9:])
        known = door.admit(PATIENCE_S)
        assert known is not None and known.pid == 1
        known.socket.sendall(b"welcome")
        assert slow.recv(7) == b"welcome"
        known.socket.close()
        door.close()
        assert silent.recv(1) == b""


def test_a_long_name_of_the_folder_for_temporary_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: Target
) -> None:
    """That of a socket in it would be too long."""
    folder = tmp_path / ("x" * 100)
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    assert run(script)[0] == 3


def test_missing_folder_for_temporary_files_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> str:
        raise FileNotFoundError("No usable temporary directory found")

    monkeypatch.setattr("tempfile.gettempdir", fail)
    with pytest.raises(MissingError, match="Set TMPDIR"):
        HandshakeListener("token")
