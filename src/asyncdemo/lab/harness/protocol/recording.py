"""The record of a run, from what is finished of it. Pure, but for the version of asyncdemo.

Not for: its file (``results.record``), or what the trials come to (``comparing``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from asyncdemo import __version__
from asyncdemo.lab.harness.protocol.attempts import Attempted
from asyncdemo.lab.harness.protocol.comparing import compared, twin_row, withdrawn_words
from asyncdemo.lab.harness.protocol.description import Asked, Experiment
from asyncdemo.lab.harness.protocol.lineup import Lineup
from asyncdemo.lab.results import validity_checks
from asyncdemo.lab.results.flags import Flag, FlagKind
from asyncdemo.lab.results.record import FORMAT, Record
from asyncdemo.lab.results.setup import Arm, Calibration, Environment, Extent, Loop, Setting
from asyncdemo.lab.results.trial import Trial


@dataclass(frozen=True, slots=True)
class Finished:
    """rounds: in which nothing is left to measure. left_out: settings whose load program is not there."""

    command: str
    started: str
    ended: str
    seed: int
    lineup: Lineup
    calibrations: tuple[Calibration, ...]
    attempts: tuple[Attempted, ...]
    rounds: frozenset[int]
    interrupted: bool
    why: str = ""
    """It was, if nobody asked for it."""
    left_out: tuple[Setting, ...] = ()
    gone_on: tuple[str, ...] = ()
    """When it was taken up again."""


def recorded(experiment: Experiment, extent: Extent, environment: Environment, finished: Finished) -> Record:
    lineup = finished.lineup
    trials = tuple(
        trial for attempt in finished.attempts for trial in attempt.trials if trial.round in finished.rounds
    )
    arms = tuple(
        replace(lineup.arm(contestant), commands=_commands(contestant.arm.name, finished.attempts))
        for contestant in lineup.contestants
    )
    settings = tuple(lineup.setting(item) for item in lineup.conditions)
    named = {arm.name: arm for arm in arms}
    there = {setting.name for setting in settings}
    asked = [row for row in experiment.asked if {row.setting, row.base_setting or row.setting} <= there]
    rows = [
        row
        for item in (*asked, *_twin_rows(named, lineup))
        if (row := compared(item, trials, named, finished.interrupted, lineup.no_rate)) is not None
    ]
    flags = [flag for row in rows for flag in row.flags if flag.kind is FlagKind.TWINS_DIFFER]
    flags.extend(lineup.doubtful_rates())
    if finished.interrupted:
        flags.append(validity_checks.interrupted(len(finished.rounds), lineup.size.rounds, finished.why))
    return Record(
        format=FORMAT,
        name=experiment.name,
        title=experiment.title,
        asyncdemo=__version__,
        command=finished.command,
        started=finished.started,
        ended=finished.ended,
        extent=extent,
        rounds=lineup.size.rounds,
        order_seed=finished.seed,
        environment=_with_missing(environment, finished.left_out),
        arms=arms,
        settings=settings,
        trials=trials,
        comparisons=tuple(rows),
        verifications=tuple(item for seen in lineup.visits for item in seen.verifications),
        calibrations=finished.calibrations,
        article=experiment.article,
        lesson=experiment.lesson,
        interrupted=finished.interrupted,
        flags=tuple(_distinct(flags)),
        notes=(*experiment.notes, *_unmeasured(experiment, extent), *_notes(trials, finished.gone_on)),
    )


def _twin_rows(named: Mapping[str, Arm], lineup: Lineup) -> list[Asked]:
    """Under the first closed loop that takes them, else the first setting that does."""
    rows = []
    for arm in named.values():
        taking = [item.setting for item in lineup.conditions if arm.twin_of and item.takes(arm)]
        closed = [setting for setting in taking if setting.loop is Loop.CLOSED]
        rows += [twin_row(arm, named[arm.twin_of], setting.name) for setting in (closed or taking)[:1]]
    return rows


def _commands(arm: str, attempts: Iterable[Attempted]) -> Mapping[str, str]:
    """One for all settings if it is the same in all."""
    found = {
        trial.setting: attempt.command
        for attempt in attempts
        for trial in attempt.trials[:1]
        if trial.arm == arm and attempt.command
    }
    same = set(found.values())
    return {"*": same.pop()} if len(same) == 1 else found


def _with_missing(environment: Environment, left_out: Iterable[Setting]) -> Environment:
    missing = {item.tool: f"not on PATH; left out: {item.title}" for item in left_out}
    return replace(environment, missing={**environment.missing, **missing})


def _unmeasured(experiment: Experiment, extent: Extent) -> list[str]:
    size = experiment.sizes[extent]
    asked = experiment.conditions_of(size)
    left = [item.setting.title for item in experiment.conditions if item not in asked]
    return [f"Not measured in a {extent.value} run: {'; '.join(left)}."] if left else []


def _notes(trials: tuple[Trial, ...], gone_on: tuple[str, ...]) -> list[str]:
    unsettled = sum(
        trial.counted.get("warm_up_agreed") == 0 and trial.counted["warm_up_windows"] > 1 for trial in trials
    )
    words = f"In {unsettled} of {len(trials)} trials no two windows of warming up agreed."
    again = (
        f"It was ended and gone on with later: {', '.join(gone_on)}. The machine is described as it was then."
    )
    return [
        *([again] if gone_on else []),
        *([words] if unsettled else []),
        *filter(None, [withdrawn_words(trials)]),
    ]


def _distinct(flags: Iterable[Flag]) -> list[Flag]:
    return list(dict.fromkeys(flags))
