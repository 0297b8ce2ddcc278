"""The pools of the process and their connections, by object.

A pool is a resource; holding one of its connections takes a slot of it.
"""

from __future__ import annotations

import functools
import sys
import weakref
from collections.abc import Callable
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.capture.blocking.limits import Limits
from asyncdemo.capture.blocking.waits import Labelled, Waits
from asyncdemo.capture.loops.state import Loops
from asyncdemo.capture.recorder import QUEUED, Recorder

REASON = "connection pool"
ANY_SERVICE = "http"
"""The name of pools of HTTP clients that are not known to talk to one service."""


class Connection:
    """The state of one connection of a pool."""

    __slots__ = ("giver", "holder", "index", "last", "owner", "pool")

    def __init__(self, pool: int) -> None:
        self.pool = pool
        self.index: int | None = None
        """Set while it is open, or being opened; an object that reconnects is another connection."""
        self.last: int | None = None
        self.holder: int | None = None
        """The track that it was handed out to, until it is given back."""
        self.giver: int | None = None
        """The track that gives it back, if that goes on in another one."""
        self.owner: Callable[[], Any] = lambda: None


class PoolRegistry:
    def __init__(self, recorder: Recorder, loops: Loops, limits: Limits, waits: Waits) -> None:
        self.recorder = recorder
        self.loops = loops
        self.waits = waits
        self._limits = limits
        self.connections: dict[int, Connection] = {}
        """id(the library's object) -> its connection."""
        self._names: dict[int, str] = {}

    # -- pools ----------------------------------------------------------------------------------

    def made(self, pool: Any, name: str, limit: int | None) -> None:
        """Add a pool, at the nearest line of the user's own code. ``limit`` is None if it has none."""
        recorder = self.recorder
        frame = sys._getframe(1)
        resource = self._limits.add(pool, "pool", limit, recorder.user_caller(frame) or frame)
        self._names[resource] = name
        recorder.define(wire.Pool(resource, name, self.loops.current_track(), recorder.now()))

    def resource_of(self, pool: Any) -> int | None:
        return self._limits.resource_of(pool)

    def works_for(self, part: Any, pool: Any) -> bool:
        """Note that ``part`` does the pooling for ``pool``. Return False if that is not a known pool."""
        resource = self._limits.resource_of(pool)
        if resource is not None:
            self._limits.stands_for(part, resource)
        return resource is not None

    def refused(self, pool: Any, asked_ns: int) -> None:
        resource = self._limits.resource_of(pool)
        if resource is not None:
            recorder = self.recorder
            track = self.loops.current_track()
            recorder.define(wire.PoolRefused(resource, track, asked_ns, recorder.now()))

    def shut(self, pool: Any) -> None:
        """Record that the program closes the pool."""
        resource = self._limits.resource_of(pool)
        if resource is not None:
            self.recorder.define(wire.PoolClosed(resource, self.recorder.now()))

    def queueing(self, pool: Any) -> Labelled:
        """Return a context manager in which a condition that a thread waits for is its turn at the pool."""
        resource = self._limits.resource_of(pool)
        return self.waits.labelled(REASON, QUEUED, resource)

    # -- connections ----------------------------------------------------------------------------

    def expect(self, pool: Any) -> Connection | None:
        """Return a connection that the pool is about to open; None if the pool is not known."""
        resource = self._limits.resource_of(pool)
        return None if resource is None else Connection(resource)

    def bind(self, connection: Connection, owner: Any) -> None:
        """Make the library's object ``owner`` known as that connection."""
        key = id(owner)
        try:
            connection.owner = weakref.ref(owner, lambda _: self._forgotten(key, connection))
        except TypeError:  # no weak references, so the next one at this address must be bound, too
            kind = type(owner)
            connection.owner = lambda: kind
        self.connections[key] = connection

    def of(self, owner: Any) -> Connection | None:
        connection = self.connections.get(id(owner))
        if connection is None:
            return None
        known = connection.owner()
        return connection if known is owner or known is type(owner) else None

    def service_of(self, owner: Any) -> str:
        """Return what a connection leads to: "s3"; "" if it belongs to no pool, or may lead anywhere."""
        connection = self.of(owner)
        name = "" if connection is None else self._names.get(connection.pool, "")
        return "" if name == ANY_SERVICE else name

    def opening(self, connection: Connection) -> None:
        recorder = self.recorder
        connection.index = connection.last = index = recorder.next_connection()
        recorder.define(wire.Connection(index, connection.pool, self.loops.current_track(), recorder.now()))
        if connection.holder is not None:
            self._record(wire.TAKEN, connection, connection.holder)

    def ready(self, connection: Connection) -> None:
        if connection.index is not None:
            self.recorder.define(wire.ConnectionReady(connection.index, self.recorder.now()))

    def hold(self, connection: Connection) -> None:
        """Record that it is handed out to what runs now, possibly before it is open."""
        track = self.loops.current_track()
        if connection.holder == track:
            return
        if connection.holder is not None and connection.index is not None:
            self._record(wire.GIVEN_BACK, connection, connection.holder)
        connection.holder = track
        if connection.index is not None:
            self._record(wire.TAKEN, connection, track)

    def let_go(self, connection: Connection) -> None:
        """Record that it was given back, by any track."""
        holder, connection.holder = connection.holder, None
        giver, connection.giver = connection.giver, None
        if holder is None:
            return
        if connection.index is not None:
            self._record(wire.GIVEN_BACK, connection, self.loops.current_track() if giver is None else giver)
        elif connection.last is not None:
            self.recorder.define(wire.ConnectionReturned(connection.last))

    def close(self, connection: Connection, dropped: bool = False) -> None:
        """Record that it was closed, by the program or because nothing refers to it any more."""
        if connection.index is None:
            return
        held = connection.holder is not None
        if connection.holder is not None:
            self._record(wire.GIVEN_BACK, connection, connection.holder)
        recorder = self.recorder
        recorder.define(wire.ConnectionClosed(connection.index, recorder.now(), held, dropped))
        connection.index = None

    def closed(self, owner: Any) -> None:
        """Record that the library's object is closed; it need not be a connection of a pool."""
        connection = self.of(owner)
        if connection is not None:
            self.close(connection)

    def _record(self, tag: int, connection: Connection, track: int) -> None:
        recorder = self.recorder
        assert connection.index is not None
        site = recorder.user_site(sys._getframe(1)) if tag == wire.TAKEN else None
        place = 0 if site is None else site + 1
        recorder.record((tag, track, recorder.now(), connection.pool, connection.index + 1, place))

    def _forgotten(self, key: int, connection: Connection) -> None:
        if self.connections.get(key) is connection:
            del self.connections[key]
        self.close(connection, dropped=True)

    # -- hooks ----------------------------------------------------------------------------------

    def hook(self, hook: Callable[..., Any]) -> Callable[..., None]:
        """Return the hook, which gets this registry before its own arguments."""
        return functools.partial(hook, self)

    def passing(self, hook: Callable[..., Any]) -> Callable[..., Any]:
        """Return the hook for ``on_return``: it passes on what the function returns."""

        def called(*arguments: Any) -> Any:
            hook(self, *arguments)
            return arguments[-1]

        return called

    def observed(self, kind: type[Call]) -> Callable[..., Call]:
        """Return the hook for ``observing``: it makes one ``kind`` for each call of the function."""
        return functools.partial(kind, self)


class Call:
    """One call of a library's function, from its entry to its end, however it ends."""

    def __init__(self, pools: PoolRegistry, *arguments: Any) -> None:
        self.pools = pools
        self.arguments = arguments
        self.begun_ns = pools.recorder.now()

    def begin(self) -> None:
        pass

    def returns(self, value: Any) -> None:
        pass

    def ends(self, error: BaseException | None) -> None:
        pass

    def __enter__(self) -> None:
        self.begin()

    def __call__(self, value: Any) -> None:
        self.returns(value)

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        self.ends(error)
