"""A whole experiment: calibrate, verify, measure in rounds, compare. Finished parts are saved immediately."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from pathlib import Path

from asyncdemo import __version__
from asyncdemo.errors import ServiceError
from asyncdemo.lab.harness.protocol.bench import Bench, Interrupted
from asyncdemo.lab.harness.protocol.description import Experiment
from asyncdemo.lab.harness.protocol.journal import Journal, Resumption, describe, identity
from asyncdemo.lab.harness.protocol.lineup import Lineup, Turn, Visit
from asyncdemo.lab.harness.protocol.recording import Rows, commands, notes, twin_rows
from asyncdemo.lab.harness.protocol.stages import (
    NULL,
    Attempted,
    Say,
    attempt,
    calibrate,
    planned_visits,
    utc_now,
    visit,
)
from asyncdemo.lab.results import validity_checks
from asyncdemo.lab.results.flags import FlagKind
from asyncdemo.lab.results.record import FORMAT, Record
from asyncdemo.lab.results.setup import Calibration, Extent
from asyncdemo.lab.results.trial import Trial, TrialOutcome


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
    Raises LabFileError if the journal belongs to a run with another ``identity`` or seed, and MissingError if
    the load client lacks a package.
    """
    made = replace(bench or Bench(), interrupted=interrupted, own_pids=experiment.own_pids)
    one = _Run(experiment, extent, progress, made, journal, seed, command)
    one.record("")  # fail before measuring if it cannot be recorded
    try:
        one.measure()
    except (Interrupted, KeyboardInterrupt):
        return one.record("")
    except ServiceError as error:
        why = experiment.died() or str(error)
        reason, _, _ = why.partition(" Its last output:")  # the last words may name folders
        return one.record(" ".join(reason.split()))
    return one.record()


class _Run:
    def __init__(
        self,
        experiment: Experiment,
        extent: Extent,
        progress: Listener,
        bench: Bench,
        journal: Path | None,
        seed: int | None,
        command: str,
    ) -> None:
        self._experiment, self._size = experiment.of(extent, bench.engines), experiment.sizes[extent]
        self._extent, self._progress, self._bench, self._command = extent, progress, bench, command
        self._environment = describe(experiment, bench)
        which = identity(experiment, extent, bench, self._environment)
        self._journal = Journal(journal, {**which, "seed": seed, "started": utc_now()})
        if self._journal.is_taken_up:
            self._journal.add(Resumption(utc_now()))
        self._seed = int(self._journal.header["seed"])
        self._took_s: list[float] = []

    @property
    def _lineup(self) -> Lineup:
        """The lineup as known so far: visits may change who takes part."""
        return Lineup(self._experiment, self._size, self._journal.parts(Visit))

    # -- measuring ------------------------------------------------------------------------------------

    def measure(self) -> None:
        bench, journal, lineup = self._bench, self._journal, self._lineup
        if not journal.parts(Calibration):
            say = self._say(Stage.CALIBRATE, 0, NULL.title, "", 0, 1)
            journal.add(calibrate(bench, self._size, say))
        visits = list(planned_visits(lineup))
        for done, (contestant, condition) in enumerate(visits):
            setting = condition.setting
            seen = lineup.visits_of(contestant.arm)
            if not any(past.setting == setting.name or past.unavailable for past in seen):
                say = self._say(Stage.VERIFY, 0, contestant.arm.title, setting.title, done, len(visits))
                found = visit(bench, lineup, contestant, condition, say)
                self._check_services()
                journal.add(found)
                lineup = self._lineup
        turns = list(lineup.turns(self._seed))
        for done, turn in enumerate(turns):
            if not self._is_done(turn):
                began_s = time.monotonic()
                bench.check_interrupted()
                self._check_services()
                titles = lineup.contestant(turn.arm).arm.title, lineup.condition(turn.setting).setting.title
                say = self._say(Stage.MEASURE, turn.round, *titles, done, len(turns))
                attempted = attempt(bench, lineup, turn, self._seed, say)
                self._check_services()  # a dead service may be the cause of any outcome
                journal.add(attempted)
                self._took_s.append(time.monotonic() - began_s)

    def _is_done(self, turn: Turn) -> bool:
        """Return True also if it won't be tried again: it failed twice in a row under this setting."""
        mine = [
            past.trials[0]
            for past in self._journal.parts(Attempted)
            if (past.trials[0].arm, past.trials[0].setting) == (turn.arm, turn.setting)
        ]
        failed = [trial.outcome is not TrialOutcome.MEASURED for trial in mine]
        return any(trial.round == turn.round for trial in mine) or any(map(all, pairwise(failed)))

    def _check_services(self) -> None:
        if died := self._experiment.died():
            raise ServiceError(died)

    def _say(self, stage: Stage, number: int, arm: str, setting: str, done: int, of: int) -> Say:
        def say(step: str) -> None:
            left_s = None
            if self._took_s:
                # the mean, not the median: slow ones recur in each round
                left_s = statistics.fmean(self._took_s) * (of - done)
            rounds = self._size.rounds
            self._progress(Progress(stage, number, rounds, arm, setting, step, done, of, left_s))

        return say

    # -- the record -----------------------------------------------------------------------------------

    def record(self, ended: str | None = None) -> Record:
        """``ended`` is given if it was ended early: why, or "" if someone asked for it."""
        experiment, lineup, journal = self._experiment, self._lineup, self._journal
        attempts = journal.parts(Attempted)
        rounds, trials = self._finished(lineup, attempts)
        arms = [
            replace(lineup.arm(item.arm), commands=commands(item.arm.name, attempts))
            for item in lineup.contestants
        ]
        rows = Rows(lineup, trials, {arm.name: arm for arm in arms}, ended is not None)
        planned = (*experiment.rows, *twin_rows(lineup))
        comparisons = tuple(row for item in planned if (row := rows.row(item)) is not None)
        flags = [flag for row in comparisons for flag in row.flags if flag.kind is FlagKind.TWINS_DIFFER]
        flags.extend(lineup.doubtful_rates())
        if ended is not None:
            flags.append(validity_checks.interrupted(len(rounds), self._size.rounds, ended))
        return Record(
            format=FORMAT,
            name=experiment.name,
            title=experiment.title,
            asyncdemo=__version__,
            command=self._command,
            started=str(journal.header["started"]),
            ended=utc_now(),
            order_seed=self._seed,
            extent=self._extent,
            rounds=self._size.rounds,
            environment=replace(self._environment, missing=experiment.missing),
            arms=tuple(arms),
            settings=tuple(lineup.setting(item) for item in experiment.conditions),
            trials=trials,
            comparisons=comparisons,
            verifications=tuple(item for seen in lineup.visits for item in seen.verifications),
            calibrations=tuple(journal.parts(Calibration)),
            article=experiment.article,
            lesson=experiment.lesson,
            interrupted=ended is not None,
            flags=tuple(dict.fromkeys(flags)),
            notes=(*experiment.notes, *notes(trials, [item.at for item in journal.parts(Resumption)])),
        )

    def _finished(self, lineup: Lineup, attempts: list[Attempted]) -> tuple[set[int], tuple[Trial, ...]]:
        """Return the complete rounds, and their trials."""
        if not attempts:
            return set(), ()
        left = {turn.round for turn in lineup.turns(self._seed) if not self._is_done(turn)}
        trials = (trial for attempted in attempts for trial in attempted.trials if trial.round not in left)
        return set(range(1, self._size.rounds + 1)) - left, tuple(trials)
