"""An experiment whose database has died, as is seen when its contestant has been looked at."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from asyncdemo.lab.experiments import Surroundings
from asyncdemo.lab.harness.protocol import Experiment
from tests.support.brief_lab import brief, serving


@contextmanager
def prepared(surroundings: Surroundings) -> Iterator[Experiment]:
    experiment = brief("empty-pot", "An empty pot", 1, serving(surroundings.apps, "empty"))
    yield replace(experiment, died=lambda: "PostgreSQL has died: its server was ended by SIGKILL.")
