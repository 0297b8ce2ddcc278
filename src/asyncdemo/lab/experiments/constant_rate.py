"""What seed 003 needs beside ``constant-rate.toml``: its check, and what is counted of a backlog.

Not for: many connections at once (``ten_thousand``).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from asyncdemo.lab.experiments import Surroundings
from asyncdemo.lab.experiments.definition import load_definition
from asyncdemo.lab.harness.checks import answer_check
from asyncdemo.lab.harness.protocol import Count, Experiment, Scene
from asyncdemo.lab.results.laws import backlog_s
from asyncdemo.load import Send

__all__ = ["longest_of_backlog", "prepared"]

_SEND: Final = Send("GET", "/")
_TEXT: Final = b"Hello, world!"


@contextmanager
def prepared(surroundings: Surroundings) -> Iterator[Experiment]:
    answer = answer_check(_SEND, _TEXT.decode(), _TEXT.__eq__, headers={"Content-Type": "text/plain"})
    counts = (
        Count("longest_ms", _longest_ms, most=False),
        Count("longest_of_backlog", longest_of_backlog, most=False),
    )
    yield load_definition("constant-rate").experiment(
        surroundings, {"hello": _SEND}, {"answer": (answer,)}, {count.name: count for count in counts}
    )


def _longest_ms(scene: Scene) -> float:
    return 0.0 if scene.load is None else scene.load.latency_ms.get("100", 0.0)


def longest_of_backlog(scene: Scene) -> float:
    """The longest wait, as a multiple of what the formula says for the run until its last answer.

    Nearly an identity: of answers in the order of their requests it is 1. 0 where there is no backlog.
    """
    load, rate = scene.load, scene.setting.rate_per_s
    if load is None or not load.answered or not rate:
        return 0.0
    said_s = backlog_s(rate, load.answered / load.wall_s, load.wall_s)
    return _longest_ms(scene) / 1000 / said_s if said_s else 0.0
