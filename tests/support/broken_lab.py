"""An experiment whose contestants fail, each in its own way, beside a good one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from asyncdemo.lab.experiments import Surroundings
from asyncdemo.lab.protocol import Experiment
from tests.support.brief_lab import brief, serving


@contextmanager
def prepared(surroundings: Surroundings) -> Iterator[Experiment]:
    yield brief(
        "broken-cups",
        "Broken cups",
        1,
        serving("good", delays_ms=10),
        serving("dies", fault="die"),
        serving("dies-under-load", delays_ms=10, die_after=20),
        serving("hangs-at-start", ready_s=2, fault="hang"),
        serving("answers-wrongly", answer="goodbye"),
        serving("keeps-its-port", delays_ms=10, fault="keep-port"),
    )
