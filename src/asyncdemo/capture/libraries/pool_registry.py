"""The pools of the process and their connections, by object.

A pool is a resource; holding one of its connections takes a slot of it.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

from asyncdemo.capture import wire
from asyncdemo.capture.blocking.limits import Limits
from asyncdemo.capture.blocking.waits import Waits
from asyncdemo.capture.loops.state import Loops
from asyncdemo.capture.recorder import QUEUED, Recorder

REASON = "connection pool"


class PoolKind(NamedTuple):
    """A kind of pools, with the words for advice about them.

    Attributes:
        name: What reports and checks call it.
        service: What its connections lead to; "" if that may be anything.
        is_http: Whether they speak HTTP: the user makes a client, and servers may close what is idle.
        size: The parameter that limits how many connections it may have.
        giving_back: How to make sure that each is given back.
        if_refused: What to do if a caller is refused immediately, if there is more to it than its size.
        if_reopened: What to do if it opens connections again and again, if that may be its settings.
    """

    name: str
    service: str = ""
    is_http: bool = False
    size: str = ""
    giving_back: str = ""
    if_refused: str = ""
    if_reopened: str = ""


class Connection:
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
        self._services: dict[int, str] = {}

    # -- pools ----------------------------------------------------------------------------------

    def made(self, pool: Any, kind: PoolKind, limit: int | None) -> None:
        """Add a pool, at the nearest line of the user's own code. ``limit`` is None if it has none."""
        recorder = self.recorder
        frame = sys._getframe(1)
        resource = self._limits.add(pool, "pool", limit, recorder.user_caller(frame) or frame)
        self._services[resource] = kind.service
        track, words = self.loops.current_track(), kind[2:]
        recorder.define(wire.Pool(resource, kind.name, track, recorder.now(), *words))

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
        return "" if connection is None else self._services.get(connection.pool, "")

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

    # -- what libraries call --------------------------------------------------------------------
    # The library's object need not be a connection of a known pool: then nothing is recorded.

    def adopt(self, pool: Any, owner: Any) -> Any:
        """Note that the pool made an object that will connect; return the object."""
        expected = self.expect(pool)
        if expected is not None:
            self.bind(expected, owner)
        return owner

    def taken(self, owner: Any) -> None:
        connection = self.of(owner)
        if connection is not None:
            self.hold(connection)

    def returned(self, owner: Any) -> None:
        connection = self.of(owner)
        if connection is not None:
            self.let_go(connection)

    def closed(self, owner: Any) -> None:
        connection = self.of(owner)
        if connection is not None:
            self.close(connection)


class Call:
    """A hook for ``observing``: one call of a library's function, from its entry to its end."""

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


class Opening(Call):
    """A pool opens a connection, and returns it."""

    def pool(self) -> Any:
        return self.arguments[0]

    def is_for_caller(self) -> bool:
        """Whether who opens it also gets it; else it is kept for others."""
        return False

    def begin(self) -> None:
        self.connection = self.pools.expect(self.pool())
        if self.connection is not None:
            if self.is_for_caller():
                self.pools.hold(self.connection)
            self.pools.opening(self.connection)

    def returns(self, opened: Any) -> None:
        if self.connection is not None:
            self.pools.bind(self.connection, opened)
            self.pools.ready(self.connection)

    def ends(self, error: BaseException | None) -> None:
        if error is not None and self.connection is not None:
            self.pools.close(self.connection)
            self.pools.let_go(self.connection)


class Connecting(Call):
    """An object that was adopted connects. If it was closed before, it is now another connection."""

    def begin(self) -> None:
        connection = self.pools.of(self.arguments[0])
        self.opened = connection if connection is not None and connection.index is None else None
        if self.opened is not None:
            self.pools.opening(self.opened)

    def ends(self, error: BaseException | None) -> None:
        if self.opened is None:
            return
        if error is None:
            self.pools.ready(self.opened)
        else:
            self.pools.close(self.opened)


class Asking(Call):
    """Somebody asks a pool for a connection, and gets it, possibly after queueing, or is refused."""

    in_thread = False
    """Whether a condition that the thread waits for meanwhile is its turn at the pool."""

    def is_refusal(self, error: BaseException) -> bool:
        raise NotImplementedError

    def begin(self) -> None:
        if self.in_thread:
            resource = self.pools.resource_of(self.arguments[0])
            self._label = self.pools.waits.labelled(REASON, QUEUED, resource)
            self._label.__enter__()

    def returns(self, opened: Any) -> None:
        self.pools.taken(opened)

    def ends(self, error: BaseException | None) -> None:
        if self.in_thread:
            self._label.__exit__()
        if error is not None and self.is_refusal(error):
            self.pools.refused(self.arguments[0], self.begun_ns)


class Returning(Call):
    """A connection is given back to a pool, which may find that it was lost, and abandon it."""

    def begin(self) -> None:
        self._connection = self.pools.of(self.arguments[1])
        if self._connection is not None:
            self.pools.let_go(self._connection)
            self._note_if_closed()  # before another one is opened for it

    def ends(self, error: BaseException | None) -> None:
        self._note_if_closed()

    def _note_if_closed(self) -> None:
        if self._connection is not None and self.arguments[1].closed:
            self.pools.close(self._connection)
