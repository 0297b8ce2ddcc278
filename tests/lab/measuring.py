"""Real servers, real load: a trial, or a whole experiment, of a script that behaves as a test asks.

The machine that runs the tests is shared, so where a test is about something else, what other programs do to
the figures is left out of them: ``undisturbed``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

from asyncdemo.lab.experiments import find_experiment
from asyncdemo.lab.harness.machine import Pinning
from asyncdemo.lab.harness.protocol.bench import Bench, RunningContestant, Window
from asyncdemo.lab.harness.protocol.description import Condition, Contestant, Experiment, Size
from asyncdemo.lab.harness.protocol.lineup import Lineup, Turn
from asyncdemo.lab.harness.protocol.running import run
from asyncdemo.lab.harness.protocol.stages import attempt
from asyncdemo.lab.results.flags import FlagKind
from asyncdemo.lab.results.record import Record, dump_record, parse_record
from asyncdemo.lab.results.setup import Extent, Loop, Setting
from asyncdemo.lab.results.trial import Trial, TrialOutcome
from tests.support import brief_lab
from tests.support.fake_lab import SEND
from tests.support.lab_experiments import context_for

SERVING = Path(__file__).with_name("scripts") / "serving.py"
serving = partial(brief_lab.serving, SERVING.parent)
CLOSED = Setting("closed", "10 clients", Loop.CLOSED, (), clients=10, timeout_s=2, keep_alive=True)
OPEN = Setting("open", "at a rate", Loop.OPEN, (), rate_per_s=50, timeout_s=20, keep_alive=True)
BRIEF = Size(rounds=1, window_s=0.5, warm_up_s=0.2, most_warm_ups=2)


def one_trial(
    contestant: Contestant,
    setting: Setting = CLOSED,
    bench: Bench | None = None,
    size: Size = BRIEF,
) -> list[Trial]:
    """More than one only of a search."""
    conditions = (Condition(setting, (SEND,), warm=False),)
    experiment = Experiment("one", "One", (contestant,), conditions, (), {Extent.QUICK: size})
    turn = Turn(1, 1, contestant.arm.name, setting.name)
    return list(attempt(bench or Bench(), Lineup(experiment, size), turn, 1, lambda _: None).trials)


def brief(
    name: str, *settings: str, change: Callable[[Experiment], Experiment] = lambda experiment: experiment
) -> Record:
    """One round of an experiment of the lab; everything that was looked at held, and all was measured."""
    entry = find_experiment(name)
    assert entry is not None
    with entry.prepared(context_for(name)) as experiment:
        sizes = {Extent.QUICK: Size(1, 0.5, 0.2, 2, settings)}
        record = run(replace(change(experiment), sizes=sizes), Extent.QUICK, bench=undisturbed(), seed=1)
    assert parse_record(dump_record(record)) == record
    assert [item for item in record.verifications if not item.held] == []
    assert {trial.outcome for trial in record.trials} == {TrialOutcome.MEASURED}
    assert {trial.arm for trial in record.trials} == {arm.name for arm in record.arms if not arm.unavailable}
    assert record.calibrations[0].figures["requests_per_client_cpu_s"] > 0
    # in ticks of 10 ms: ten requests may take none
    assert any(trial.server is not None and trial.server.cpu_s for trial in record.trials)
    for trial in record.trials:
        assert trial.server is not None
        assert trial.server.before is not None and trial.server.most is not None
        assert trial.histograms is not None and trial.histograms.latency
    return record


def kinds(*trials: Trial) -> set[FlagKind]:
    return {flag.kind for trial in trials for flag in trial.flags}


class _Undisturbed(Bench):
    @contextmanager
    def started(self, *given: Any) -> Iterator[RunningContestant]:
        with super().started(*given) as running:
            yield _UndisturbedContestant(*(getattr(running, field.name) for field in fields(running)))


class _UndisturbedContestant(RunningContestant):
    def window(self, *given: Any, **more: Any) -> Window:
        window = super().window(*given, **more)
        load = replace(window.load, client_waited=None)
        system = None if window.system is None else replace(window.system, foreign_cpu=None)
        return replace(window, measured=replace(window.measured, load=load), system=system)


def undisturbed() -> Bench:
    return _Undisturbed(pinning=Pinning())
