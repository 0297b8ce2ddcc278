"""Connection pools and their connections. Not here: who has which connection (see ``resources``)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.model import Connection
from asyncdemo.recording.assembly.records import Held
from asyncdemo.recording.assembly.state import AssemblyState, MessageHandlers


def pool(state: AssemblyState, message: wire.Pool) -> None:
    made = state.ledger.resources[message.resource]
    made.name, made.made_by, made.made_ns = message.name, message.track, message.at_ns
    state.ledger.refer(message.track)


def pool_closed(state: AssemblyState, message: wire.PoolClosed) -> None:
    state.ledger.resources[message.resource].closed_ns = message.at_ns


def pool_refused(state: AssemblyState, message: wire.PoolRefused) -> None:
    resource, track, asked_ns, at_ns = message
    state.ledger.resources[resource].refused.append(Held(track, asked_ns, at_ns))
    state.ledger.refer(track)


def connection(state: AssemblyState, message: wire.Connection) -> None:
    index, resource, track, at_ns = message
    state.ledger.resources[resource].connections.append(index)
    state.ledger.connections[index] = Connection(at_ns, track=track)
    state.ledger.refer(track)


def _change(state: AssemblyState, index: int, **changes: Any) -> None:
    connections = state.ledger.connections
    connections[index] = replace(connections[index], **changes)


def connection_ready(state: AssemblyState, message: wire.ConnectionReady) -> None:
    _change(state, message.connection, ready_ns=message.at_ns)


def connection_returned(state: AssemblyState, message: wire.ConnectionReturned) -> None:
    """Note that it was given back after it had been closed."""
    _change(state, message.connection, kept=False)


def connection_closed(state: AssemblyState, message: wire.ConnectionClosed) -> None:
    """Note its end. If it was in use then, it may still be given back."""
    index, at_ns, held, dropped = message
    _change(state, index, closed_ns=at_ns, kept=held, dropped=dropped)


HANDLERS: MessageHandlers = {
    wire.Pool: pool,
    wire.PoolClosed: pool_closed,
    wire.PoolRefused: pool_refused,
    wire.Connection: connection,
    wire.ConnectionReady: connection_ready,
    wire.ConnectionReturned: connection_returned,
    wire.ConnectionClosed: connection_closed,
}
