"""How findings refer to a connection pool, and its library's names for its parts."""

from __future__ import annotations

from asyncdemo.analysis.diagnose.finding import at
from asyncdemo.model import Resource, Run

_SIZE = {
    "asyncpg": "`max_size`",
    "http": "its limit (`limit` of aiohttp's connector, `pool_maxsize` with requests)",
    "psycopg": "`max_size`",
    "psycopg2": "`maxconn`",
    "redis": "`max_connections`",
}
_SIZE_OF_AWS = "`Config(max_pool_connections=...)`"

_GIVING_BACK = {
    "asyncpg": "`async with pool.acquire() as connection:`",
    "http": "`async with session.get(...) as response:`",
    "psycopg": "`with pool.connection() as connection:`",
    "psycopg2": "`try: ... finally: pool.putconn(connection)`",
    "redis": "leave it to the client's commands, or `release(connection)` in a `finally`",
}


def noun(pool: Resource) -> str:
    """Return the noun for what the user creates: for AWS and HTTP, a client that has a pool."""
    return "client" if is_http(pool) else "pool"


def called(pool: Resource) -> str:
    """Return "redis pool made at app.py:12 in main()"."""
    return f"{pool.name} {noun(pool)}" + (f" made{at(pool.site)}" if pool.site else "")


def is_http(pool: Resource) -> bool:
    """Return whether its connections speak HTTP, so that the server may close them itself."""
    return pool.name == "http" or pool.name not in _SIZE


def size(pool: Resource) -> str:
    """Return the parameter that limits how many connections it may have."""
    return _SIZE.get(pool.name, _SIZE_OF_AWS)


def giving_back(pool: Resource) -> str:
    return _GIVING_BACK.get(pool.name, "`async with`, or read the response to its end")


def taken_in(run: Run, pool: Resource, track: int) -> str:
    """Return " in show()": the innermost call that took a connection, or else the track's function."""
    starts = [slot.start_ns for slot in pool.slots if slot.track == track]
    calls = [
        lane
        for lane in run.lanes
        if run.named and lane.track == track and any(lane.start_ns <= start < lane.end_ns for start in starts)
    ]
    name = max(calls, key=lambda lane: lane.start_ns).function if calls else run.tracks[track].function
    return f" in {name}()" if name and not name.startswith("<") else ""
