"""Semaphores, locks, queues, executors and pools, and who takes a slot of one and gives it back."""

from __future__ import annotations

from asyncdemo.capture import wire
from asyncdemo.model import ResourceKind, State, TrackKind
from asyncdemo.recording.assembly.records import Held, Item, ResourceRecord
from asyncdemo.recording.assembly.state import AssemblyState, MessageHandlers, NumberHandlers


def resource(state: AssemblyState, message: wire.Resource) -> None:
    place = state.ledger.site(message.site)
    kind = ResourceKind(message.kind)
    state.ledger.resources[message.resource] = ResourceRecord(kind, message.limit, place, state.process)


def taken(state: AssemblyState, index: int, at_ns: int, resource: int, connection: int, site: int) -> None:
    ledger = state.ledger
    held = Held(
        index,
        at_ns,
        connection=connection - 1 if connection else None,
        site=site - 1 if site else None,
    )
    ledger.refer(index)
    ledger.slots[resource].append(held)
    state.held[resource].append(held)
    track = ledger.tracks.get(index)
    growing = None if track is None else track.spans.state
    if track is None or growing is None or track.kind is not TrackKind.TASK or connection:
        return  # a pool hands nothing over: a woken task looks for a connection itself
    if growing[1] is State.QUEUED and ledger.causes[growing[2]].resource == resource:
        track.handed.append(held)


def given_back(state: AssemblyState, index: int, at_ns: int, resource: int, connection: int, *_: int) -> None:
    """Close the slot of the track, or else of its child task, or else the one held longest.

    For a pool, the connection identifies the slot.
    """
    taken = state.held[resource]
    if connection:
        held = next((h for h in taken if h.connection == connection - 1), None)
        taken = [] if held is None else taken
        if held is not None and _parent(state, held.track) == index:
            held.track = index  # before 3.12, wait_for takes it in its own task
    else:
        held = next((h for h in taken if h.track == index), None)
    if held is None:
        held = next((h for h in taken if _parent(state, h.track) == index), None)
        if held is not None:
            held.track = index
    if held is None and taken:
        held = taken[0]
    if held is not None:
        held.end_ns = at_ns
        taken.remove(held)


def _parent(state: AssemblyState, index: int) -> int | None:
    track = state.ledger.tracks.get(index)
    return None if track is None else track.parent


def level(state: AssemblyState, resource: int, at_ns: int, length: int, *_: int) -> None:
    state.ledger.levels[resource].append((at_ns, length))


def item_queued(state: AssemblyState, item: int, at_ns: int, resource: int, submitter: int, *_: int) -> None:
    state.ledger.items[item] = Item(resource, submitter, at_ns)
    state.ledger.refer(submitter)


def item_started(state: AssemblyState, item: int, at_ns: int, worker: int, *_: int) -> None:
    if item in state.ledger.items:
        state.ledger.items[item].started_ns = at_ns
        state.ledger.items[item].worker = worker


def item_done(state: AssemblyState, item: int, at_ns: int, *_: int) -> None:
    if item in state.ledger.items:
        state.ledger.items[item].done_ns = at_ns


HANDLERS: MessageHandlers = {wire.Resource: resource}
NUMBERS: NumberHandlers = {
    wire.TAKEN: taken,
    wire.GIVEN_BACK: given_back,
    wire.LEVEL: level,
    wire.ITEM_QUEUED: item_queued,
    wire.ITEM_STARTED: item_started,
    wire.ITEM_DONE: item_done,
}
