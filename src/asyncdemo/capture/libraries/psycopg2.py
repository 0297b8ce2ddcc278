"""Observes psycopg2's pools, and what its connections wait for.

A query waits inside libpq, in C, where nothing can be rewritten. So ``psycopg2.connect`` makes connections
and cursors of subclasses with the same names, whose methods record their waits. A factory that is not a class
is left alone.
"""

from __future__ import annotations

from typing import Any

from asyncdemo.capture.instrument import Patches, observing, on_entry, on_entry_with_all
from asyncdemo.capture.libraries.library import Library
from asyncdemo.capture.libraries.pool_registry import Asking, Opening, PoolKind, PoolRegistry, Returning

_KIND = PoolKind(
    "psycopg2",
    "sql",
    size="`maxconn`",
    giving_back="`try: ... finally: pool.putconn(connection)`",
    if_refused=(
        "psycopg2's pools never let callers wait: put a semaphore of `maxconn` slots before `getconn()`, "
        "or use psycopg_pool, whose callers queue."
    ),
    if_reopened=(
        "psycopg2 keeps only `minconn` connections and closes any others that are given back. Set "
        "`minconn` to the number that are in use at the same time."
    ),
)
_WAITING = ("execute", "executemany", "callproc", "copy_from", "copy_to", "copy_expert")
_WAITING_IF_NAMED = ("fetchone", "fetchmany", "fetchall", "scroll", "close", "__next__")
"""A named cursor stays on the server, and asks it for the rows."""


def _made(pools: PoolRegistry, pool: Any, _: Any, maxconn: Any) -> None:
    pools.made(pool, _KIND, int(maxconn))


class _Connecting(Opening):
    def is_for_caller(self) -> bool:
        """With a key, a connection is opened for the caller, else to be kept."""
        return self.arguments[1] is not None


class _Asking(Asking):
    def returns(self, opened: Any) -> None:
        connection = self.pools.of(opened)
        if connection is not None and connection.holder is None:
            self.pools.hold(connection)

    def is_refusal(self, error: BaseException) -> bool:
        return type(error).__name__ == "PoolError" and "exhausted" in str(error)


# -- what waits in C ----------------------------------------------------------------------------


def _install_connect(pools: PoolRegistry, patches: Patches, module: Any) -> None:
    real_connect = module._connect
    connections = _Subclasses(_connection_type(pools, module.extensions))

    def _connect(dsn: Any, connection_factory: Any = None, **options: Any) -> Any:
        if not any(options.values()):  # an asynchronous connection does not wait
            connection_factory = connections.of(connection_factory or module.extensions.connection)
        with pools.waits.waiting("net.connect"):
            return real_connect(dsn, connection_factory=connection_factory, **options)

    patches.set(module, "_connect", _connect)


class _Subclasses:
    """For any class with this base, a subclass with ``mixed`` right above the base."""

    def __init__(self, mixed: type) -> None:
        self._mixed = mixed
        self._base = mixed.__mro__[1]
        self._made: dict[type, type] = {self._base: mixed}

    def of(self, wanted: Any) -> Any:
        if not isinstance(wanted, type) or not issubclass(wanted, self._base):
            return wanted
        made = self._made.get(wanted)
        if made is None:
            try:
                made = type(wanted.__name__, (wanted, self._mixed), {"__slots__": ()})
            except TypeError:  # it cannot be combined
                made = wanted
            else:
                made.__module__, made.__qualname__ = wanted.__module__, wanted.__qualname__
            self._made[wanted] = made
        return made


def _connection_type(pools: PoolRegistry, extensions: Any) -> type:
    base: type = extensions.connection
    plain = _Subclasses(_cursor_type(pools, extensions.cursor, _WAITING))
    named = _Subclasses(_cursor_type(pools, extensions.cursor, (*_WAITING, *_WAITING_IF_NAMED)))

    def cursor(self: Any, *args: Any, **options: Any) -> Any:
        subclasses = named if (args[0] if args else options.get("name")) else plain
        wanted = args[1] if len(args) > 1 else options.get("cursor_factory")
        wanted = subclasses.of(wanted or self.cursor_factory or extensions.cursor)
        if len(args) > 1:
            args = (args[0], wanted, *args[2:])
        else:
            options["cursor_factory"] = wanted
        return base.cursor(self, *args, **options)  # type: ignore[attr-defined]

    def close(self: Any) -> None:
        pools.closed(self)
        base.close(self)  # type: ignore[attr-defined]

    members = {"cursor": cursor, "close": close}
    members |= {name: _waiting(pools, getattr(base, name)) for name in ("commit", "rollback")}
    return _passing_for(base, members)


def _cursor_type(pools: PoolRegistry, base: type, waiting: tuple[str, ...]) -> type:
    return _passing_for(base, {name: _waiting(pools, getattr(base, name)) for name in waiting})


def _passing_for(base: type, members: dict[str, Any]) -> type:
    for name, member in members.items():
        member.__name__, member.__qualname__ = name, f"{base.__qualname__}.{name}"
        member.__doc__ = getattr(base, name).__doc__
    made = type(base.__name__, (base,), {**members, "__doc__": base.__doc__})
    made.__module__, made.__qualname__ = base.__module__, base.__qualname__
    return made


def _waiting(pools: PoolRegistry, method: Any) -> Any:
    def waits(*args: Any, **options: Any) -> Any:
        with pools.waits.waiting("sql"):
            return method(*args, **options)

    return waits


LIBRARY = Library(
    hooks={
        "psycopg2.pool": (
            ("AbstractConnectionPool.__init__", on_entry_with_all, _made),
            ("AbstractConnectionPool._connect", observing, _Connecting),
            ("AbstractConnectionPool._getconn", observing, _Asking),
            ("AbstractConnectionPool._putconn", observing, Returning),
            ("AbstractConnectionPool._closeall", on_entry, PoolRegistry.shut),
        )
    },
    installs={"psycopg2": _install_connect},
    title="psycopg2",
    pools=_KIND,
    parts=("psycopg2",),
)
