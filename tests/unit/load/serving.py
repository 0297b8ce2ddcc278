"""Small real servers, on a free port of this machine, that behave as a test needs: also wrongly."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

HELLO = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello"
HELLO_AND_BYE = HELLO.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1)

Handler = Callable[["Visit"], None]


@dataclass
class Visit:
    """One connection. number: of the connections, from 0, in the order in which they were accepted."""

    socket: socket.socket
    number: int
    rest: bytes = b""

    def request(self) -> bytes | None:
        """The next whole request; None if the client has closed."""
        while (whole := _whole(self.rest)) is None:
            data = self.socket.recv(65536)
            if not data:
                return None
            self.rest += data
        request, self.rest = self.rest[:whole], self.rest[whole:]
        return request

    def say(self, data: bytes) -> None:
        self.socket.sendall(data)

    def reset(self) -> None:
        """End the connection as a process does that dies with data unread."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.socket.close()


@dataclass
class Server:
    port: int
    requests: list[bytes] = field(default_factory=list)
    connections: int = 0


@contextmanager
def served(handle: Handler) -> Iterator[Server]:
    """A server that hands each connection to its own thread."""
    listening = socket.create_server(("127.0.0.1", 0), backlog=1024)
    server = Server(listening.getsockname()[1])
    visits: list[Visit] = []
    threads: list[threading.Thread] = []

    def attend(visit: Visit) -> None:
        with visit.socket, suppress(OSError):  # the client may let go at any time
            handle(visit)

    def accept() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            visit = Visit(connection, server.connections)
            server.connections += 1
            visits.append(visit)
            thread = threading.Thread(target=attend, args=(visit,))
            threads.append(thread)
            thread.start()

    accepting = threading.Thread(target=accept)
    accepting.start()
    try:
        yield server
    finally:
        with suppress(OSError):
            listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        accepting.join()
        for visit in visits:
            with suppress(OSError):
                visit.socket.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join()


@contextmanager
def answering(response: bytes = HELLO, once: bool = False) -> Iterator[Server]:
    """A server that answers every request alike. once: and then closes the connection."""
    seen: list[bytes] = []
    lock = threading.Lock()

    def handle(visit: Visit) -> None:
        while (request := visit.request()) is not None:
            with lock:
                seen.append(request)
            visit.say(response)
            if once:
                return

    with served(handle) as server:
        server.requests = seen
        yield server


def unused_port() -> int:
    """At which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


def _whole(data: bytes) -> int | None:
    """How many bytes the first request has, if it is whole."""
    head, end, _ = data.partition(b"\r\n\r\n")
    if not end:
        return None
    length = 0
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    size = len(head) + 4 + length
    return size if len(data) >= size else None
