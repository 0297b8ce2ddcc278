"""Programs that use a pool and count themselves who held which connection from when until when.

Each prints, as its last line, a list of uses: [n of ``use(n)``, a key of the connection, when it had the
connection, before it gave it back, after it had given it back].
"""

from __future__ import annotations

_COUNTING = """
import json, os, time
from asyncio import gather, run, sleep

USERS, LIMIT, HOLD_S = 9, 3, 0.08
USES = []
clock = time.perf_counter_ns


def report():
    print(json.dumps(USES), flush=True)

"""

_TASKS = """
async def use(n):
    connection = await acquire()
    got = clock()
    await query(connection)
    before = clock()
    key = key_of(connection)
    await release(connection)
    USES.append([n, key, got, before, clock()])


async def all_of_them():
    await gather(*(use(n) for n in range(USERS)))
"""

_THREADS = """
import threading

together = threading.Barrier(USERS)

def use(n):
    connection = acquire()
    got = clock()
    query(connection)
    before = clock()
    key = key_of(connection)
    release(connection)
    USES.append([n, key, got, before, clock()])


def start(n, users):
    if users == USERS:
        together.wait()
    use(n)


def all_of_them(users=USERS):
    threads = [threading.Thread(target=start, args=(n, users)) for n in range(users)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""

_REDIS_TASKS = """
import redis.asyncio as redis

async def acquire():
    return await pool.get_connection()

async def release(connection):
    await pool.release(connection)

async def query(connection):
    await connection.send_command("BLPOP", "nothing", HOLD_S)
    await connection.read_response()

key_of = id

async def main():
    global pool
    pool = redis.BlockingConnectionPool.from_url(os.environ["REDIS_URL"], max_connections=LIMIT, timeout=20)
    await all_of_them()
    await pool.aclose()

run(main())
report()
"""

_REDIS_THREADS = """
import redis

pool = redis.BlockingConnectionPool.from_url(os.environ["REDIS_URL"], max_connections=LIMIT, timeout=20)
acquire, release = pool.get_connection, pool.release

def query(connection):
    connection.send_command("BLPOP", "nothing", HOLD_S)
    connection.read_response()

key_of = id
all_of_them()
pool.disconnect()
report()
"""

_ASYNCPG = """
import asyncpg

async def acquire():
    return await pool.acquire()

async def release(connection):
    await pool.release(connection)

async def query(connection):
    await connection.execute(f"select pg_sleep({HOLD_S})")

def key_of(connection):
    return connection.get_server_pid()

async def main():
    global pool
    pool = await asyncpg.create_pool(os.environ["DATABASE_URL"], min_size=1, max_size=LIMIT)
    await all_of_them()
    await pool.close()

run(main())
report()
"""

_PSYCOPG_TASKS = """
from psycopg_pool import AsyncConnectionPool

async def acquire():
    return await pool.getconn()

async def release(connection):
    await pool.putconn(connection)

async def query(connection):
    await connection.execute(f"select pg_sleep({HOLD_S})")
    await connection.rollback()

def key_of(connection):
    return connection.info.backend_pid

async def main():
    global pool
    pool = AsyncConnectionPool(os.environ["DATABASE_URL"], min_size=LIMIT, max_size=LIMIT, open=False)
    await pool.open(wait=True)
    await all_of_them()
    await pool.close()

run(main())
report()
"""

_PSYCOPG_THREADS = """
from psycopg_pool import ConnectionPool

pool = ConnectionPool(os.environ["DATABASE_URL"], min_size=LIMIT, max_size=LIMIT, open=True)
pool.wait()
acquire, release = pool.getconn, pool.putconn

def query(connection):
    connection.execute(f"select pg_sleep({HOLD_S})")
    connection.rollback()

def key_of(connection):
    return connection.info.backend_pid

all_of_them()
pool.close()
report()
"""

_PSYCOPG2 = """
from psycopg2.pool import ThreadedConnectionPool

pool = ThreadedConnectionPool(1, LIMIT, os.environ["DATABASE_URL"])
acquire, release = pool.getconn, pool.putconn

def query(connection):
    with connection, connection.cursor() as cursor:
        cursor.execute(f"select pg_sleep({HOLD_S})")

def key_of(connection):
    return connection.info.backend_pid

all_of_them(LIMIT)
all_of_them(LIMIT)
pool.closeall()
report()
"""

QUEUEING = {
    "redis, tasks": ("redis", "redis", _COUNTING + _TASKS + _REDIS_TASKS),
    "redis, threads": ("redis", "redis", _COUNTING + _THREADS + _REDIS_THREADS),
    "asyncpg": ("asyncpg", "sql", _COUNTING + _TASKS + _ASYNCPG),
    "psycopg, tasks": ("psycopg", "sql", _COUNTING + _TASKS + _PSYCOPG_TASKS),
    "psycopg, threads": ("psycopg", "sql", _COUNTING + _THREADS + _PSYCOPG_THREADS),
}
"""Pools whose callers queue: (name, what is waited for, script)."""

PSYCOPG2 = _COUNTING + _THREADS + _PSYCOPG2

S3_TASKS = """
import asyncio
import json
import aioboto3
from botocore.config import Config

CALLS, LIMIT = 8, 3

async def use(client, n):
    await client.put_object(Bucket="asyncdemo", Key=f"made/{n}", Body=b"x" * 1000)
    response = await client.get_object(Bucket="asyncdemo", Key=f"made/{n}")
    return len(await response["Body"].read())

async def main():
    config = Config(max_pool_connections=LIMIT)
    async with aioboto3.Session().client("s3", config=config, verify=False) as client:
        print(json.dumps(await asyncio.gather(*(use(client, n) for n in range(CALLS)))))

asyncio.run(main())
"""

S3_THREADS = """
import json
import threading
import boto3

client = boto3.client("s3", verify=False)
sizes = []

def use(n):
    client.put_object(Bucket="asyncdemo", Key=f"made/{n}", Body=b"x" * 1000)
    sizes.append(len(client.get_object(Bucket="asyncdemo", Key=f"made/{n}")["Body"].read()))

threads = [threading.Thread(target=use, args=(n,)) for n in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
client.close()
print(json.dumps(sizes))
"""

HTTP_TASKS = """
import asyncio
import json
import aiohttp
from aiohttp import web

USERS, LIMIT = 9, 3
PORTS = {}

async def answer(request):
    PORTS.setdefault(request.transport.get_extra_info("peername")[1], []).append(int(request.query["n"]))
    await asyncio.sleep(0.04)
    return web.Response(text="ok")

async def use(n):
    async with session.get(url, params={"n": str(n)}) as response:
        return await response.text()

async def main():
    global session, url
    app = web.Application()
    app.router.add_get("/", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    url = f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}/"
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=LIMIT)) as session:
        await asyncio.gather(*(use(n) for n in range(USERS)))
    await runner.cleanup()
    print(json.dumps(sorted(PORTS.values())))

asyncio.run(main())
"""
