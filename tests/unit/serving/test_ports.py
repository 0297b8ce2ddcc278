"""Who listens on a port, whether a server takes connections, and whether all its workers do."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
import time
from collections.abc import Callable

import pytest

from asyncdemo.serving import ports
from asyncdemo.serving.ports import CAN_TELL, free_port, listening, ports_of
from asyncdemo.serving.readiness import Probe, Readiness, Sight, Workers
from tests.hostile.traced import until

linux = pytest.mark.skipif(not CAN_TELL, reason="who listens cannot be known without asking others")


def close_one(server: socket.socket) -> None:
    server.accept()[0].close()


def test_nobody_listens_on_a_free_port() -> None:
    assert listening(free_port(), [os.getpid()]).somebody is False


@linux
def test_whose_a_port_is() -> None:
    with socket.create_server(("127.0.0.1", 0)) as ours:
        port = ours.getsockname()[1]
        assert listening(port, [os.getpid()]) == ports.Listening(True, True, 0)
        assert listening(port, [os.getppid()]) == ports.Listening(True, False, 0)
        assert port in ports_of([os.getpid()])
        assert port not in ports_of([os.getppid()])


@linux
def test_how_many_nobody_has_accepted_yet() -> None:
    server = socket.create_server(("127.0.0.1", 0))
    port = server.getsockname()[1]
    with server, socket.create_connection(("127.0.0.1", port)) as client:
        assert until(lambda: listening(port, ()).waiting == 1, 10)
        server.accept()[0].close()
        assert listening(port, ()).waiting == 0
        assert listening(client.getsockname()[1], [os.getpid()]).somebody is False


def test_port_is_looked_up_with_lsof_without_proc_or_not_at_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ports, "CAN_TELL", False)
    with socket.create_server(("127.0.0.1", 0)) as ours:
        port = ours.getsockname()[1]

        def lsof(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
            assert command[0] == "lsof" and f"-iTCP:{port}" in command
            return subprocess.CompletedProcess(command, 0, f"{os.getpid()}\n", "")

        monkeypatch.setattr(subprocess, "run", lsof)
        assert listening(port, [os.getpid()]).ours is True
        assert listening(port, [os.getppid()]).ours is False

        def missing(*_: object, **__: object) -> None:
            raise FileNotFoundError

        monkeypatch.setattr(subprocess, "run", missing)
        assert listening(port, [os.getpid()]) == ports.Listening(True, None)
    assert ports_of([os.getpid()]) == set()


def test_a_socket_that_nobody_accepts_from_does_not_answer() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        probe = Probe(server.getsockname()[1])
        assert not until(probe.answered, 0.3)
        accepted, _ = server.accept()
        assert not until(probe.answered, 0.2)
        accepted.close()
        assert until(probe.answered, 10)
        probe.close()


def test_a_server_that_waits_for_a_request_gets_what_is_none() -> None:
    """As Hypercorn does: a connection without one is kept until a time-out."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        probe = Probe(server.getsockname()[1])
        assert not until(probe.answered, 0.2)
        silent, _ = server.accept()
        assert not until(probe.answered, 1.2)
        asking, _ = server.accept()
        assert asking.recv(100) == b"?\r\n\r\n"
        asking.sendall(b"HTTP/1.1 400 \r\n\r\n")
        assert until(probe.answered, 10)
        silent.close()
        asking.close()


@linux
def test_server_that_has_accepted_is_ready_even_if_silent() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        readiness = Readiness(server.getsockname()[1], lambda: [os.getpid()])
        assert not until(lambda: readiness.look() is Sight.READY, 0.3)
        silent, _ = server.accept()
        assert look_until(readiness, Sight.READY)
        silent.close()
        readiness.close()


def test_a_probe_waits_for_a_server_that_comes_later() -> None:
    port = free_port()
    probe = Probe(port)
    assert not until(probe.answered, 0.2)
    with socket.create_server(("127.0.0.1", port)) as server:
        thread = threading.Thread(target=close_one, args=[server])
        thread.start()
        assert until(probe.answered, 10)
        thread.join()
    probe.close()


def look_until(readiness: Readiness, wanted: Sight) -> bool:
    seen: list[Sight] = []

    def looked() -> bool:
        seen.append(readiness.look())
        return seen[-1] is wanted

    return until(looked, 10)


@linux
def test_what_is_seen_of_a_port(monkeypatch: pytest.MonkeyPatch) -> None:
    pids: Callable[[], list[int]] = lambda: [os.getpid()]  # noqa: E731
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert look_until(Readiness(port, lambda: [os.getppid()]), Sight.TAKEN)
        elsewhere = Readiness(free_port(), pids)
        assert look_until(elsewhere, Sight.ELSEWHERE)
        assert elsewhere.other_port in ports_of(pids())
        patient = Readiness(port, pids)
        monkeypatch.setattr("asyncdemo.serving.readiness._PATIENCE_S", 0.5)
        begun = time.monotonic()
        assert look_until(patient, Sight.READY)
        assert time.monotonic() - begun >= 0.5
        patient.close()


def test_answer_counts_if_the_ports_owner_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("asyncdemo.serving.readiness.CAN_TELL", False)
    monkeypatch.setattr("asyncdemo.serving.readiness.listening", lambda *_: ports.Listening(True, None))
    with socket.create_server(("127.0.0.1", 0)) as server:
        readiness = Readiness(server.getsockname()[1], lambda: [os.getpid()])
        assert readiness.look() is Sight.NOTHING
        thread = threading.Thread(target=close_one, args=[server])
        thread.start()
        assert look_until(readiness, Sight.READY)
        thread.join()


# -- workers -------------------------------------------------------------------------------------


@pytest.fixture
def door() -> socket.socket:
    listening = socket.create_server(("127.0.0.1", 0), backlog=100)
    listening.setblocking(False)
    return listening


def knocks(door: socket.socket) -> int:
    count = 0
    while True:
        try:
            door.accept()[0].close()
        except BlockingIOError:
            return count
        count += 1


def test_one_worker_is_not_waited_for(door: socket.socket) -> None:
    with door:
        assert Workers(door.getsockname()[1], 1).are_at_work(())
        assert knocks(door) == 0


def test_connections_come_until_each_worker_has_had_one(
    door: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    with door:
        workers = Workers(door.getsockname()[1], 3)
        assert not workers.are_at_work(set())
        assert knocks(door) == 6
        assert not workers.are_at_work({0, 1, 2})  # 0 only starts them
        assert workers.are_at_work({1, 2, 3})
        monkeypatch.setattr("asyncdemo.serving.readiness._WORKERS_S", -1.0)
        assert workers.are_at_work(set())
        workers.close()
