"""An experiment after which something keeps a port."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from asyncdemo.lab.experiments import Surroundings
from asyncdemo.lab.harness.contestant import PortKept
from asyncdemo.lab.harness.protocol import Experiment
from tests.support.brief_lab import brief, serving


@contextmanager
def prepared(surroundings: Surroundings) -> Iterator[Experiment]:
    yield brief("spilt-tea", "Spilt tea", 1, serving(surroundings.apps, "spilt", delays_ms=5))
    raise PortKept("nginx has ended, and somebody still holds its port.")
