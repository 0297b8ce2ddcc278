"""All workers of a server are at work before its load begins."""

from __future__ import annotations

import socket

import pytest

from asyncdemo.serving.workers import Workers


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
        monkeypatch.setattr("asyncdemo.serving.workers._PATIENCE_S", -1.0)
        assert workers.are_at_work(set())
        workers.close()
