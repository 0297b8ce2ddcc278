"""An experiment that needs a package which nobody has."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from asyncdemo.lab.experiments import Surroundings
from asyncdemo.lab.harness.protocol import Experiment
from tests.support.brief_lab import brief, serving


@contextmanager
def prepared(surroundings: Surroundings) -> Iterator[Experiment]:
    experiment = brief("rare-tea", "Rare tea", 1, serving(surroundings.apps, "rare"))
    yield replace(experiment, packages=("no-such-tea",))
