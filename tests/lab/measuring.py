"""Real servers, real load: a trial, or a whole experiment, of a script that behaves as a test asks.

The machine that runs the tests is shared, so where a test is about something else, what other programs do to
the figures is left out of them: ``undisturbed``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from asyncdemo.lab.experiments import find_experiment
from asyncdemo.lab.harness.engines import Engine, Measured, Sending
from asyncdemo.lab.harness.machine import Pinning
from asyncdemo.lab.harness.protocol.attempts import Attempt, Turn
from asyncdemo.lab.harness.protocol.bench import Bench
from asyncdemo.lab.harness.protocol.description import Check, Condition, Contestant, Scene, Seen, Size, When
from asyncdemo.lab.harness.protocol.running import run
from asyncdemo.lab.harness.served_app import served_script
from asyncdemo.lab.harness.watching import Watch
from asyncdemo.lab.results.flags import FlagKind
from asyncdemo.lab.results.record import Record, dump_record, parse_record
from asyncdemo.lab.results.setup import Extent, Loop, Setting
from asyncdemo.lab.results.trial import Server, System, Trial, TrialOutcome
from asyncdemo.load import Plan
from tests.support.fake_lab import SEND, an_arm
from tests.support.lab_experiments import surroundings_of

SERVING = Path(__file__).with_name("scripts") / "serving.py"
CLOSED = Setting("closed", "10 clients", Loop.CLOSED, (), clients=10, timeout_s=2, keep_alive=True)
OPEN = Setting("open", "so many a second", Loop.OPEN, (), rate_per_s=50, timeout_s=20, keep_alive=True)
BRIEF = Size(rounds=1, window_s=0.5, warm_up_s=0.2, most_warm_ups=2)


def serving(name: str, ready_s: float = 20, **behaviour: int | float | str) -> Contestant:
    return Contestant(an_arm(name), served_script(name, SERVING, ready_s), behaviour)


def process_check(what: str, at_least: int, arms: tuple[str, ...] = ()) -> Check:
    """So many processes of the contestant are there, while it is loaded."""

    def look(scene: Scene) -> Seen:
        there = len(scene.started.pids())
        return Seen(f"{there}", there >= at_least)

    return Check(what, f"at least {at_least}", look, When.LOADED, arms)


def one_trial(
    contestant: Contestant,
    setting: Setting = CLOSED,
    bench: Bench | None = None,
    size: Size = BRIEF,
    meanwhile: Callable[[str], None] = lambda _: None,
) -> list[Trial]:
    """More than one only of a search. meanwhile: is told each step."""
    condition = Condition(setting, (SEND,), warm=False)
    attempt = Attempt(
        bench=bench or Bench(),
        contestant=contestant,
        condition=condition,
        setting=condition.described(size),
        size=size,
        turn=Turn(1, 1, contestant.arm.name, setting.name),
        rate_per_s=setting.rate_per_s,
    )
    return list(attempt.run(meanwhile).trials)


def brief(name: str, *settings: str) -> Record:
    """One round of an experiment of the lab; everything that was looked at held, and all was measured."""
    entry = find_experiment(name)
    assert entry is not None
    with entry.prepared(surroundings_of(name)) as experiment:
        sizes = {Extent.QUICK: Size(1, 0.5, 0.2, 2, settings)}
        record = run(replace(experiment, sizes=sizes), Extent.QUICK, bench=undisturbed(), seed=1)
    assert parse_record(dump_record(record)) == record
    assert [item for item in record.verifications if not item.held] == []
    assert {trial.outcome for trial in record.trials} == {TrialOutcome.MEASURED}
    assert {trial.arm for trial in record.trials} == {arm.name for arm in record.arms}
    return record


def kinds(*trials: Trial) -> set[FlagKind]:
    return {flag.kind for trial in trials for flag in trial.flags}


class _Alone(Watch):
    def end(self) -> tuple[Server, System]:
        server, system = super().end()
        return server, replace(system, foreign_cpu=None)


@dataclass(frozen=True)
class _Unhurried:
    engine: Engine

    @property
    def name(self) -> str:
        return self.engine.name

    @contextmanager
    def prepared(self, plan: Plan) -> Iterator[Sending]:
        with self.engine.prepared(plan) as sending:
            yield _UnhurriedSending(sending)


@dataclass(frozen=True)
class _UnhurriedSending:
    sending: Sending

    @property
    def pids(self) -> tuple[int, ...]:
        return self.sending.pids

    def go(self) -> None:
        self.sending.go()

    def finished(self, within_s: float) -> bool:
        return self.sending.finished(within_s)

    def measured(self) -> Measured:
        measured = self.sending.measured()
        return replace(measured, load=replace(measured.load, client_waited=None))


def undisturbed() -> Bench:
    bench = Bench()
    engines: Mapping[str, Engine] = {name: _Unhurried(engine) for name, engine in bench.engines.items()}
    return replace(bench, engines=engines, watch=_Alone, pinning=Pinning())
