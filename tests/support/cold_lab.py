"""An experiment whose only contestant never comes to answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from asyncdemo.lab.experiments import Surroundings
from asyncdemo.lab.harness.protocol import Experiment
from tests.support.brief_lab import brief, serving


@contextmanager
def prepared(surroundings: Surroundings) -> Iterator[Experiment]:
    yield brief("cold-cup", "A cup that stays cold", 1, serving(surroundings.apps, "cold", 300, fault="hang"))
