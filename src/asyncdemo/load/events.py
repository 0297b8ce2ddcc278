"""What happened to a request, in the order in which the client saw it, and the wire format.

All times are ``time.perf_counter_ns``, which is common to all processes of a machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

GO, INTERRUPT = b"go", b"interrupt"
"""Messages to the client, after its plan."""
PARENT = "ASYNCDEMO_LOAD_PARENT"
"""Environment variable of the client: the process it works for."""


class Sent(NamedTuple):
    """A request is on its way.

    Attributes:
        number: The number of the request, from 0.
        trace_id: The trace id of its traceparent.
        name: Method and path.
        intended_ns: When it should have been sent.
        sent_ns: When connecting started, or when it was written to an existing connection.
        port: Our port, which is the server's peer port; 0 if not yet known.
    """

    number: int
    trace_id: str
    name: str
    intended_ns: int
    sent_ns: int
    port: int


class Connected(NamedTuple):
    """The connection for a request is open. There is one of these for every new connection.

    Attributes:
        number: The number of the request.
        port: Our port, which is the server's peer port.
        at_ns: When it was opened.
    """

    number: int
    port: int
    at_ns: int


class Answered(NamedTuple):
    """A whole response has arrived, or none will.

    Attributes:
        number: The number of the request.
        at_ns: When that was.
        status: The status code; None without a whole response.
        error: None with a whole response. Otherwise "timeout", "refused", "reset", "closed" (before the whole
            response), "protocol" (not HTTP), "network" (any other system error) or "interrupted".
        body: The part of the body that is kept.
        content_type: The Content-Type of the response.
    """

    number: int
    at_ns: int
    status: int | None
    error: str | None
    body: bytes = b""
    content_type: str = ""


Event = Sent | Connected | Answered
Report = Callable[[Event], None]
"""Receives every event, in the middle of the load, so it must be fast."""

_KINDS: dict[str, type[Sent | Connected | Answered]] = {"s": Sent, "c": Connected, "a": Answered}
_LETTERS = {kind: letter for letter, kind in _KINDS.items()}


def to_wire(event: Event) -> list[Any]:
    fields = [_LETTERS[type(event)], *event]
    if isinstance(event, Answered):
        # latin-1 maps every byte to one character, so any body passes through JSON
        fields[5] = event.body.decode("latin-1")
    return fields


def from_wire(fields: Sequence[Any]) -> Event:
    event = _KINDS[fields[0]](*fields[1:])
    if isinstance(event, Answered):
        return event._replace(body=str(event.body).encode("latin-1"))
    return event
