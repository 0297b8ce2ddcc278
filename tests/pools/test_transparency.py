"""A program with pools does and says under the tracer what it does and says without."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.support.plain_and_traced import plain, traced

pytestmark = pytest.mark.slow

PSYCOPG2 = """
    import os, sys, traceback
    import psycopg2
    import psycopg2.extensions as extensions
    import psycopg2.extras as extras

    class Loud(extensions.connection):
        def cursor(self, *args, **options):
            print("a cursor", args, sorted(options))
            return super().cursor(*args, **options)

    class Own(extensions.cursor):
        def execute(self, query, parameters=None):
            print("executes", query)
            return super().execute(query, parameters)

    URL = os.environ["DATABASE_URL"]
    for factory in (None, Loud, extras.RealDictConnection, extras.NamedTupleConnection):
        connection = psycopg2.connect(URL, connection_factory=factory)
        print(type(connection).__name__, type(connection).__module__)
        print(isinstance(connection, factory or extensions.connection))
        for options in ({}, {"cursor_factory": Own}, {"cursor_factory": extras.DictCursor}, {"name": "a"}):
            with connection, connection.cursor(**options) as cursor:
                cursor.execute("select generate_series(1, 3) as n")
                rows = [cursor.fetchone(), *cursor.fetchmany(1), *cursor]
                print(type(cursor).__name__, type(cursor).__qualname__, type(cursor).__module__, rows)
        connection.close()
        print(connection.closed)

    with psycopg2.connect(URL, cursor_factory=extras.RealDictCursor) as connection:
        with connection.cursor() as cursor:
            cursor.execute("select %s as a, %s as b", (1, "two"))
            print(cursor.fetchall(), cursor.rowcount, cursor.query)
            extras.execute_values(cursor, "select * from (values %s) v", [(1,), (2,)])
            print(cursor.fetchall())
        with connection.cursor("named") as cursor:
            cursor.execute("select generate_series(1, 5) as n")
            cursor.scroll(1)
            print([row["n"] for row in cursor])
    connection.rollback()
    try:
        connection.cursor().execute("select no_such_column")
    except psycopg2.Error:
        traceback.print_exc(file=sys.stdout)
    connection.close()
    try:
        connection.cursor()
    except psycopg2.InterfaceError as error:
        print(error)
    try:
        psycopg2.connect("postgresql://nobody@127.0.0.1:1/none")
    except psycopg2.OperationalError as error:
        print(type(error).__name__)
        print([frame.name for frame in traceback.extract_tb(error.__traceback__)])
    print(psycopg2.connect.__name__, psycopg2._connect.__name__)
    """

REDIS = """
    import asyncio, os, sys, traceback, inspect
    import redis, redis.asyncio
    from redis.asyncio.connection import BlockingConnectionPool, ConnectionPool

    print(inspect.iscoroutinefunction(ConnectionPool.get_connection))
    print(inspect.signature(ConnectionPool.release))

    async def main():
        client = redis.asyncio.Redis.from_url("redis://127.0.0.1:1/0", retry=None)
        try:
            await client.get("x")
        except redis.ConnectionError as error:
            print([frame.name for frame in traceback.extract_tb(error.__traceback__)])
        pool = BlockingConnectionPool.from_url(os.environ["REDIS_URL"], max_connections=1, timeout=0.05)
        client = redis.asyncio.Redis(connection_pool=pool)
        async def show(n):
            try:
                return await client.blpop("nothing", 0.3)
            except redis.ConnectionError as error:
                return [frame.name for frame in traceback.extract_tb(error.__traceback__)], str(error)
        print(await asyncio.gather(show(1), show(2)))
        await pool.aclose()

    asyncio.run(main())
    client = redis.Redis.from_url(os.environ["REDIS_URL"], max_connections=1)
    held = client.connection_pool.get_connection()
    try:
        client.get("x")
    except redis.ConnectionError:
        traceback.print_exc(file=sys.stdout)
    """

ASYNCPG = """
    import asyncio, os, sys, traceback
    import asyncpg

    async def main():
        async with asyncpg.create_pool(os.environ["DATABASE_URL"], min_size=1, max_size=1) as pool:
            print(type(pool).__name__, pool.get_size(), pool.get_idle_size())
            async with pool.acquire() as connection:
                print(type(connection).__name__, await connection.fetchval("select 1"))
                try:
                    await connection.fetchval("select no_such_column")
                except asyncpg.PostgresError:
                    traceback.print_exc(file=sys.stdout)
                try:
                    await pool.acquire(timeout=0.05)
                except TimeoutError as error:
                    print([frame.name for frame in traceback.extract_tb(error.__traceback__)][-2:])
            try:
                await pool.release(connection)
                print("released again")
                await connection.fetchval("select 1")
            except asyncpg.InterfaceError as error:
                print(error)

    asyncio.run(main())
    """


@pytest.mark.parametrize("source", [PSYCOPG2, REDIS, ASYNCPG], ids=["psycopg2", "redis", "asyncpg"])
def test_what_a_program_with_a_pool_sees(tmp_path: Path, source: str) -> None:
    (tmp_path / "script.py").write_text(textwrap.dedent(source), encoding="utf-8")
    without = plain("script.py", folder=tmp_path)
    assert without.exit_code == 0, without.stderr
    under, run = traced("script.py", folder=tmp_path)
    assert (under.stdout, under.stderr, under.exit_code) == (
        without.stdout,
        without.stderr,
        without.exit_code,
    )
    assert run.notes == ()
