"""The connections of a run: made as needed, up to a limit, and kept while idle.

Not here: what goes over one (see ``connection``), or which request is next (see ``engine``).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import perf_counter_ns

from asyncdemo.load.connection import Connection

_TURNS = 100
"""The most turns of the loop to wait for connections to close; aborting one takes two or three."""


class Connections:
    """``new`` makes a connection. ``opened`` is the total.

    ``failed`` is called with a connection that has a request but can't open.
    """

    def __init__(
        self,
        make: Callable[[], Connection],
        address: str,
        port: int,
        most: int,
        failed: Callable[[Connection, OSError], None],
    ) -> None:
        self.new, self._failed = make, failed
        self._address, self._port, self._most = address, port, most
        self._idle: dict[Connection, None] = {}
        """A dict, because one that the server closes must be found among thousands."""
        self._open = 0
        self.opened = 0

    def take(self) -> Connection | None:
        """Return an idle one, or else a new one, not yet opened; None if the limit is reached."""
        if self._idle:
            return self._idle.popitem()[0]
        return self.new() if self.has_room else None

    @property
    def has_room(self) -> bool:
        return self._open < self._most

    def keep(self, connection: Connection) -> None:
        """Keep an intact connection that has nothing to do."""
        self._idle[connection] = None

    def open(self, connection: Connection) -> None:
        self._open += 1
        self.opened += 1
        connection.connect_ns = perf_counter_ns()
        connection.task = asyncio.get_running_loop().create_task(self._connect(connection))

    def closed(self, connection: Connection) -> bool:
        """Note that it is no longer open. Return whether that is news."""
        if connection.is_closed:
            return False
        connection.is_closed = True
        self._open -= 1
        self._idle.pop(connection, None)
        return True

    async def close(self) -> None:
        """Drop idle connections, and wait until all are closed."""
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
            connection.cancelled()  # its request was dropped, and the connection with it
        finally:
            connection.task = None
