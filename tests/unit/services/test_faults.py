"""Servers that die, do not start, or find their port taken: a clear sentence, with their own words."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from itertools import chain, repeat
from pathlib import Path

import psycopg
import pytest
import redis

from asyncdemo.errors import MissingError, ServiceError
from asyncdemo.packages import install_command
from asyncdemo.services import Services, choose, programs
from asyncdemo.services.postgres.cluster import Cluster
from asyncdemo.services.programs import ServiceProgram, free_ports, start_on_free_port
from asyncdemo.services.redis.servers import RedisProgram
from tests.support.servers import (
    KINDS,
    MARK,
    environ_of,
    eventually,
    marked_processes,
    postgres_folders,
    python_path,
)

NOUNS = {"s3": "S3", "redis": "Redis", "postgres": "PostgreSQL"}


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_killed_service_is_named_and_leaves_nothing(
    name: str, kind: str, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = secrets.token_hex()
    monkeypatch.setenv(MARK, mark)
    with Services([name], environ_of(name, kind)) as services:
        assert services.died() is None
        services.kill(name)
        assert eventually(lambda: services.died() is not None)
        death = services.died()
        assert death is not None
        assert death.startswith(f"{NOUNS[name]} has died: its server was ended by SIGKILL.")
        assert services.died() == death
        with pytest.raises(ServiceError, match=f"{NOUNS[name]} has died"):
            services.reset()
    assert eventually(lambda: not marked_processes(mark))
    assert not postgres_folders(temporary)


def test_the_others_of_one_that_is_killed_go_on() -> None:
    with Services(["s3", "redis"], environ_of("redis", "embedded")) as services:
        services.kill("s3")
        assert eventually(lambda: services.died() is not None)
        with redis.Redis.from_url(services.environment["REDIS_URL"]) as client:
            assert client.ping()


@pytest.fixture
def broken(temporary: Path) -> dict[str, str]:
    """A PATH with servers that complain and end, after they have printed their version."""
    for name in ("redis-server", "postgres", "initdb"):
        path = temporary / name
        path.write_text(
            '#!/bin/sh\n[ "$1" = --version ] && exit 0\necho "loading ..."\n'
            f'echo "{name}: cannot allocate the moon" >&2\nexit 3\n'
        )
        path.chmod(0o755)
    return {"PATH": f"{temporary}{os.pathsep}{os.environ['PATH']}"}


@pytest.mark.parametrize(
    ("name", "program", "how"),
    [
        ("redis", "redis-server", "Redis ended with exit code 3 before it answered."),
        ("postgres", "initdb", "PostgreSQL could not be set up: initdb ended with exit code 3."),
    ],
)
def test_service_that_does_not_start_is_quoted(
    name: str, program: str, how: str, temporary: Path, broken: dict[str, str]
) -> None:
    environ = {**environ_of(name, "installed"), **broken}
    with pytest.raises(ServiceError) as caught:
        Services([name], environ).start()
    first, *words = str(caught.value).splitlines()
    assert first == f"{how} Its last output:"
    assert words[-1] == f"  {program}: cannot allocate the moon"
    assert caught.value.exit_code == 3
    assert not postgres_folders(temporary)


def test_broken_package_is_reported_with_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fakeredis.py").write_text("from lupa_is_gone import lua\n")
    monkeypatch.setenv("PYTHONPATH", python_path(tmp_path))
    with pytest.raises(MissingError, match=r"No module named 'lupa_is_gone'\. To install ") as missing:
        Services(["redis"], environ_of("redis", "embedded")).start()
    assert str(missing.value).endswith(install_command("course"))


# -- a port that is taken --------------------------------------------------------------------------


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield int(listening.getsockname()[1])


def installed(name: str) -> list[str]:
    return [str(kind.values[1]) for kind in KINDS if kind.values[0] == name and not kind.marks]


@pytest.mark.parametrize("kind", installed("postgres"))
def test_postgres_takes_another_port(
    kind: str, taken: int, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "free_ports", lambda: chain([taken], free_ports()))
    cluster = Cluster(Path(choose("postgres", environ_of("postgres", kind)).where))
    try:
        cluster.start()
        assert cluster.port != taken
        with psycopg.connect(
            host="127.0.0.1", port=cluster.port, user="asyncdemo", dbname="postgres"
        ) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
    finally:
        cluster.close()
    assert not postgres_folders(temporary)


@pytest.mark.parametrize("kind", [kind for kind in installed("redis") if kind == "installed"])
def test_redis_that_already_listens_is_not_taken_for_ours(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    where = choose("redis", environ_of("redis", kind)).where
    first, second = RedisProgram(where), RedisProgram(where)
    try:
        url = first.start().environment["REDIS_URL"]
        port = int(url.rpartition(":")[2].partition("/")[0])
        monkeypatch.setattr(programs, "free_ports", lambda: chain([port], free_ports()))
        assert second.start().environment["REDIS_URL"] != url
    finally:
        first.close()
        second.close()


def test_three_taken_ports_end_the_attempt_with_the_last_words(
    taken: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    bind = f"import socket; socket.socket().bind(('127.0.0.1', {taken}))"
    tried = []

    def launch(port: int) -> ServiceProgram:
        tried.append(port)
        return ServiceProgram([sys.executable, "-c", bind], endings=[])

    monkeypatch.setattr(programs, "free_ports", lambda: repeat(taken))
    with pytest.raises(ServiceError, match="ended with exit code 1 before it answered"):
        start_on_free_port(launch, lambda program, port: False)
    assert tried == [taken] * 3


# -- a program -------------------------------------------------------------------------------------

IDLE = [sys.executable, "-c", "import time; time.sleep(600)"]


def test_a_program_that_ignores_the_wish_that_it_ends_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "_GRACE_S", 0.2)
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
    program = ServiceProgram([sys.executable, "-c", deaf], endings=[signal.SIGTERM])
    program.end()
    assert not program.running
    program.end()


def test_only_an_end_that_nobody_asked_for_is_a_loss() -> None:
    losses: list[str] = []
    reported = threading.Event()

    def lost(how: str) -> None:
        losses.append(how)
        reported.set()

    program = ServiceProgram(IDLE, endings=[])
    program.watch(lost)
    program.process.kill()
    assert reported.wait(30)
    asked = ServiceProgram(IDLE, endings=[])
    asked.watch(lost)
    asked.end()
    assert losses == ["was ended by SIGKILL"]
