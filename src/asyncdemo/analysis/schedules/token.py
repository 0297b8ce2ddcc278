"""A schedule in a few characters, to repeat it: ``17``, or ``12+40ms,31+150ms``.

A number is a seed. Otherwise, each part is the number of a callback and the delay before it.
"""

from __future__ import annotations

import re

from asyncdemo.errors import UsageError
from asyncdemo.model import Run

Delays = int | tuple[tuple[int, int], ...]
"""A seed from which delays are drawn, or the delays: number of the callback, nanoseconds."""

_PART = re.compile(r"(\d+)\+(\d+(?:\.\d+)?)ms")
_MOST_DIGITS = 18
NONE = "none"
"""The schedule without a delay."""


def token_of(delays: Delays) -> str:
    if isinstance(delays, int):
        return str(delays)
    return ",".join(f"{callback}+{_milliseconds(length_ns)}ms" for callback, length_ns in delays) or NONE


def _milliseconds(length_ns: int) -> str:
    return f"{length_ns / 1e6:.6f}".rstrip("0").rstrip(".")


def parse_token(token: str) -> Delays:
    """Return the schedule of a token. Raise UsageError if it is not one."""
    if token == NONE:
        return ()
    if token.isdecimal() and token.isascii() and len(token) <= _MOST_DIGITS:
        return int(token)
    parts = [_PART.fullmatch(part) for part in token.split(",")]
    found = [
        (int(part[1]), round(float(part[2]) * 1e6))
        for part in parts
        if part and len(part[0]) <= 2 * _MOST_DIGITS
    ]
    if len(found) < len(parts):
        raise UsageError(
            f"{token!r} is not a schedule. A schedule looks like 12+40ms,31+150ms: copy it from the report "
            "of --schedules."
        )
    return tuple(found)


def delays_of(run: Run) -> tuple[tuple[int, int], ...]:
    """Return the delays that were drawn, so that they can be repeated and reduced."""
    return tuple((delay.callback, delay.length_ns) for delay in run.delays)
