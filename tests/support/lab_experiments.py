"""The experiments of the lab as they are described, over services that are only figures a test sets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from asyncdemo.lab.experiments import (
    ExperimentContext,
    find_experiment,
    flask_and_quart,
    greenlets,
    twenty_one_pairs,
)
from asyncdemo.lab.harness import Unavailable
from asyncdemo.lab.harness.protocol.description import Experiment, PlannedRow

LESSONS = Path(__file__).parents[2] / "lessons"


class FakeDatabase:
    url, words = "postgresql://nowhere", "PostgreSQL 0"

    def __init__(self) -> None:
        self.made = self.open = self.running = self.stored = 0.0

    def sessions(self) -> float:
        return self.made

    def connected(self) -> float:
        return self.open

    def connected_at_most(self, most: float) -> float:
        return self.open

    def in_flight(self) -> float:
        return self.running

    def reviews(self) -> float:
        return self.stored

    def pids(self) -> tuple[int, ...]:
        return ()

    def died(self) -> str:
        return ""


def context_for(name: str) -> ExperimentContext:
    entry = find_experiment(name)
    assert entry is not None and entry.name == name
    (home,) = LESSONS.glob(f"*/*-{entry.home}")
    return ExperimentContext(home / "apps")


def described(name: str) -> Experiment:
    if name == "flask-and-quart":
        return quart()
    if name == "greenlets":
        return green()
    if name == "twenty-one-pairs":
        return pairs()
    entry = find_experiment(name)
    assert entry is not None
    with entry.prepared(context_for(name)) as experiment:
        return experiment


def quart(database: FakeDatabase | None = None, gone: Unavailable | None = None) -> Experiment:
    fake: Any = database or FakeDatabase()
    return flask_and_quart.described(context_for("flask-and-quart"), fake, gone)


def green(database: FakeDatabase | None = None) -> Experiment:
    fake: Any = database or FakeDatabase()
    return greenlets.described(context_for("greenlets"), fake)


def fake_stack(missing: Mapping[str, str] | None = None, pooler: object = "pgbouncer") -> Any:
    return SimpleNamespace(
        missing=missing or {},
        programs={},
        pids=tuple,
        died=str,
        sessions=float,
        server_port=9000,
        port=8000,
        proxy="nginx",
        pooler=pooler,
        words="PostgreSQL 0",
        database=FakeDatabase(),
    )


def pairs(missing: Mapping[str, str] | None = None, pooler: object = "pgbouncer") -> Experiment:
    return twenty_one_pairs._experiment(fake_stack(missing, pooler), context_for("twenty-one-pairs"))


def row(experiment: Experiment, arm: str, base: str, setting: str, figure: str) -> PlannedRow:
    (found,) = (
        asked
        for asked in experiment.rows
        if (asked.arm, asked.base, asked.setting, asked.figure.key) == (arm, base, setting, figure)
    )
    return found
