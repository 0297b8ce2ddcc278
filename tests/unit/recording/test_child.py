"""Processes that are started ahead of the script that they will run."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from asyncdemo.capture import wire
from asyncdemo.model import RunOutcome
from asyncdemo.recording import child
from asyncdemo.recording.child import Child, SpareChildren, _HandshakeListener
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
        spares.fill(2)
        assert len(pids(spares)) == 2


def test_one_that_has_not_connected_yet_can_be_taken(script: Target) -> None:
    with SpareChildren() as spares:
        spares.fill(1)
        assert run(script, spares.take())[0] == 3


def test_one_that_died_meanwhile_is_not_given(script: Target) -> None:
    with SpareChildren() as spares:
        assert until(lambda: spares.fill(2))
        first, second = pids(spares)
        os.kill(first, signal.SIGKILL)
        assert until(lambda: not is_alive(first))
        child = spares.take()
        child.close()
        assert child.process.pid == second


def test_those_that_died_are_replaced() -> None:
    with SpareChildren() as spares:
        assert until(lambda: spares.fill(1))
        (before,) = pids(spares)
        os.kill(before, signal.SIGKILL)
        assert until(lambda: not is_alive(before))
        assert until(lambda: spares.fill(1))
        assert pids(spares) != [before]


def test_a_run_whose_process_dies_as_it_is_told_what_to_run_has_failed(script: Target) -> None:
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
            assert until(lambda: child.connect(0.1))
            assert child.connection is not None
            child.connection.close()
        else:
            child._listener.close()
        assert until(lambda: child.process.poll() is not None)
    finally:
        child.close()


HELLO = wire.json_frame(wire.MESSAGES, [["Hello", "token", 1, wire.VERSION]])


@pytest.fixture(params=["unix", "tcp"])
def door(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[_HandshakeListener]:
    """Where a child finds us: a socket file or, if its path would be too long, a local port."""
    if request.param == "tcp":
        monkeypatch.setattr(child, "_LONGEST_NAME", 0)
    door = _HandshakeListener("token")
    assert door.address.startswith(request.param)
    yield door
    door.close()


def come(door: _HandshakeListener) -> socket.socket:
    kind, _, place = door.address.partition(":")
    if kind == "tcp":
        return socket.create_connection(("127.0.0.1", int(place)))
    stranger = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    stranger.connect(place)
    return stranger


@pytest.mark.parametrize(
    "said",
    [
        wire.json_frame(wire.MESSAGES, [["Hello", "wrong", 1, wire.VERSION]]),
        wire.json_frame(wire.MESSAGES, 7),
        wire.frame(wire.MESSAGES, b"no json"),
        wire.frame(wire.MESSAGES, b"more than anybody says" * 1000),
        b"\xff" * 20,
    ],
)
def test_a_stranger_is_turned_away(said: bytes, door: _HandshakeListener) -> None:
    with come(door) as stranger:
        stranger.sendall(said)
        assert door.admit(0.1) is None
        assert len(door.sockets) == 1


def test_whoever_says_nothing_yet_is_not_waited_for(door: _HandshakeListener) -> None:
    with come(door) as silent, come(door) as slow:
        slow.sendall(HELLO[:9])
        assert door.admit(0) is None  # these come to an end, and only then is the rest said
        assert door.admit(0) is None
        slow.sendall(HELLO[9:])
        caller = door.admit(PATIENCE_S)
        assert caller is not None and caller.hello == (wire.MESSAGES, HELLO[5:])
        caller.connection.sendall(b"welcome")
        assert slow.recv(7) == b"welcome"
        caller.connection.close()
        door.close()
        assert silent.recv(1) == b""


def test_whoever_says_nothing_for_long_is_turned_away(
    door: _HandshakeListener, monkeypatch: pytest.MonkeyPatch
) -> None:
    with come(door) as silent:
        assert door.admit(0.1) is None
        monkeypatch.setattr("asyncdemo.recording.child._HELLO_S", 0)
        assert door.admit(0) is None
        assert silent.recv(1) == b""


def test_of_too_many_who_say_nothing_the_first_are_turned_away(door: _HandshakeListener) -> None:
    silent = []
    for _ in range(40):
        silent.append(come(door))
        assert door.admit(0.01) is None
    child = come(door)
    child.sendall(HELLO)
    caller = door.admit(PATIENCE_S)
    assert caller is not None
    assert silent[0].recv(1) == b""
    silent[-1].setblocking(False)
    with pytest.raises(BlockingIOError):
        silent[-1].recv(1)
    for end in (*silent, child, caller.connection):
        end.close()
