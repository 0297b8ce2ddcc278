"""Mistakes with pools, made on the real things: what is found, and what is said of the loop they block."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import pytest

from asyncdemo.analysis.diagnose import diagnose
from asyncdemo.analysis.metrics.pools import pool_use
from asyncdemo.model import Run
from asyncdemo.testing.checks import CheckFailed, Seen
from tests.support.truth import recorded

pytestmark = pytest.mark.slow

_POOL_KINDS = {
    "held-while-acquiring",
    "leaked-connection",
    "pool-per-call",
    "refused-by-pool",
    "reopened-connections",
    "small-pool",
}


def found(run: Run) -> set[str]:
    # aiohttp makes such a task for each request, on 3.12 and newer; seldom has it anything left to do
    assert not [note for note in run.notes if not note.startswith("Eager tasks that the loop's")]
    return {finding.kind for finding in diagnose(run)} & _POOL_KINDS


def _tasks(source: str) -> str:
    """A script that runs ``main``."""
    return f"import asyncio, json, os\n{textwrap.dedent(source)}\nasyncio.run(main())"


REDIS_FOR_EACH = _tasks("""
    import redis.asyncio as redis

    async def show(n):
        client = redis.Redis.from_url(os.environ["REDIS_URL"])
        await client.set(f"made:{n}", n)
        value = await client.get(f"made:{n}")
        await client.aclose()
        return value

    async def main():
        await asyncio.gather(*(show(n) for n in range(5)))
    """)

S3_FOR_EACH = _tasks("""
    import aioboto3

    async def show(n):
        async with aioboto3.Session().client("s3", verify=False) as client:
            await client.put_object(Bucket="asyncdemo", Key=f"made/{n}", Body=b"x")

    async def main():
        await asyncio.gather(*(show(n) for n in range(4)))
    """)


@pytest.mark.parametrize(("name", "number", "script"), [("redis", 5, REDIS_FOR_EACH), ("s3", 4, S3_FOR_EACH)])
def test_a_client_for_each_call(tmp_path: Path, name: str, number: int, script: str) -> None:
    run = recorded(tmp_path, script, lanes=["show"]).run
    assert found(run) == {"pool-per-call"}
    assert [use.resource.name for use in pool_use(run)] == [name] * number
    assert all(use.resource.closed_ns is not None for use in pool_use(run))


HTTP = """
    import http.server, threading
    import requests

    class Answer(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, *args):
            pass

    def server():
        made = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        made.daemon_threads = True
        threading.Thread(target=made.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{made.server_port}/"

    urls = [server() for _ in range(4)]
    session = requests.Session()

    def show(url):
        assert FETCH(url).text == "ok"

    threads = [threading.Thread(target=show, args=(url,)) for url in urls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    session.close()
    """


@pytest.mark.parametrize(
    ("get", "number", "kinds"),
    [("session.get", 1, set()), ("requests.get", 4, {"pool-per-call"})],
)
def test_a_session_has_pools_of_many_hosts_and_is_one_client(
    tmp_path: Path, get: str, number: int, kinds: set[str]
) -> None:
    pytest.importorskip("requests")
    run = recorded(tmp_path, HTTP.replace("FETCH(", f"{get}("), lanes=["show"]).run
    assert found(run) == kinds
    pools = [use.resource for use in pool_use(run)]
    assert (len(pools), sum(len(pool.connections) for pool in pools)) == (number, 4)
    assert all(pool.closed_ns is not None for pool in pools)


NEVER_CLOSED = """
    import os
    import redis

    client = redis.Redis.from_url(os.environ["REDIS_URL"])
    client.ping()
    """


S3_NEVER_CLOSED = _tasks("""
    import aioboto3

    async def main():
        client = await aioboto3.Session().client("s3", verify=False).__aenter__()
        await client.put_object(Bucket="asyncdemo", Key="made/1", Body=b"x")
    """)


@pytest.mark.parametrize("script", [NEVER_CLOSED, S3_NEVER_CLOSED], ids=["redis", "s3"])
def test_connection_ended_by_program_or_server_is_not_closed(tmp_path: Path, script: str) -> None:
    (use,) = pool_use(recorded(tmp_path, script).run)
    assert use.resource.closed_ns is None


REFUSED_BY_REDIS = _tasks("""
    import redis.asyncio as redis

    async def show(client):
        try:
            await client.blpop("nothing", 0.05)
        except redis.ConnectionError:
            return "refused"

    async def main():
        client = redis.Redis.from_url(os.environ["REDIS_URL"], max_connections=2)
        answers = await asyncio.gather(*(show(client) for _ in range(6)))
        await client.aclose()
        print(json.dumps(answers.count("refused")))
    """)

REFUSED_BY_PSYCOPG2 = """
    import json, os, threading
    from psycopg2.pool import PoolError, ThreadedConnectionPool

    pool = ThreadedConnectionPool(0, 2, os.environ["DATABASE_URL"])
    refused = []
    together = threading.Barrier(6)

    def show():
        together.wait()
        try:
            connection = pool.getconn()
        except PoolError:
            refused.append(1)
            together.wait()
            return
        together.wait()
        pool.putconn(connection)

    threads = [threading.Thread(target=show) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    pool.closeall()
    print(json.dumps(len(refused)))
    """

REFUSED_BY_PSYCOPG = _tasks("""
    from psycopg_pool import AsyncConnectionPool, PoolTimeout

    async def show(pool):
        try:
            async with pool.connection(timeout=0.1) as connection:
                await connection.execute("select pg_sleep(1)")
        except PoolTimeout:
            return "refused"

    async def main():
        async with AsyncConnectionPool(os.environ["DATABASE_URL"], min_size=2, max_size=2) as pool:
            await pool.wait()
            answers = await asyncio.gather(*(show(pool) for _ in range(5)))
        print(json.dumps(answers.count("refused")))
    """)

REFUSED_BY_ASYNCPG = _tasks("""
    import asyncpg

    async def show(pool):
        try:
            async with pool.acquire(timeout=0.1) as connection:
                await connection.execute("select pg_sleep(1)")
        except TimeoutError:
            return "refused"

    async def main():
        async with asyncpg.create_pool(os.environ["DATABASE_URL"], min_size=2, max_size=2) as pool:
            answers = await asyncio.gather(*(show(pool) for _ in range(5)))
        print(json.dumps(answers.count("refused")))
    """)


@pytest.mark.parametrize(
    ("script", "waited"),
    [
        (REFUSED_BY_REDIS, False),
        (REFUSED_BY_PSYCOPG2, False),
        (REFUSED_BY_PSYCOPG, True),
        (REFUSED_BY_ASYNCPG, True),
    ],
    ids=["redis", "psycopg2", "psycopg", "asyncpg"],
)
def test_who_is_refused_is_counted(tmp_path: Path, script: str, waited: bool) -> None:
    recording = recorded(tmp_path, script, lanes=["show"])
    refused = json.loads(recording.stdout.splitlines()[-1])
    assert refused >= 3
    (use,) = pool_use(recording.run)
    assert use.refused == refused
    assert use.most_held == 2
    assert "refused-by-pool" in found(recording.run)
    assert (use.most_waiting > 0) is waited


WITH_A_LIMIT_OF_TIME = _tasks("""
    import asyncpg

    async def invoice(pool):
        first = await asyncio.wait_for(pool.acquire(), 5)
        second = await pool.acquire(timeout=5)
        await pool.release(second)
        await pool.release(first)

    async def main():
        async with asyncpg.create_pool(os.environ["DATABASE_URL"], min_size=2, max_size=2) as pool:
            await invoice(pool)
    """)


def test_what_wait_for_takes_is_its_callers(tmp_path: Path) -> None:
    """Python 3.11 takes it in its own task."""
    run = recorded(tmp_path, WITH_A_LIMIT_OF_TIME, lanes=["invoice"]).run
    pools = Seen(run, functions=["invoice"]).pool("asyncpg").none_leaked()
    with pytest.raises(
        CheckFailed, match=r"Nobody should hold two asyncpg connections at the same time; invoice\(\) took"
    ):
        pools.no_task_holds_two()


LEAKING = {
    "asyncpg": _tasks("""
    import asyncpg

    async def show(pool):
        connection = await pool.acquire()
        return await connection.fetchval("select 1")

    async def main():
        pool = await asyncpg.create_pool(os.environ["DATABASE_URL"], min_size=1, max_size=5)
        await asyncio.gather(show(pool), show(pool))
        pool.terminate()
    """),
    "psycopg2": """
    import os, threading
    from psycopg2.pool import ThreadedConnectionPool

    pool = ThreadedConnectionPool(1, 5, os.environ["DATABASE_URL"])

    def show():
        with pool.getconn().cursor() as cursor:
            cursor.execute("select 1")

    for _ in range(2):
        thread = threading.Thread(target=show)
        thread.start()
        thread.join()
    pool.closeall()
    """,
    "redis": _tasks("""
    import redis.asyncio as redis

    async def show(client):
        await client.pubsub().subscribe("news")

    async def main():
        client = redis.Redis.from_url(os.environ["REDIS_URL"], max_connections=5)
        await asyncio.gather(show(client), show(client))
        await client.connection_pool.disconnect()
    """),
}


@pytest.mark.parametrize("name", LEAKING)
def test_what_is_never_given_back(tmp_path: Path, name: str) -> None:
    run = recorded(tmp_path, LEAKING[name], lanes=["show"]).run
    (use,) = pool_use(run)
    assert use.leaked == 2
    assert "leaked-connection" in found(run)
    (message,) = [one.message for one in diagnose(run) if one.kind == "leaked-connection"]
    assert "2 of 5 were taken and never given back; held last in show()" in message


LOST = {
    "asyncpg": _tasks("""
    import asyncpg

    async def show(pool):
        async with pool.acquire() as connection:
            return await connection.fetchval("select pg_backend_pid()")

    async def main():
        async with asyncpg.create_pool(os.environ["DATABASE_URL"], min_size=0, max_size=5) as pool:
            pid = await show(pool)
            other = await asyncpg.connect(os.environ["DATABASE_URL"])
            await other.execute("select pg_terminate_backend($1)", pid)
            await other.close()
            await asyncio.sleep(0.1)
            assert await show(pool) != pid
    """),
    "psycopg2": """
    import os
    import psycopg2
    from psycopg2.pool import SimpleConnectionPool

    pool = SimpleConnectionPool(1, 5, os.environ["DATABASE_URL"])

    def show():
        connection = pool.getconn()
        try:
            with connection.cursor() as cursor:
                cursor.execute("select pg_backend_pid()")
                return cursor.fetchone()[0]
        except psycopg2.Error:
            return None
        finally:
            pool.putconn(connection)

    pid = show()
    other = psycopg2.connect(os.environ["DATABASE_URL"])
    with other, other.cursor() as cursor:
        cursor.execute("select pg_terminate_backend(%s)", (pid,))
    other.close()
    assert show() is None
    assert show() != pid
    pool.closeall()
    """,
    "psycopg": """
    import os
    import psycopg
    from psycopg_pool import ConnectionPool

    def show(pool):
        with pool.connection() as connection:
            return connection.execute("select pg_backend_pid()").fetchone()[0]

    with ConnectionPool(os.environ["DATABASE_URL"], min_size=1, max_size=1, open=True) as pool:
        pid = show(pool)
        with psycopg.connect(os.environ["DATABASE_URL"]) as other:
            other.execute("select pg_terminate_backend(%s)", (pid,))
        try:
            show(pool)
        except psycopg.OperationalError:
            pass
        assert show(pool) != pid
    """,
}


@pytest.mark.parametrize("name", LOST)
def test_connection_that_the_server_ends_is_closed_and_replaced(tmp_path: Path, name: str) -> None:
    run = recorded(tmp_path, LOST[name], lanes=["show"]).run
    assert found(run) == set()
    (use,) = pool_use(run)
    assert (use.connections, use.most_open, use.closed, use.leaked) == (2, 1, 2, 0)


BLOCKING = _tasks("""
    import psycopg, psycopg2, redis

    def old():
        connection = psycopg2.connect(os.environ["DATABASE_URL"])
        cursor = connection.cursor()
        cursor.execute("select pg_sleep(0.15)")
        connection.close()

    def new():
        with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
            connection.execute("select pg_sleep(0.15)")

    def cache():
        with redis.Redis.from_url(os.environ["REDIS_URL"]) as client:
            client.blpop("nothing", 0.15)

    async def main():
        for query in (old, new, cache):
            query()
            await asyncio.sleep(0.01)
    """)


def test_blocking_client_in_a_task_blocks_the_loop_and_is_named(tmp_path: Path) -> None:
    run = recorded(tmp_path, BLOCKING).run
    queries = [call for call in run.blocking_calls if call.reason not in ("dns", "net.connect")]
    where = {(call.reason, call.called_from.function) for call in queries if call.called_from is not None}
    assert where == {("sql", "old"), ("sql", "new"), ("redis", "cache")}
    messages = [one.message for one in diagnose(run) if one.kind == "blocks-the-loop"]
    assert sum("A blocking call of a database client" in message for message in messages) == 2
    assert sum("A blocking call of a Redis client" in message for message in messages) == 1
