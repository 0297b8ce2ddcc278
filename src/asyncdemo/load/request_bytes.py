"""Requests as bytes: everything except the trace is assembled once, before the load starts."""

from __future__ import annotations

import os

from asyncdemo.errors import UsageError
from asyncdemo.load.plan import Plan, Send

_OURS = frozenset({"connection", "content-length", "transfer-encoding", "traceparent"})
_TRACE_DIGITS = 32
_FIELD = 49
"""32 digits of the trace, a hyphen, 16 digits of the parent."""
_BLOCK = 1024
"""How many fields to draw at a time: random bytes from the system cost as much for 24 KiB as for 24."""


class RequestMaker:
    """Makes the bytes of requests. Raises UsageError for one that cannot be encoded."""

    def __init__(self, plan: Plan) -> None:
        self._fields = b""
        self._at = 0
        self.names = tuple(send.name for send in plan.sends)
        self.methods = tuple(send.method for send in plan.sends)
        self._count = len(plan.sends)
        self._traces = plan.traces
        self._parts = [_parts(send, plan) for send in plan.sends]

    def make(self, number: int) -> bytes:
        """Return the complete request of that number, with its own trace."""
        head, tail = self._parts[number % self._count]
        if not self._traces:
            return head + tail
        at = self._at + _FIELD
        if at >= len(self._fields):
            self._fields, at = self._draw(), 0
        self._at = at
        return head + self._fields[at : at + _FIELD] + tail

    @property
    def last_trace_id(self) -> str:
        """The trace id of the last request made; empty without traces."""
        return self._fields[self._at : self._at + _TRACE_DIGITS].decode()

    def _draw(self) -> bytes:
        # from the system's generator, so that nobody can guess the traces of another run
        digits = os.urandom((_BLOCK * _FIELD + 1) // 2).hex().encode()
        fields = bytearray(digits[: _BLOCK * _FIELD])
        fields[_TRACE_DIGITS::_FIELD] = b"-" * _BLOCK
        return bytes(fields)


def _parts(send: Send, plan: Plan) -> tuple[bytes, bytes]:
    """Return what precedes and follows the trace (https://www.w3.org/TR/trace-context/)."""
    _check(send)
    given = {name.lower() for name, _ in send.headers}
    for name in sorted(given & _OURS):
        raise UsageError(f"load: the header {name} of {send.method} {send.path} is set by the client itself")
    lines = [f"{send.method} {send.path} HTTP/1.1"]
    if "host" not in given:
        host = f"[{plan.host}]" if ":" in plan.host else plan.host
        lines.append(f"Host: {host}:{plan.port}")
    if not plan.keep_alive:
        lines.append("Connection: close")
    if send.body or send.method in {"POST", "PUT", "PATCH"}:
        lines.append(f"Content-Length: {len(send.body)}")
    lines += [f"{name}: {value}" for name, value in send.headers]
    head = "\r\n".join(lines).encode("latin-1")
    if plan.traces:
        return head + b"\r\ntraceparent: 00-", b"-01\r\n\r\n" + send.body
    return head, b"\r\n\r\n" + send.body


def _check(send: Send) -> None:
    """Reject what would be sent as a different request than intended."""
    what = f"{send.method} {send.path}"
    if not (send.method.isascii() and send.method.isalpha()):
        raise UsageError(f"load: {send.method!r} is not an HTTP method")
    if not (send.path.startswith("/") or send.path == "*") or not all("!" <= c <= "~" for c in send.path):
        raise UsageError(f"load: path {send.path!r} must begin with / and have %20 for a space, and the like")
    for name, value in send.headers:
        if not name or not all("!" <= c <= "~" and c != ":" for c in name):
            raise UsageError(f"load: {name!r} is not the name of a header ({what})")
        if any(c in value for c in "\r\n\0") or any(ord(c) > 255 for c in value):
            raise UsageError(f"load: the header {name} of {what} has a character that no header can have")
