"""Steps that hold an event loop, and the calls in them."""

from __future__ import annotations

from asyncdemo.capture import wire
from asyncdemo.model import BlockingCall, SlowStep, State
from asyncdemo.recording.assembly.state import AssemblyState, MessageHandlers, NumberHandlers

_RECENT = 20


def slow_step(state: AssemblyState, message: wire.SlowStep) -> None:
    track, start_ns, end_ns, cpu_ns, stolen_ns, site, called_from = message
    ledger = state.ledger
    ledger.begun.pop(start_ns, None)
    ledger.refer(track)
    places = ledger.site(site), ledger.site(called_from)
    step = SlowStep(track if track >= 0 else None, start_ns, end_ns, cpu_ns, stolen_ns, *places)
    ledger.slow_steps[state.process.number].append(step)


def blocked(state: AssemblyState, message: wire.Blocked) -> None:
    """Record a step in progress, and who waits for its end: the run may end before it does."""
    track, since_ns, now_ns, site, called_from, reason, starved = message
    ledger = state.ledger
    if any(step.start_ns == since_ns for step in ledger.slow_steps[state.process.number][-_RECENT:]):
        return  # the step ended before this could be reported
    place, caller = ledger.site(site), ledger.site(called_from)
    known = track if track in ledger.tracks else None
    if known is not None and since_ns not in ledger.begun:
        state.live_feed.changed(known, since_ns, State.RUNNING, "")
    ledger.begun[since_ns] = SlowStep(known, since_ns, now_ns, None, 0, place, caller, reason)
    for index, ready_ns in starved:
        if index in ledger.tracks and index not in ledger.starved:
            ledger.starved[index] = max(ready_ns, ledger.tracks[index].ended_ns)
            state.live_feed.changed(index, ledger.starved[index], State.READY, "")
    state.live_feed.blocked(since_ns, now_ns, place, caller)


def call(state: AssemblyState, message: wire.Call) -> None:
    places = state.ledger.site(message.site), state.ledger.site(message.called_from)
    state.calls[message.call] = message.reason, *places


def called(state: AssemblyState, index: int, start_ns: int, end_ns: int, call: int, *_: int) -> None:
    reason, site, called_from = state.calls[call]
    state.ledger.refer(index)
    made = BlockingCall(index if index >= 0 else None, start_ns, end_ns, reason, site, called_from)
    state.ledger.blocking_calls[state.process.number].append(made)


HANDLERS: MessageHandlers = {wire.SlowStep: slow_step, wire.Blocked: blocked, wire.Call: call}
NUMBERS: NumberHandlers = {wire.CALLED: called}
