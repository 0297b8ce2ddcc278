"""Servers that belong to somebody: what is theirs is not touched, and what we made there goes with us."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator

import psycopg
import pytest
import redis
from psycopg.conninfo import conninfo_to_dict

from asyncdemo.errors import ServiceError
from asyncdemo.services import Services
from asyncdemo.services.films import COUNT
from asyncdemo.services.postgres.server import url_of as postgres_url_of
from asyncdemo.services.redis.servers import url_of as redis_url_of
from tests.support.servers import KINDS, environ_of, eventually, python_path


def kinds(name: str) -> list[object]:
    return [kind for kind in KINDS if kind.values[0] == name]


# -- Redis -----------------------------------------------------------------------------------------


@pytest.fixture
def theirs(name: str, kind: str) -> Iterator[redis.Redis]:
    """A server with something in its databases 3 and 15."""
    with Services([name], environ_of(name, kind)) as server:
        url = redis_url_of(server.environment["REDIS_URL"], 3)
        with redis.Redis.from_url(redis_url_of(url, 15)) as other:
            other.set("theirs", "15")
        with redis.Redis.from_url(url) as client:
            client.set("theirs", "3")
            yield client


def address_of(client: redis.Redis) -> dict[str, str]:
    place = client.get_connection_kwargs()
    return {"ASYNCDEMO_REDIS_URL": f"redis://{place['host']}:{place['port']}/{place['db']}"}


def contents(client: redis.Redis) -> dict[int, list[bytes]]:
    """Database -> its keys."""
    found = {}
    for number in range(16):
        with redis.Redis.from_url(
            redis_url_of(address_of(client)["ASYNCDEMO_REDIS_URL"], number)
        ) as database:
            if keys := database.keys("*"):
                found[number] = sorted(keys)
    return found


@pytest.mark.parametrize(("name", "kind"), kinds("redis"))
def test_borrowed_redis_is_empty_when_lent_and_when_returned(theirs: redis.Redis) -> None:
    before = contents(theirs)
    assert before == {3: [b"theirs"], 15: [b"theirs"]}
    with Services(["redis"], address_of(theirs)) as services:
        url = services.environment["REDIS_URL"]
        assert not url.endswith(("/3", "/15"))
        with redis.Redis.from_url(url) as ours:
            assert ours.dbsize() == 0
            ours.set("ours", "1")
            services.reset()
            assert ours.dbsize() == 0
            ours.set("ours", "2")
        with Services(["redis"], address_of(theirs)) as others:
            assert others.environment["REDIS_URL"] != url
        with pytest.raises(ServiceError, match="was not started by asyncdemo"):
            services.kill("redis")
    assert contents(theirs) == before


@pytest.mark.parametrize(("name", "kind"), kinds("redis"))
def test_without_an_empty_database_nothing_is_touched(theirs: redis.Redis) -> None:
    for number in range(16):
        with redis.Redis.from_url(
            redis_url_of(address_of(theirs)["ASYNCDEMO_REDIS_URL"], number)
        ) as database:
            database.set("theirs", "1")
    before = contents(theirs)
    with pytest.raises(ServiceError, match="no empty database among numbers 0 to 15"):
        Services(["redis"], address_of(theirs)).start()
    assert contents(theirs) == before


# -- PostgreSQL ------------------------------------------------------------------------------------


@pytest.fixture
def server(name: str, kind: str) -> Iterator[str]:
    """The address of a database with the films of somebody, less one."""
    with Services([name], environ_of(name, kind)) as services:
        url = services.environment["DATABASE_URL"]
        with psycopg.connect(url) as connection:
            connection.execute("DELETE FROM film WHERE film_id = 7")
        yield url


def databases(url: str) -> dict[str, int]:
    with psycopg.connect(url) as connection:
        names = {name for (name,) in connection.execute("SELECT datname FROM pg_database")}
        (count,) = connection.execute("SELECT count(*) FROM film").fetchone() or (0,)
    return dict.fromkeys(names, 0) | {"films": count}


@pytest.mark.parametrize(("name", "kind"), kinds("postgres"))
def test_a_borrowed_postgres_lends_a_database_of_our_own(server: str) -> None:
    before = databases(server)
    assert before["films"] == COUNT - 1
    with Services(["postgres"], {"ASYNCDEMO_PG_DSN": server}) as services:
        url = services.environment["DATABASE_URL"]
        for _ in range(2):
            with psycopg.connect(url, autocommit=True) as ours:
                assert ours.execute("SELECT count(*) FROM film").fetchone() == (COUNT,)
                ours.execute("DROP TABLE film CASCADE")
            services.reset()
        during = databases(server)
        assert len(during) == len(before) + 1
    assert databases(server) == before


@pytest.mark.parametrize("number", [signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)])
@pytest.mark.parametrize(("name", "kind"), kinds("postgres")[:1])
def test_what_was_borrowed_goes_back_even_if_we_are_killed(server: str, number: int) -> None:
    before = databases(server)
    start = "from asyncdemo.services import Services; services = Services(['postgres']); services.start()"
    script = f"{start}; print('up', flush=True); input()"
    environment = {**os.environ, "PYTHONPATH": python_path(), "ASYNCDEMO_PG_DSN": server}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", script], env=environment, stdin=pipe, stdout=pipe, text=True
    ) as started:
        assert started.stdout is not None
        assert started.stdout.readline() == "up\n"
        assert databases(server) != before
        started.send_signal(number)
    assert eventually(lambda: databases(server) == before)


def test_unreachable_server_is_reported_without_the_password() -> None:
    secret = secrets.token_hex()
    environ = {
        "ASYNCDEMO_REDIS_URL": f"redis://:{secret}@127.0.0.1:1/0",
        "ASYNCDEMO_PG_DSN": f"host=127.0.0.1 port=1 user=ada password={secret}",
    }
    for name, variable in (("redis", "ASYNCDEMO_REDIS_URL"), ("postgres", "ASYNCDEMO_PG_DSN")):
        with pytest.raises(
            ServiceError, match=f"127.0.0.1.*refused.*If you unset {variable}, asyncdemo starts one"
        ) as caught:
            Services([name], environ).start()
        assert secret not in str(caught.value)


# -- addresses -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "other"),
    [
        ("redis://host", "redis://host/7"),
        ("redis://:p%40ss@host:6379/3", "redis://:p%40ss@host:6379/7"),
        ("rediss://host/3?ssl_cert_reqs=none&db=4", "rediss://host/7?ssl_cert_reqs=none"),
        ("unix:///run/redis.sock?db=3", "unix:///run/redis.sock?db=7"),
    ],
)
def test_another_database_of_the_same_redis(address: str, other: str) -> None:
    assert redis_url_of(address, 7) == other
    with redis.Redis.from_url(other) as client:
        assert client.get_connection_kwargs()["db"] == 7


@pytest.mark.parametrize(
    "dsn",
    [
        "host=db.example port=5433 user=ada password='p@ss/w:d' dbname=films sslmode=require",
        "host=/var/run/postgresql dbname=films user=ada",
        "dbname=films",
        "host=::1 dbname=films options='-c search_path=a,b'",
        "host=one,two port=5432,5433 dbname=films",
        "postgresql://ada:secret@db.example/films?application_name=x%20y",
    ],
)
def test_the_words_of_libpq_and_the_url_mean_the_same(dsn: str) -> None:
    words = {name: str(value) for name, value in conninfo_to_dict(dsn).items() if value is not None}
    assert conninfo_to_dict(postgres_url_of(words)) == words
