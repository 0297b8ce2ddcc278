"""Connections: a request out, a response in, and whatever may cut either short; and all those of a run."""

from __future__ import annotations

import asyncio
import re
from time import perf_counter_ns
from typing import Any, Protocol, cast

import httptools

from asyncdemo.load.plan import Plan

_END_OF_HEAD = b"\r\n\r\n"
_DELIMITED = re.compile(rb"\r\n(?:content-length|transfer-encoding)[ \t]*:", re.IGNORECASE)
_QUOTED = 40
"""How many bytes of a response that is not HTTP are quoted."""
_TURNS = 100
"""The most turns of the loop to wait for connections to close; aborting one takes two or three."""


def kind_of(error: OSError) -> str:
    """Return one of the kinds in `Answered.error`."""
    if isinstance(error, ConnectionRefusedError):
        return "refused"
    if isinstance(error, ConnectionResetError | ConnectionAbortedError | BrokenPipeError):
        return "reset"
    return "timeout" if isinstance(error, TimeoutError) else "network"


class Owner(Protocol):
    """The sender of the requests, which learns here how each one ends. Times are of ``perf_counter_ns``."""

    plan: Plan

    def method(self, number: int) -> str: ...
    def connected(self, connection: Connection, at_ns: int) -> None: ...
    def answered(self, connection: Connection, at_ns: int) -> None: ...
    def failed(self, connection: Connection, kind: str, at_ns: int, text: str) -> None: ...
    def lost(self, connection: Connection, kind: str, at_ns: int, text: str) -> None: ...
    def closed(self, connection: Connection) -> None: ...
    def unreachable(self, connection: Connection, error: OSError) -> None: ...


class Connection(asyncio.Protocol):
    """``number`` is that of the request under way, or -1.

    Whatever is done here for each response is done 100,000 times a second.
    """

    __slots__ = (
        "_feed",
        "_head",
        "_owner",
        "_parser",
        "connect_ns",
        "intended_ns",
        "number",
        "port",
        "request",
        "reusable",
        "served",
        "status",
        "task",
        "transport",
    )

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self._head: bytes | None = None
        """The response's head so far, which says how the body ends if the server just closes."""
        self.transport: asyncio.Transport | None = None
        self.task: asyncio.Task[None] | None = None
        self.request = b""
        self.number = -1
        self.intended_ns = 0
        self.connect_ns = 0
        self.port = 0
        self.served = 0
        self.status = 0
        """The status of a whole response; 0 until there is one."""
        self.reusable = False
        self._new_parser()

    @property
    def is_silent(self) -> bool:
        return self._head is None

    def send(self, request: bytes, number: int, intended_ns: int) -> None:
        self.number, self.intended_ns = number, intended_ns
        self.status = 0
        self._head = None
        self.request = request
        if self.transport is not None:
            self.transport.write(request)

    def drop(self) -> None:
        """Close immediately, and break reference cycles: the garbage collector is off."""
        self.number = -1
        if self.transport is not None:
            self.transport.abort()
        elif self.task is not None:
            self.task.cancel()
        self._release()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        if self.number < 0:
            self.transport.abort()  # its request was dropped while it connected
            return
        self._owner.connected(self, perf_counter_ns())
        self.transport.write(self.request)

    def data_received(self, data: bytes) -> None:
        at_ns = perf_counter_ns()
        if self.number < 0:
            # unsolicited: what came next would be taken for the answer to another request
            self.drop()
            self._owner.closed(self)
            return
        if self._head is None:
            self._head = data
        elif _END_OF_HEAD not in self._head:
            self._head += data
        try:
            self._feed(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            self.reusable = False
            if not self.status:
                self._owner.failed(self, "protocol", at_ns, _not_http(error, data))
                return
        if self.status:
            self._owner.answered(self, at_ns)

    def on_message_complete(self) -> None:
        parser = self._parser
        status = parser.get_status_code()
        if status < 200:
            # "100 Continue", "103 Early Hints": the response itself is still to come
            self._head = None
        elif not self.status:
            self.status = status
            self.reusable = parser.should_keep_alive()
        else:
            # a second response to one request: the first counts, but further data can't be attributed
            self.reusable = False

    def eof_received(self) -> None:
        if self.number >= 0 and self._ends_with_connection():
            self.status = self._parser.get_status_code()
            self.reusable = False
            self._owner.answered(self, perf_counter_ns())

    def connection_lost(self, error: Exception | None) -> None:
        at_ns = perf_counter_ns()
        self._owner.closed(self)
        if self.number >= 0:
            if isinstance(error, OSError):
                self._owner.lost(self, kind_of(error), at_ns, str(error))
            else:
                how = "without a response" if self.is_silent else "in the middle of the response"
                self._owner.lost(self, "closed", at_ns, f"the server closed the connection {how}")
        self.transport = self.task = None
        self._release()

    def _new_parser(self) -> None:
        self._parser = httptools.HttpResponseParser(self)
        self._feed = self._parser.feed_data

    def _release(self) -> None:
        # it refers to us through its callbacks, and gets no more data
        self._parser = self._feed = cast("Any", None)

    def _ends_with_connection(self) -> bool:
        """If neither length nor chunks are given, the body ends when the server closes (RFC 9112, 6.3)."""
        head, end, _ = (self._head or b"").partition(_END_OF_HEAD)
        return bool(end) and not _DELIMITED.search(head + b"\r\n")


class DetailedConnection(Connection):
    """Also handles HEAD, whose response has no body whatever its length says, and keeps answers."""

    __slots__ = ("_is_head", "_most", "body", "content_type")

    def __init__(self, owner: Owner) -> None:
        super().__init__(owner)
        self.body = b""
        self.content_type = ""
        self._most = owner.plan.keep_answers
        self._is_head = False

    def send(self, request: bytes, number: int, intended_ns: int) -> None:
        self.body, self.content_type = b"", ""
        if self._is_head:
            self._new_parser()  # the previous one still expects the body
        self._is_head = self._owner.method(number) == "HEAD"
        super().send(request, number, intended_ns)

    def on_header(self, name: bytes, value: bytes) -> None:
        if name.lower() == b"content-type":
            self.content_type = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        if self._is_head and self._parser.get_status_code() >= 200:
            self.on_message_complete()

    def on_message_complete(self) -> None:
        if not (self._is_head and self.status):
            super().on_message_complete()

    def on_body(self, data: bytes) -> None:
        if self._is_head:
            self.reusable = False
        elif len(self.body) < self._most:
            self.body += data[: self._most - len(self.body)]


def _not_http(error: Exception, data: bytes) -> str:
    if isinstance(error, httptools.HttpParserUpgrade):
        return "the server switched to another protocol without being asked"
    return f"the response is not HTTP ({error}): {data[:_QUOTED]!r}"


class Connections:
    """Those of an owner: made as needed, up to ``most``, and kept while idle. ``opened`` is the total."""

    def __init__(self, owner: Owner, kind: type[Connection], address: str, port: int, most: int) -> None:
        self._owner, self._kind = owner, kind
        self._address, self._port, self._most = address, port, most
        self._idle: dict[Connection, None] = {}
        """A dict, because one that the server closes must be found among thousands."""
        self._open: set[Connection] = set()
        self.opened = 0

    def new(self) -> Connection:
        return self._kind(self._owner)

    def take(self) -> Connection | None:
        """Return an idle one, or else a new one, not yet opened; None if the limit is reached."""
        if self._idle:
            return self._idle.popitem()[0]
        return self.new() if self.has_room else None

    @property
    def has_room(self) -> bool:
        return len(self._open) < self._most

    def keep(self, connection: Connection) -> None:
        self._idle[connection] = None

    def open(self, connection: Connection) -> None:
        self._open.add(connection)
        self.opened += 1
        connection.connect_ns = perf_counter_ns()
        connection.task = asyncio.get_running_loop().create_task(self._connect(connection))

    def closed(self, connection: Connection) -> bool:
        """Note that it is no longer open. Return whether that is news."""
        if connection not in self._open:
            return False
        self._open.remove(connection)
        self._idle.pop(connection, None)
        return True

    async def close(self) -> None:
        for connection in list(self._idle):
            connection.drop()
        for _ in range(_TURNS):
            if not self._open:
                return
            await asyncio.sleep(0)

    async def _connect(self, connection: Connection) -> None:
        loop = asyncio.get_running_loop()
        try:
            await loop.create_connection(lambda: connection, self._address, self._port)
        except OSError as error:
            self._owner.unreachable(connection, error)
        except asyncio.CancelledError:
            self._owner.closed(connection)  # its request was dropped, and the connection with it
        finally:
            connection.task = None
