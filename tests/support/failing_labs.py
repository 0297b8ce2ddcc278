"""Experiments that fail, each in its own way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from asyncdemo.lab.experiments import ExperimentContext
from asyncdemo.lab.harness import PortKept
from asyncdemo.lab.harness.protocol.description import Experiment
from tests.support.brief_lab import brief, serving


@contextmanager
def failing_contestants(context: ExperimentContext) -> Iterator[Experiment]:
    """Beside a good one."""
    apps = context.apps
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


@contextmanager
def missing_package(context: ExperimentContext) -> Iterator[Experiment]:
    experiment = brief("rare-tea", "Rare tea", 1, serving(context.apps, "rare"))
    yield replace(experiment, packages=("no-such-tea",))


@contextmanager
def never_ready(context: ExperimentContext) -> Iterator[Experiment]:
    yield brief("cold-cup", "A cup that stays cold", 1, serving(context.apps, "cold", 300, fault="hang"))


@contextmanager
def port_kept(context: ExperimentContext) -> Iterator[Experiment]:
    yield brief("spilt-tea", "Spilt tea", 1, serving(context.apps, "spilt", delays_ms=5))
    raise PortKept("nginx has ended, and somebody still holds its port.")


@contextmanager
def database_died(context: ExperimentContext) -> Iterator[Experiment]:
    """As is seen when its contestant has been looked at."""
    experiment = brief("empty-pot", "An empty pot", 1, serving(context.apps, "empty"))
    yield replace(experiment, died=lambda: "PostgreSQL has died: its server was ended by SIGKILL.")
