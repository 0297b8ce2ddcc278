"""What an experiment needs is killed in its second round: the first one is kept, and nobody else is tried."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from asyncdemo.lab.experiments import ExperimentContext, find_experiment
from asyncdemo.lab.harness.machine import find
from asyncdemo.lab.harness.protocol.description import Experiment, Size
from asyncdemo.lab.harness.protocol.running import Progress, Stage, run
from asyncdemo.lab.results.record import Record, dump_record, parse_record
from asyncdemo.lab.results.setup import Extent
from tests.lab.measuring import undisturbed

pytestmark = pytest.mark.lab

APPS = Path(__file__).parents[2] / "lessons" / "07-measurement"
whole = pytest.mark.skipif(
    not (find("nginx") and find("pgbouncer")), reason="needs nginx and pgbouncer: make services"
)


def killing(experiment: Experiment, program: str, reports: list[Progress]) -> Callable[[Progress], None]:
    """The first of its processes, when the second round is measured; reports: what comes from then on."""

    def listen(progress: Progress) -> None:
        if progress.stage is not Stage.MEASURE or progress.round < 2:
            return
        reports.append(progress)
        if progress.step == "measure" and [one.step for one in reports].count("measure") == 1:
            os.kill(next(pid for pid in experiment.own_pids() if _name(pid) == program), signal.SIGKILL)

    return listen


def _name(pid: int) -> str:
    try:
        return str(psutil.Process(pid).name())
    except psutil.NoSuchProcess:
        return ""


def ended(name: str, apps: str, arms: tuple[str, ...], setting: str, program: str) -> tuple[Record, int]:
    """With how many were tried from the second round on."""
    entry = find_experiment(name)
    assert entry is not None
    reports: list[Progress] = []
    with entry.prepared(ExperimentContext(APPS / apps / "apps")) as experiment:
        size = Size(3, 0.5, 0.2, 1, settings=(setting,), arms=arms)
        experiment = replace(experiment, sizes={Extent.QUICK: size})
        listener = killing(experiment, program, reports)
        record = run(experiment, Extent.QUICK, listener, seed=1, bench=undisturbed())
    assert parse_record(dump_record(record)) == record
    assert record.interrupted and {trial.round for trial in record.trials} == {1}
    return record, [one.step for one in reports].count("start")


def test_postgresql_dies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASYNCDEMO_PG_DSN", raising=False)
    record, tried = ended("greenlets", "24-greenlets", ("sync", "gevent-psycogreen"), "pool-10", "postgres")
    assert "when the run was ended: PostgreSQL has died: its server was ended by SIGKILL" in (
        record.flags[-1].words
    )
    assert tried == 1


@whole
@pytest.mark.parametrize("program", ["pgbouncer", "nginx"])
def test_a_part_of_the_stack_dies(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    monkeypatch.delenv("ASYNCDEMO_PG_DSN", raising=False)
    arms = ("flask-gunicorn", "falcon-uwsgi")
    record, tried = ended("twenty-one-pairs", "25-rig-it", arms, "better-sync", program)
    assert record.flags[-1].words.endswith(f"when the run was ended: {program} was ended by SIGKILL.")
    assert tried == 1
