"""Redis: a program, or our own database on a server that already runs; otherwise see ``fake``.

Each starts empty and keeps nothing.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from asyncdemo.errors import ServiceError
from asyncdemo.services.folders import ServerFolder
from asyncdemo.services.programs import ServiceProgram, start_on_free_port
from asyncdemo.services.server import Server, Started

_PROBE_S: Final = 1.0
_CLAIM_S: Final = 86_400
_DATABASES: Final = 16
"""A server's default."""
# Any program on this machine can connect. With administrative commands it could write files as this user.
_RIGHTS: Final = ("default", "on", "nopass", "~*", "&*", "+@all", "-@admin", "+client")


class RedisProgram(Server):
    """Our own server, which writes nothing to the disk."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._folder: ServerFolder | None = None
        self._program: ServiceProgram | None = None
        self._port = 0

    def start(self) -> Started:
        self._folder = ServerFolder(None)
        self._program, self._port = start_on_free_port(self._launch, _answers)
        pid = self._program.process.pid
        with self._client() as client:
            version = _info(client)["redis_version"]
        return Started({"REDIS_URL": f"redis://127.0.0.1:{self._port}/0"}, f"redis-server {version}", pid)

    def watch(self, lost: Callable[[str], None]) -> None:
        if self._program is not None:
            self._program.watch(lost)

    def reset(self) -> None:
        with self._client() as client:
            client.flushall()

    def close(self) -> None:
        if self._program is not None:
            self._program.end()
        if self._folder is not None:
            self._folder.close()

    def _client(self) -> redis.Redis:
        return redis.Redis(port=self._port)

    def _launch(self, port: int) -> ServiceProgram:
        options = {
            "port": str(port),
            "bind": "127.0.0.1",
            "save": "",
            "appendonly": "no",
            "loglevel": "warning",
        }
        command = [self._where, *(word for name, value in options.items() for word in (f"--{name}", value))]
        # Killed, not asked to end: it has nothing to save but takes a tenth of a second to find that out.
        assert self._folder is not None
        program = ServiceProgram([*command, "--user", *_RIGHTS], endings=[], folder=self._folder.own)
        self._folder.note_server(program.process.pid)
        return program


class BorrowedRedis(Server):
    """An empty database of somebody else's server; emptied again at the end.

    It is claimed with a key in the database that the address names, so that two processes never take
    the same one. Nothing else is ever written to the named database.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._token = secrets.token_hex(8)
        self._ours: int | None = None

    def start(self) -> Started:
        with self._client() as client:
            version = _version(client)
            theirs = int(client.get_connection_kwargs().get("db") or 0)
            for number in range(_DATABASES - 1, -1, -1):
                if number != theirs and self._claim(client, number):
                    self._ours = number
                    return Started(
                        {"REDIS_URL": url_of(self._url, number)},
                        f"Redis{version}, its database {number}",
                        None,
                    )
        raise ServiceError(
            f"has no empty database among numbers 0 to {_DATABASES - 1}, and asyncdemo uses no other kind"
        )

    def reset(self) -> None:
        if self._ours is not None:
            with redis.Redis.from_url(url_of(self._url, self._ours)) as ours:
                ours.flushdb()

    def close(self) -> None:
        if self._ours is not None:
            with suppress(redis.RedisError), self._client() as client:
                if client.get(_claim_of(self._ours)) == self._token.encode():
                    self.reset()
                    client.delete(_claim_of(self._ours))
            self._ours = None

    def _claim(self, client: redis.Redis, number: int) -> bool:
        """Claim a database; return whether it is empty and free. The claim of a killed process expires."""
        if not client.set(_claim_of(number), self._token, nx=True, ex=_CLAIM_S):
            return False
        with suppress(redis.ResponseError), redis.Redis.from_url(url_of(self._url, number)) as candidate:
            if candidate.dbsize() == 0:
                return True
        client.delete(_claim_of(number))  # it is in use, or the server has fewer databases
        return False

    def _client(self) -> redis.Redis:
        return redis.Redis.from_url(self._url)


def url_of(url: str, database: int) -> str:
    """Return the URL of another database of the server. For a Unix socket, an option has the number."""
    parts = urlsplit(url)
    options = [(name, value) for name, value in parse_qsl(parts.query) if name != "db"]
    if parts.scheme == "unix":
        query = urlencode([*options, ("db", str(database))], quote_via=quote)
        return f"unix://{parts.netloc}{parts.path}?{query}"
    return urlunsplit(parts._replace(path=f"/{database}", query=urlencode(options, quote_via=quote)))


def _answers(program: ServiceProgram, port: int) -> bool:
    """Whether this program answers: another Redis may listen on that port."""
    try:
        # The program that has taken the port may never answer.
        with redis.Redis(port=port, socket_timeout=_PROBE_S, retry=Retry(NoBackoff(), 0)) as client:
            return int(_info(client)["process_id"]) == program.process.pid
    except redis.RedisError:
        return False


def _info(client: redis.Redis) -> dict[str, Any]:
    found: dict[str, Any] = client.info("server")
    return found


def _version(client: redis.Redis) -> str:
    """Return " <version>", or "" if we are not allowed to ask or it is fakeredis, which doesn't say."""
    with suppress(redis.ResponseError):
        return f" {_info(client)['redis_version']}"
    return ""


def _claim_of(number: int) -> str:
    return f"asyncdemo:database:{number}"
