"""Connection pools and their connections. Not for: who has which connection (``resources``)."""

from __future__ import annotations

from asyncdemo.capture import wire
from asyncdemo.recording.assembly.state import AssemblyState, MessageHandlers


def pool(state: AssemblyState, message: wire.Pool) -> None:
    state.ledger.refer(message.track)
    state.ledger.pools.made(*message)


def pool_closed(state: AssemblyState, message: wire.PoolClosed) -> None:
    state.ledger.pools.shut(*message)


def pool_refused(state: AssemblyState, message: wire.PoolRefused) -> None:
    state.ledger.refer(message.track)
    state.ledger.pools.refused(*message)


def connection(state: AssemblyState, message: wire.Connection) -> None:
    state.ledger.refer(message.track)
    state.ledger.pools.opening(*message)


def connection_ready(state: AssemblyState, message: wire.ConnectionReady) -> None:
    state.ledger.pools.ready(*message)


def connection_returned(state: AssemblyState, message: wire.ConnectionReturned) -> None:
    state.ledger.pools.returned(*message)


def connection_closed(state: AssemblyState, message: wire.ConnectionClosed) -> None:
    state.ledger.pools.closed(*message)


MESSAGES: MessageHandlers = {
    wire.Pool: pool,
    wire.PoolClosed: pool_closed,
    wire.PoolRefused: pool_refused,
    wire.Connection: connection,
    wire.ConnectionReady: connection_ready,
    wire.ConnectionReturned: connection_returned,
    wire.ConnectionClosed: connection_closed,
}
