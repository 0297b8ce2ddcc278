"""Who has not ended: what a process answers when asked, for one moment of its numbers."""

from __future__ import annotations

from asyncdemo.capture import wire
from asyncdemo.recording.assembly import standstill
from asyncdemo.recording.assembly.state import AssemblyState, MessageHandlers, NumberHandlers

_LATE_NS = 1_000_000_000
"""A process that has sent nothing for this long is not waited for."""


def stuck(state: AssemblyState, message: wire.Stuck) -> None:
    """Store the answer; what they were doing is known once the numbers have reached that moment."""
    number = state.process.number
    state.answers[number] = standstill.told(
        state.ledger, state.process, message.who, lambda wait: state.waits[wait][1]
    )
    state.ledger.idle[number] = message.idle


def stuck_now(state: AssemblyState, at_ns: int, *_: int) -> None:
    ledger, process = state.ledger, state.process
    ledger.come_to(process, at_ns)
    ledger.stuck[process.number] = standstill.completed(ledger, state.answers.pop(process.number))
    ledger.holdings[process.number] = standstill.holdings(ledger, process, state.held)


def now(state: AssemblyState, at_ns: int, *_: int) -> None:
    ledger = state.ledger
    ledger.come_to(state.process, at_ns)
    if state.summing is not None:
        state.summing.told(state.process.number, at_ns)
    told = [process.now_ns for process in ledger.processes.values() if not process.gone]
    state.live_feed.clock(min((ns for ns in told if ns > at_ns - _LATE_NS), default=at_ns))


HANDLERS: MessageHandlers = {wire.Stuck: stuck}
NUMBERS: NumberHandlers = {wire.STUCK: stuck_now, wire.NOW: now}
