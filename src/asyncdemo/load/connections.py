"""The connections of a run: made as they are needed, up to a limit, and kept while they are idle.

Not for: what goes over one (``connection``), or which request is next (``engine``).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import perf_counter_ns

from asyncdemo.load.connection import Connection

_TURNS = 100
"""Of the loop, at the most, for connections to close; aborting one takes it two or three."""


class Connections:
    """opened: in all.

    failed is called with a connection that has a request and cannot be made.
    """

    def __init__(
        self,
        make: Callable[[], Connection],
        address: str,
        port: int,
        most: int,
        failed: Callable[[Connection, OSError], None],
    ) -> None:
        self._make, self._failed = make, failed
        self._address, self._port, self._most = address, port, most
        self._idle: dict[Connection, None] = {}
        """A dict, as one that the server closes must be found among thousands."""
        self._open = 0
        self.opened = 0

    def take(self) -> Connection | None:
        """An idle one, else a new one, which is not opened yet; None if there may be no more."""
        if self._idle:
            return self._idle.popitem()[0]
        return self._make() if self.has_room else None

    @property
    def has_room(self) -> bool:
        return self._open < self._most

    def new(self) -> Connection:
        return self._make()

    def keep(self, connection: Connection) -> None:
        """It is whole, and has nothing to do."""
        self._idle[connection] = None

    def open(self, connection: Connection) -> None:
        self._open += 1
        self.opened += 1
        connection.connect_ns = perf_counter_ns()
        connection.task = asyncio.get_running_loop().create_task(self._connect(connection))

    def closed(self, connection: Connection) -> bool:
        """It is no longer open; whether that is news."""
        if connection.is_closed:
            return False
        connection.is_closed = True
        self._open -= 1
        self._idle.pop(connection, None)
        return True

    async def close(self) -> None:
        """Drop those that are idle, and wait until all are closed."""
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
            self._failed(connection, error)
        except asyncio.CancelledError:
            connection.cancelled()  # its request was given up, and this with it
        finally:
            connection.task = None
