"""A whole experiment: calibrate, verify, measure in rounds, compare. Finished parts are saved immediately.

Not here: the steps themselves (see the other modules here), or showing the progress.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

from asyncdemo import __version__
from asyncdemo.errors import LabFileError, ServiceError
from asyncdemo.lab.harness import Unavailable
from asyncdemo.lab.harness.protocol.attempts import Attempt, Attempted, Turn
from asyncdemo.lab.harness.protocol.bench import Bench, Interrupted
from asyncdemo.lab.harness.protocol.description import Condition, Contestant, Experiment, check_experiment
from asyncdemo.lab.harness.protocol.journal import Journal, describe, identity
from asyncdemo.lab.harness.protocol.lineup import Lineup, poisson_seed, turns, with_twin
from asyncdemo.lab.harness.protocol.preflight import NULL, Visit, calibrate, visit
from asyncdemo.lab.harness.protocol.recording import commands, compared, notes, twin_rows, unmeasured
from asyncdemo.lab.results import validity_checks
from asyncdemo.lab.results.flags import FlagKind
from asyncdemo.lab.results.record import FORMAT, Record
from asyncdemo.lab.results.setup import Calibration, Extent
from asyncdemo.lab.results.trial import TrialOutcome
from asyncdemo.model.fields import FieldError, read, write


class Stage(StrEnum):
    CALIBRATE = "calibrate"
    VERIFY = "verify"
    MEASURE = "measure"


@dataclass(frozen=True, slots=True)
class Progress:
    """``round`` counts from 1; 0: before the first. ``arm`` and ``setting`` are titles.

    ``step`` is, for example, "start", "warm up" or "measure". ``done`` and ``of`` count the contestants of
    this stage. ``left_s`` is for the whole stage; None while unknown.
    """

    stage: Stage
    round: int
    rounds: int
    arm: str
    setting: str
    step: str
    done: int
    of: int
    left_s: float | None = None


Listener = Callable[[Progress], None]


_T = TypeVar("_T")


def run(
    experiment: Experiment,
    extent: Extent,
    progress: Listener = lambda _: None,
    interrupted: Callable[[], bool] = lambda: False,
    *,
    journal: Path | None = None,
    seed: int | None = None,
    command: str = "",
    bench: Bench | None = None,
) -> Record:
    """Run the whole experiment. An interruption, including Ctrl-C, or the death of a service that it needs,
    ends it with a record of the complete rounds.

    ``journal`` is where finished trials are kept, and continued from; the caller removes it once the record
    is saved. ``seed`` is for the order; ``command`` is the user's command line, for the record.
    Raises ValueError if the experiment refers to something that doesn't exist, LabFileError if the journal
    belongs to a run with another ``identity`` or seed, and MissingError if the load client lacks a package.
    """
    made = bench or Bench()
    made = replace(made, interrupted=interrupted, own_pids=experiment.own_pids)
    return _Run(experiment, extent, progress, made, journal, seed).go(command)


class _Run:
    def __init__(
        self,
        experiment: Experiment,
        extent: Extent,
        progress: Listener,
        bench: Bench,
        journal: Path | None,
        seed: int | None,
    ) -> None:
        self._size = experiment.sizes[extent]
        self._experiment = experiment = experiment.of(self._size)
        self._extent = extent
        self._progress, self._bench = progress, bench
        asked = experiment.conditions_of(self._size)
        self._conditions = tuple(item for item in asked if item.setting.tool in bench.engines)
        self._left_out = tuple(item.setting for item in asked if item.setting.tool not in bench.engines)
        check_experiment(experiment, self._conditions)
        self._environment = describe(experiment, bench)
        which = identity(experiment, extent, bench, self._environment)
        self._journal = Journal(journal, {**which, "seed": seed, "started": bench.now()})
        if self._journal.is_taken_up:
            self._journal.add("gone on", bench.now())
        self._calibrations = self._finished("calibration", Calibration)
        self._visits = self._finished("visit", Visit)
        self._attempts = self._finished("attempt", Attempted)
        self._took_s: list[float] = []

    def _finished(self, entry: str, kind: type[_T]) -> list[_T]:
        try:
            return [read(kind, value, entry, strict=True) for value in self._journal.entries(entry)]
        except FieldError as error:
            raise LabFileError(f"journal: {error}") from error

    def go(self, command: str) -> Record:
        self._record(command, was_interrupted=True)  # fail before measuring if it cannot be recorded
        try:
            self._calibrate()
            self._visit_all()
            self._measure()
        except (Interrupted, KeyboardInterrupt):
            return self._record(command, was_interrupted=True)
        except ServiceError as error:
            why = self._experiment.died() or str(error)
            told, _, _ = why.partition(" Its last output:")  # the last words may name folders
            return self._record(command, was_interrupted=True, why=" ".join(told.split()))
        return self._record(command, was_interrupted=False)

    def _record(self, command: str, was_interrupted: bool, why: str = "") -> Record:
        """``why`` explains an interruption that nobody asked for."""
        experiment, lineup, rounds = self._experiment, self._lineup(), self._finished_rounds()
        trials = tuple(
            trial for attempt in self._attempts for trial in attempt.trials if trial.round in rounds
        )
        arms = tuple(
            replace(lineup.arm(item), commands=commands(item.arm.name, self._attempts))
            for item in lineup.contestants
        )
        named = {arm.name: arm for arm in arms}
        settings = tuple(lineup.setting(item) for item in lineup.conditions)
        there = {setting.name for setting in settings}
        asked = [row for row in experiment.asked if {row.setting, row.base_setting or row.setting} <= there]
        rows = [
            row
            for item in (*asked, *twin_rows(named, lineup))
            if (row := compared(item, trials, named, was_interrupted, lineup.no_rate)) is not None
        ]
        flags = [flag for row in rows for flag in row.flags if flag.kind is FlagKind.TWINS_DIFFER]
        flags.extend(lineup.doubtful_rates())
        if was_interrupted:
            flags.append(validity_checks.interrupted(len(rounds), self._size.rounds, why))
        missing = {item.tool: f"not on PATH; left out: {item.title}" for item in self._left_out}
        environment = self._environment
        return Record(
            format=FORMAT,
            name=experiment.name,
            title=experiment.title,
            asyncdemo=__version__,
            command=command,
            started=str(self._journal.header["started"]),
            ended=self._bench.now(),
            order_seed=self._seed,
            extent=self._extent,
            rounds=self._size.rounds,
            environment=replace(environment, missing={**environment.missing, **missing}),
            arms=arms,
            settings=settings,
            trials=trials,
            comparisons=tuple(rows),
            verifications=tuple(item for seen in lineup.visits for item in seen.verifications),
            calibrations=tuple(self._calibrations),
            article=experiment.article,
            lesson=experiment.lesson,
            interrupted=was_interrupted,
            flags=tuple(dict.fromkeys(flags)),
            notes=(
                *experiment.notes,
                *unmeasured(experiment, self._extent),
                *notes(trials, [*self._journal.entries("gone on")]),
            ),
        )

    @property
    def _seed(self) -> int:
        return int(self._journal.header["seed"])

    def _lineup(self) -> Lineup:
        """Return the lineup as known so far: visits may change who takes part."""
        plain = Lineup(self._experiment.contestants, self._conditions, self._size, tuple(self._visits))
        return replace(plain, contestants=with_twin(self._experiment, plain))

    # -- calibration and visits -----------------------------------------------------------------------

    def _calibrate(self) -> None:
        if not self._calibrations:
            say = self._teller(Stage.CALIBRATE, 0, NULL.title, "", 0, 1)
            calibration = calibrate(self._bench, self._size, say)
            self._journal.add("calibration", write(calibration))
            self._calibrations.append(calibration)

    def _visit_all(self) -> None:
        sources = {condition.capacity for condition in self._conditions}
        planned = list(self._planned_visits(sources))
        for done, (contestant, condition) in enumerate(planned):
            name, setting = contestant.arm.name, condition.described(self._size)
            seen = [past for past in self._visits if past.arm == name]
            if any(past.setting == setting.name or past.unavailable for past in seen):
                continue
            title = contestant.arm.title
            say = self._teller(Stage.VERIFY, 0, title, setting.title, done, len(planned))
            needs_capacity = setting.name in sources
            try:
                found = visit(self._bench, contestant, condition, setting, self._size, needs_capacity, say)
            except Unavailable as error:
                found = Visit(name, setting.name, unavailable=error.why, successor=error.successor)
            self._check_services()
            self._keep(found)

    def _planned_visits(self, sources: set[str]) -> Iterator[tuple[Contestant, Condition]]:
        """Yield the first setting of each, those whose capacity is needed, and those with checks that are not
        repeated in each trial.
        """
        for contestant in self._experiment.contestants:
            mine = [item for item in self._conditions if item.takes(contestant.arm)]
            if contestant.arm.twin_of or contestant.arm.unavailable:
                continue
            for number, condition in enumerate(mine):
                is_seen_later = all(check.always for check in condition.checks)
                if number == 0 or not is_seen_later or condition.setting.name in sources:
                    yield contestant, condition

    def _keep(self, seen: Visit) -> None:
        self._journal.add("visit", write(seen))
        self._visits.append(seen)

    # -- rounds ---------------------------------------------------------------------------------------

    def _measure(self) -> None:
        planned = self._turns()
        for done, turn in enumerate(planned):
            if self._is_done(turn):
                continue
            began_s = time.monotonic()
            self._bench.check_interrupted()
            self._check_services()
            self._measure_one(turn, done, len(planned))
            self._took_s.append(time.monotonic() - began_s)

    def _measure_one(self, turn: Turn, done: int, of: int) -> None:
        lineup = self._lineup()
        contestant = next(item for item in lineup.contestants if item.arm.name == turn.arm)
        condition = next(item for item in lineup.conditions if item.setting.name == turn.setting)
        setting = lineup.setting(condition)
        broken = validity_checks.not_verified(
            item
            for seen in lineup.visits
            if seen.arm in {contestant.arm.name, contestant.arm.twin_of}
            for item in seen.verifications
            if item.setting in {"", turn.setting}
        )
        attempt = Attempt(
            bench=self._bench,
            contestant=contestant,
            condition=condition,
            setting=setting,
            size=self._size,
            turn=turn,
            rate_per_s=lineup.rate_per_s(condition, contestant.arm),
            seed=poisson_seed(self._seed, turn.round, turn.setting),
            flags=() if broken is None else (broken,),
        )
        say = self._teller(Stage.MEASURE, turn.round, contestant.arm.title, setting.title, done, of)
        attempted = attempt.run(say)
        self._check_services()  # a dead service may be the cause of any outcome
        self._journal.add("attempt", write(attempted))
        self._attempts.append(attempted)

    def _check_services(self) -> None:
        if died := self._experiment.died():
            raise ServiceError(died)

    def _turns(self) -> list[Turn]:
        return list(turns(self._size.rounds, self._lineup().orders, self._seed))

    def _is_done(self, turn: Turn) -> bool:
        """Return True also if it won't be tried again: it failed twice in a row under this setting."""
        lineup = self._lineup()
        if not any(item.arm.name == turn.arm and lineup.takes_part(item) for item in lineup.contestants):
            return True
        mine = [
            trials[0]
            for trials in (attempt.trials for attempt in self._attempts)
            if trials and (trials[0].arm, trials[0].setting) == (turn.arm, turn.setting)
        ]
        if any(trial.round == turn.round for trial in mine):
            return True
        failed = [trial.outcome is not TrialOutcome.MEASURED for trial in mine]
        return any(all(pair) for pair in pairwise(failed))

    def _finished_rounds(self) -> frozenset[int]:
        if not self._attempts:
            return frozenset()
        left = {turn.round for turn in self._turns() if not self._is_done(turn)}
        return frozenset(range(1, self._size.rounds + 1)) - left

    def _teller(
        self, stage: Stage, number: int, arm: str, setting: str, done: int, of: int
    ) -> Callable[[str], None]:
        def say(step: str) -> None:
            left_s = None
            if stage is Stage.MEASURE and self._took_s:
                # the mean, not the median: slow ones recur in each round
                left_s = statistics.fmean(self._took_s) * (of - done)
            rounds = self._size.rounds
            self._progress(Progress(stage, number, rounds, arm, setting, step, done, of, left_s))

        return say
