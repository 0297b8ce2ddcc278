"""The server's side of requests. Not here: the client's (see ``request_matcher``)."""

from __future__ import annotations

from asyncdemo.capture import wire
from asyncdemo.recording.assembly.state import AssemblyState, MessageHandlers


def accepted(state: AssemblyState, message: wire.Accepted) -> None:
    state.requests.accepted(message.port, message.at_ns, state.process.number)


def handling(state: AssemblyState, message: wire.Handling) -> None:
    state.requests.handling(*message)


def handled(state: AssemblyState, message: wire.Handled) -> None:
    state.requests.handled(*message)


HANDLERS: MessageHandlers = {wire.Accepted: accepted, wire.Handling: handling, wire.Handled: handled}
