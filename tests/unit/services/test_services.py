"""Services that run: how they are reached, what is in them, and that a reset brings that back."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest import mock
from urllib.parse import urlsplit

import asyncpg
import boto3
import psycopg
import psycopg2
import pytest
import redis
from redis import asyncio as async_redis

from asyncdemo.errors import ServiceError, UsageError
from asyncdemo.services import Services
from asyncdemo.services.films import films
from tests.support.servers import KINDS, environ_of, postgres_environ

S3, REDIS, POSTGRES = (
    [kind for kind in KINDS if kind.values[0] == name] for name in ("s3", "redis", "postgres")
)


@pytest.fixture(scope="module")
def running() -> Iterator[dict[tuple[str, str], Services]]:
    """Those that tests have asked for; all of them are shared, and reset before each test."""
    services: dict[tuple[str, str], Services] = {}
    yield services
    for one in services.values():
        one.close()


@pytest.fixture
def services(running: dict[tuple[str, str], Services], name: str, kind: str) -> Services:
    if (name, kind) not in running:
        running[name, kind] = Services([name], environ_of(name, kind))
        running[name, kind].start()
    running[name, kind].reset()
    return running[name, kind]


@pytest.fixture
def s3(services: Services, monkeypatch: pytest.MonkeyPatch) -> Any:
    for variable, value in services.environment.items():
        monkeypatch.setenv(variable, value)
    return boto3.session.Session().client("s3")


@pytest.fixture
def client(services: Services) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(services.environment["REDIS_URL"]) as connected:
        yield connected


@pytest.fixture
def database(services: Services) -> Iterator[psycopg.Connection]:
    with psycopg.connect(services.environment["DATABASE_URL"], autocommit=True) as connected:
        yield connected


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_it_listens_on_the_loopback_in_a_process_of_its_own(services: Services, name: str) -> None:
    before = dict(services.environment)
    address = next(value for value in before.values() if "://" in value)
    assert urlsplit(address).hostname == "127.0.0.1"
    assert services.words[name]
    assert services.died() is None
    assert not set(before) & set(os.environ) - {"NO_PROXY", "no_proxy"}
    services.start()  # does nothing
    assert services.environment == before


# -- S3 --------------------------------------------------------------------------------------------


def keys(s3: Any) -> list[str]:
    return [item["Key"] for item in s3.list_objects_v2(Bucket="asyncdemo").get("Contents", [])]


@pytest.mark.parametrize(("name", "kind"), S3)
def test_s3_has_one_empty_bucket_and_after_a_reset_again(s3: Any, services: Services) -> None:
    assert [bucket["Name"] for bucket in s3.list_buckets()["Buckets"]] == ["asyncdemo"]
    assert keys(s3) == []
    s3.put_object(Bucket="asyncdemo", Key="a/b.png", Body=b"\x89PNG" * 100_000)
    assert s3.get_object(Bucket="asyncdemo", Key="a/b.png")["Body"].read() == b"\x89PNG" * 100_000
    s3.create_bucket(Bucket="another")
    services.reset()
    assert keys(s3) == []
    assert [bucket["Name"] for bucket in s3.list_buckets()["Buckets"]] == ["asyncdemo"]


@pytest.mark.parametrize(("name", "kind"), S3)
def test_nothing_in_a_users_own_settings_leads_to_a_real_aws(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = {
        "AWS_PROFILE": "work",
        "AWS_SESSION_TOKEN": "real",
        "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true",
        "HTTP_PROXY": "http://127.0.0.1:9",
        "http_proxy": "http://127.0.0.1:9",
    }
    for variable, value in {**theirs, **services.environment}.items():
        monkeypatch.setenv(variable, value)
    session = boto3.session.Session()
    assert session.get_credentials().token in {None, ""}
    assert session.get_credentials().access_key == "testing"
    assert session.client("s3").list_objects_v2(Bucket="asyncdemo")["KeyCount"] == 0


def test_a_users_list_of_what_needs_no_proxy_is_kept() -> None:
    from asyncdemo.services.s3.server import _environment

    with mock.patch.dict(os.environ, {"no_proxy": "intranet.example"}):
        assert _environment("http://127.0.0.1:1")["NO_PROXY"] == "intranet.example,127.0.0.1,localhost"


# -- Redis -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "kind"), REDIS)
def test_redis_is_empty_and_after_a_reset_again(client: redis.Redis, services: Services) -> None:
    assert client.dbsize() == 0
    client.set("film:995", "Broken Dancer")
    assert client.get("film:995") == b"Broken Dancer"
    services.reset()
    assert client.dbsize() == 0


@pytest.mark.parametrize(("name", "kind"), REDIS)
def test_redis_speaks_to_many_at_once_and_messages_arrive(services: Services) -> None:
    url = services.environment["REDIS_URL"]

    async def talk() -> tuple[list[Any], Any]:
        clients = [async_redis.Redis.from_url(url, single_connection_client=True) for _ in range(100)]
        answers = await asyncio.gather(*(client.echo(f"{number}") for number, client in enumerate(clients)))
        listener = clients[0].pubsub(ignore_subscribe_messages=True)
        await listener.subscribe("news")
        message = None
        while message is None:
            await clients[1].publish("news", "out")
            message = await listener.get_message(timeout=1)
        await listener.aclose()
        for client in clients:
            await client.aclose()
        return answers, message["data"]

    answers, message = asyncio.run(talk())
    assert answers == [str(number).encode() for number in range(100)]
    assert message == b"out"


@pytest.mark.parametrize(("name", "kind"), REDIS)
def test_an_error_is_an_answer_and_the_connection_stays(services: Services) -> None:
    with redis.Redis.from_url(services.environment["REDIS_URL"], single_connection_client=True) as client:
        client.lpush("list", "1")
        before = client.client_id()
        with pytest.raises(redis.ResponseError, match="WRONGTYPE"):
            client.get("list")
        with pytest.raises(redis.ResponseError, match="unknown command"):
            client.execute_command("NONESUCH")
        assert client.client_id() == before


@pytest.mark.parametrize(("name", "kind"), [kind for kind in REDIS if kind.values[1] == "installed"])
def test_client_of_the_redis_program_cannot_make_it_write_files(client: redis.Redis) -> None:
    for command in (["CONFIG", "SET", "dir", "/"], ["SAVE"], ["MODULE", "LIST"], ["REPLICAOF", "NO", "ONE"]):
        with pytest.raises(redis.exceptions.NoPermissionError):
            client.execute_command(*command)


# -- PostgreSQL ------------------------------------------------------------------------------------


def titles(database: psycopg.Connection) -> list[tuple[Any, ...]]:
    return database.execute(
        "SELECT film_id, title, release_year, length, rating, rental_rate::text FROM film"
    ).fetchall()


@pytest.mark.parametrize(("name", "kind"), POSTGRES)
def test_postgres_has_films_and_no_review_also_after_a_reset(
    database: psycopg.Connection, services: Services
) -> None:
    assert sorted(titles(database)) == sorted(map(tuple, films()))
    database.execute("INSERT INTO review VALUES (995, 4)")
    with pytest.raises(psycopg.errors.ForeignKeyViolation):
        database.execute("INSERT INTO review VALUES (1001, 4)")
    database.execute("DELETE FROM film WHERE film_id <> 995")
    database.execute(
        "CREATE TABLE left_over (x int); CREATE SCHEMA s; CREATE FUNCTION f() RETURNS int RETURN 1"
    )
    services.reset()
    with pytest.raises(psycopg.errors.AdminShutdown):  # who was connected is cut off, not waited for
        database.execute("SELECT 1")
    with psycopg.connect(services.environment["DATABASE_URL"]) as fresh:
        assert len(titles(fresh)) == len(films())
        assert fresh.execute("SELECT count(*) FROM review").fetchone() == (0,)
        assert fresh.execute("SELECT to_regclass('left_over'), to_regproc('f')").fetchone() == (None, None)
        assert fresh.execute("SELECT count(*) FROM pg_namespace WHERE nspname = 's'").fetchone() == (0,)


@pytest.mark.parametrize(("name", "kind"), POSTGRES)
def test_the_address_is_understood_by_every_driver_of_the_course(services: Services) -> None:
    url = services.environment["DATABASE_URL"]

    async def with_asyncpg() -> Any:
        connection = await asyncpg.connect(url)
        try:
            return await connection.fetchval("SELECT title FROM film WHERE film_id = $1", 995)
        finally:
            await connection.close()

    def with_psycopg2() -> Any:
        connection = psycopg2.connect(url)
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT title FROM film WHERE film_id = %s", (995,))
                return cursor.fetchone()[0]
        finally:
            connection.close()

    title = films()[994].title
    with mock.patch.dict(os.environ, {"PGSSLMODE": "require"}):  # a user's own setting
        assert (asyncio.run(with_asyncpg()), with_psycopg2()) == (title, title)


@pytest.mark.parametrize(("name", "kind"), POSTGRES)
def test_client_of_postgres_gets_databases_and_not_the_machine(
    database: psycopg.Connection, services: Services
) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        database.execute("COPY film TO PROGRAM 'cat'")
    superuser = services.environment["DATABASE_URL"].replace("asyncdemo@", "postgres@")
    with pytest.raises(psycopg.OperationalError, match=r"pg_hba\.conf"):
        psycopg.connect(superuser)


# -- several ---------------------------------------------------------------------------------------


def embedded() -> Mapping[str, str]:
    return {**environ_of("redis", "embedded"), **postgres_environ()}


def test_services_run_together_each_once_and_are_gone_afterwards() -> None:
    with Services(["postgres", "s3", "s3", "redis"], embedded()) as services:
        assert services.names == ("postgres", "s3", "redis")
        assert {"AWS_ENDPOINT_URL_S3", "REDIS_URL", "DATABASE_URL"} <= set(services.environment)
        services.reset()
        addresses = [urlsplit(value) for value in services.environment.values() if "://" in value]
    assert len(addresses) == 3
    for address in addresses:
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((address.hostname, address.port or 0), timeout=5).close()


def test_unknown_service_is_refused_with_a_list_and_none_is_fine() -> None:
    with pytest.raises(UsageError, match=r"no service 'mysql'\. There are: s3, redis, postgres"):
        Services(["s3", "mysql"])
    with Services([]) as services:
        services.reset()
        assert not services.environment and services.died() is None
        with pytest.raises(ServiceError, match="'redis' is not running"):
            services.kill("redis")


def test_once_closed_it_stays_closed() -> None:
    services = Services(["redis"], embedded())
    services.close()
    services.close()
    with pytest.raises(ServiceError):
        services.start()


def test_module_in_the_users_folder_is_not_taken_for_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "redis.py").write_text("raise SystemExit('not this one')")
    monkeypatch.chdir(tmp_path)
    with Services(["redis"], embedded()) as services:
        assert services.died() is None
