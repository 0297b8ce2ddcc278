"""What seed 000 needs besides ``flask-and-sanic.toml``: checks before, during and after the load."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

from asyncdemo.lab.experiments.context import ExperimentContext
from asyncdemo.lab.experiments.definition import load_experiment
from asyncdemo.lab.harness.checks import count_check, threads_of
from asyncdemo.lab.harness.protocol.description import Check, Experiment, Scene, Seen, When

_UNTHREADED, _THREADED, _SANIC = "flask-unthreaded", "flask-threaded", "sanic"
_GATE, _FASTEST_MS, _SLOWEST_MS, _SEED = 5, 100, 200, 1


@contextmanager
def prepared(context: ExperimentContext) -> Iterator[Experiment]:
    checks = {
        "gates of 10": _gates(10),
        "gates of 50": _gates(50),
        "threads": (_threads(50),),  # with fewer uploads, most threads are gone before the check
    }
    yield load_experiment("flask-and-sanic", context, checks)


def _gates(many: int) -> tuple[Check, Check]:
    """No contestant may be faster than its gate: then some uploads would not have waited for it."""
    # Draw as the apps do; the first number is for the request that checked the answer.
    draw = random.Random(_SEED)
    drawn_ms = [draw.randint(_FASTEST_MS, _SLOWEST_MS) for _ in range(1 + many)][1:]

    def gate(at_once: int, arms: tuple[str, ...]) -> Check:
        least_s = sum(drawn_ms) / 1000 / at_once

        def look(scene: Scene) -> Seen:
            wall_s = scene.load.wall_s if scene.load else 0.0
            return Seen(f"{wall_s:.2f} s", wall_s >= least_s)

        what = f"{many} uploads, {at_once} at once"
        return Check(what, f"at least {least_s:.2f} s", look, When.AFTER, arms)

    return gate(1, (_UNTHREADED,)), gate(_GATE, (_THREADED, _SANIC))


def _threads(many: int) -> Check:
    few = many // 2
    return count_check(
        "threads while it is loaded",
        f"more than {few}",
        threads_of,
        lambda there: there > few,
        When.LOADED,
        (_THREADED,),
    )
