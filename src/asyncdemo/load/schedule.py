"""When the requests of an open loop are due. Pure: no clock, no waiting (``pacing`` does that)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import count

from asyncdemo.load.plan import Plan

_SECOND_NS = 1_000_000_000


def arrivals_ns(plan: Plan) -> Iterator[int]:
    """Nanoseconds from the start at which each request is due, in order.

    Raises ValueError for a closed loop: there, the answers say when.
    """
    if plan.rate is None:
        raise ValueError("a closed loop has no schedule")
    offsets = (
        _poisson(plan.rate, random.Random(plan.seed)) if plan.arrivals == "poisson" else _uniform(plan.rate)
    )
    end_ns = None if plan.duration_s is None else plan.duration_s * _SECOND_NS
    for number, offset_ns in enumerate(offsets):
        if plan.requests is not None and number >= plan.requests:
            return
        if end_ns is not None and offset_ns >= end_ns:
            return
        yield offset_ns


def _uniform(rate: float) -> Iterator[int]:
    # a multiple of the number, not a sum of intervals: rounding must not add up over a million requests
    return (round(number * _SECOND_NS / rate) for number in count())


def _poisson(rate: float, draw: random.Random) -> Iterator[int]:
    due_s = 0.0
    while True:
        due_s += draw.expovariate(rate)
        yield round(due_s * _SECOND_NS)
