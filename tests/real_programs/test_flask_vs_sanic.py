"""What lesson 12 stands on: fifty clients of Flask, without threads and with them, and of Sanic.

The durations are drawn from a seed, so what each server can at best take is known without a run.
"""

from __future__ import annotations

import heapq
import random
from typing import Any

import pytest

from tests.cli.commands import asyncdemo

pytestmark = [
    pytest.mark.slow,
]

WITHIN = 0.10


def drawn_s(knobs: dict[str, Any]) -> list[float]:
    """How long each upload takes, in the order in which the servers draw."""
    draw = random.Random(knobs["SEED"])
    low, high = knobs["FASTEST_MS"], knobs["SLOWEST_MS"]
    return [draw.randint(low, high) / 1000 for _ in range(knobs["CLIENTS"])]


def scheduled_s(durations_s: list[float], places: int) -> float:
    """When the last is over, if each takes the place that is free first."""
    free_at_s = [0.0] * places
    for duration_s in durations_s:
        heapq.heapreplace(free_at_s, free_at_s[0] + duration_s)
    return max(free_at_s)


@pytest.mark.alone
def test_fifty_clients_are_served_one_or_five_at_a_time_and_take_as_long_as_that_must() -> None:
    done = asyncdemo("run", "flask-vs-sanic", "--json", "--no-predict")
    assert done.code == 0, done.err
    knobs, variants = done.data["knobs"], done.data["variants"]
    assert (knobs["CLIENTS"], knobs["CONNECTIONS"]) == (50, 5)
    assert [
        (variant["name"], variant["outcome"], variant["peak"], variant["open"], variant["lanes"])
        for variant in variants
    ] == [
        ("unthreaded", "ok", 1, 1, 50),
        ("threaded", "ok", 5, 50, 50),
        ("awaited", "ok", 5, 50, 50),
    ], [starts_and_first_end(variant) for variant in variants]
    for variant in variants:
        assert (variant["requests"]["answered"], variant["requests"]["failed"]) == (50, 0)
        assert variant["notes"] == []

    unthreaded, threaded, awaited = variants
    durations_s = drawn_s(knobs)
    assert 1 <= unthreaded["wall_s"] / sum(durations_s) <= 1 + WITHIN
    for variant in (threaded, awaited):
        assert variant["ideal_s"] <= variant["wall_s"] <= variant["ideal_s"] * (1 + WITHIN)
        # In which order they came to the gate may differ from that in which they drew.
        assert variant["wall_s"] / scheduled_s(durations_s, 5) == pytest.approx(1, abs=WITHIN)


def starts_and_first_end(variant: dict[str, Any]) -> str:
    """Whether all handlers could have been open at the same time: the last begins before the first ends."""
    lanes = variant["lane_list"]
    last_start_s = max((lane["start_s"] for lane in lanes), default=0)
    first_end_s = min((lane["end_s"] for lane in lanes), default=0)
    return (
        f"{variant['name']}: the last began at {last_start_s:.3f} s, the first ended at {first_end_s:.3f} s"
    )
