"""Redis: an installed program is preferred to fakeredis, which is slow."""

from __future__ import annotations

import shutil
from pathlib import Path

from asyncdemo.services.server import Server
from asyncdemo.services.service import Choice, Service, Source, version_said_by


class Redis(Service):
    name, noun, package = "redis", "Redis", "fakeredis"
    clients = ("redis",)
    kind_variable, address_variable = "ASYNCDEMO_REDIS", "ASYNCDEMO_REDIS_URL"
    program = "redis-server"
    install = "apt install redis-server    (macOS: brew install redis)"
    order = (Source.INSTALLED, Source.EMBEDDED)
    origin = "`redis-server` or `valkey-server` if installed, else fakeredis"
    environment = "`REDIS_URL`"
    contents = "nothing"

    def installed(self, path: str | None) -> str | None:
        return shutil.which("redis-server", path=path) or shutil.which("valkey-server", path=path)

    def words(self, choice: Choice) -> str:
        if choice.source is Source.EMBEDDED:
            return super().words(choice)
        version = version_said_by([choice.where, "--version"], r"v=(\S+)")
        return f"{Path(choice.where).name} {version}, installed: {choice.where}"

    def server_for(self, choice: Choice) -> Server:
        if choice.source is Source.EMBEDDED:
            from asyncdemo.services.redis.fake import FakeRedis

            return FakeRedis()
        from asyncdemo.services.redis.servers import BorrowedRedis, RedisProgram

        return BorrowedRedis(choice.where) if choice.source is Source.URL else RedisProgram(choice.where)

    def client_errors(self) -> tuple[type[Exception], ...]:
        import redis

        return (redis.RedisError, OSError)
