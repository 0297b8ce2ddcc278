"""An experiment whose contestants fail, each in its own way, beside a good one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from asyncdemo.lab.experiments import Surroundings
from asyncdemo.lab.harness.protocol import Experiment
from tests.support.brief_lab import brief, serving


@contextmanager
def prepared(surroundings: Surroundings) -> Iterator[Experiment]:
    apps = surroundings.apps
    yield brief(
        "broken-cups",
        "Broken cups",
        1,
        serving(apps, "good", delays_ms=10),
        serving(apps, "dies", fault="die"),
        serving(apps, "dies-under-load", delays_ms=10, die_after=20),
        serving(apps, "hangs-at-start", ready_s=2, fault="hang"),
        serving(apps, "answers-wrongly", answer="goodbye"),
        serving(apps, "keeps-its-port", delays_ms=10, fault="keep-port"),
    )
