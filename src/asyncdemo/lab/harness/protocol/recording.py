"""The rows of a record, which are paired ratios with their flags, and its notes. Pure."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields

from asyncdemo.lab.harness.protocol.description import PlannedRow
from asyncdemo.lab.harness.protocol.lineup import Lineup
from asyncdemo.lab.harness.protocol.stages import Attempted
from asyncdemo.lab.results import validity_checks
from asyncdemo.lab.results.comparison import THROUGHPUT, Better, Comparison
from asyncdemo.lab.results.flags import Flag, FlagKind, percent_of, refuses
from asyncdemo.lab.results.ratio import Ratio, Reproduction, verdict
from asyncdemo.lab.results.setup import Arm, Loop
from asyncdemo.lab.results.trial import Trial, TrialOutcome, figures


def twin_row(arm: Arm, base: Arm, setting: str) -> PlannedRow:
    """Compare a contestant with itself: the ratio should be 1."""
    return PlannedRow(f"{base.title}, twice", THROUGHPUT, arm.name, base.name, setting)


def twin_rows(lineup: Lineup) -> Iterator[PlannedRow]:
    """Use the first closed loop that takes the twin, or else the first setting that does."""
    for item in lineup.contestants:
        if item.arm.twin_of:
            taking = [
                condition.setting for condition in lineup.experiment.conditions if condition.takes(item.arm)
            ]
            closed = [setting for setting in taking if setting.loop is Loop.CLOSED]
            base = lineup.contestant(item.arm.twin_of).arm
            yield from (twin_row(item.arm, base, setting.name) for setting in (closed or taking)[:1])


def commands(arm: str, attempts: Sequence[Attempted]) -> Mapping[str, str]:
    """Return a single entry if the command is the same under all settings."""
    found = {
        attempt.trials[0].setting: attempt.command
        for attempt in attempts
        if attempt.trials[0].arm == arm and attempt.command
    }
    same = set(found.values())
    return {"*": same.pop()} if len(same) == 1 else found


def notes(trials: Sequence[Trial], resumed: Sequence[str]) -> Iterator[str]:
    """Steps of a search over its budget are valid."""
    if resumed:
        times = ", ".join(resumed)
        yield f"It was ended, and continued later: {times}. The machine is described as it was then."
    unsettled = sum(
        trial.counted.get("warm_up_agreed") == 0 and trial.counted["warm_up_windows"] > 1 for trial in trials
    )
    if unsettled:
        yield f"In {unsettled} of {len(trials)} trials no two windows of warming up agreed."
    why: Counter[str] = Counter()
    lost = 0
    for trial in trials:
        kinds = {flag.kind.value for flag in trial.flags if refuses([flag])}
        if trial.outcome is not TrialOutcome.MEASURED:
            kinds = {trial.outcome.value}
        if kinds - {FlagKind.OVER_BUDGET.value}:
            lost += 1
            why.update(kinds)
    if lost:
        words = ", ".join(f"{kind} {count}" for kind, count in why.most_common())
        yield f"{lost} of {len(trials)} trials do not count: {words}."


@dataclass(frozen=True, slots=True)
class Rows:
    """Makes the rows of a run from its valid trials."""

    lineup: Lineup
    trials: Sequence[Trial]
    arms: Mapping[str, Arm]
    """As recorded: with the reasons of those that are unavailable."""
    interrupted: bool

    def row(self, asked: PlannedRow) -> Comparison | None:
        """Return None if the run ended before the first round that has this figure."""
        key, arm, base = asked.figure.key, self.arms[asked.arm], self.arms[asked.base]
        sides = [(arm, asked.setting), (base, asked.base_setting or asked.setting)]
        own, other = (figures(self.trials, side.name, setting, key) for side, setting in sides)
        if asked.base_value is not None:
            sides, other = sides[:1], dict.fromkeys(own, asked.base_value)
        rounds = sorted(own.keys() & other.keys())
        if not rounds:
            flags = self._reasons(key, sides)
            return None if self.interrupted and not flags else _row(asked, flags or (_no_figure(key),))
        ratio = Ratio.of([own[number] / other[number] for number in rounds])
        others = [trial for trial in self.trials if trial.round not in rounds]
        withdrawn = [flag.kind for side in sides for flag in _trial_flags(key, _of(others, *side))]
        compare = validity_checks.twins_differ if arm.twin_of == base.name else validity_checks.no_ranking
        found = [compare(ratio), validity_checks.few_rounds(len(rounds), withdrawn)]
        for side, setting in sides:
            last = max(trial.round for trial in self.trials if trial.setting == setting)
            mine = _of(self.trials, side, setting)
            found.append(validity_checks.failed_at_times(side.title, mine, last))
        medians = [statistics.median(values[number] for number in rounds) for values in (own, other)]
        return _row(asked, tuple(filter(None, found)), ratio, *medians)

    def _reasons(self, key: str, sides: Sequence[tuple[Arm, str]]) -> tuple[Flag, ...]:
        """Return why there is no figure, one flag of each kind; () if no flag withdraws it."""
        found, unrated, doubts = list[Flag | None](), list[Flag | None](), list[Flag]()
        for arm, setting in sides:
            mine = _of(self.trials, arm, setting)
            found += [
                validity_checks.not_to_be_had(arm),
                validity_checks.contestant_failed(mine),
                validity_checks.load_failed(mine),
            ]
            unrated.append(validity_checks.no_rate(arm, self.lineup.no_rate(arm, setting)))
            doubts += _trial_flags(key, mine)
        # if one side has no rate, the flags of the other side's trials don't matter
        every = [*found, *unrated, *([] if any(unrated) else doubts)]
        one_of_each = {flag.kind: flag for flag in reversed(every) if flag is not None}
        flags = tuple(reversed(one_of_each.values()))
        return flags if refuses(flags, key) else ()


def _of(trials: Sequence[Trial], arm: Arm, setting: str) -> list[Trial]:
    return [trial for trial in trials if (trial.arm, trial.setting) == (arm.name, setting)]


def _trial_flags(key: str, trials: Sequence[Trial]) -> Iterator[Flag]:
    """Yield flags that invalidate this figure of a trial, or say that its percentile has too few answers."""
    percent = percent_of(key)
    for trial in trials:
        yield from (flag for flag in trial.flags if refuses([flag], key))
        if trial.load is not None and percent and percent not in trial.load.latency_ms:
            flag = validity_checks.few_samples(trial.load.answered, float(percent))
            yield from () if flag is None else (flag,)


def _no_figure(key: str) -> Flag:
    words = f"No trial has the figure {key}, or no round has it of both."
    return Flag(FlagKind.NOT_VERIFIED, words, "The experiment asks for what it does not measure.")


def _row(
    asked: PlannedRow,
    flags: tuple[Flag, ...],
    ratio: Ratio | None = None,
    arm_median: float | None = None,
    base_median: float | None = None,
) -> Comparison:
    figure = asked.figure
    said = {field.name: getattr(asked, field.name) for field in fields(asked) if field.name != "figure"}
    return Comparison(
        **said,
        figure=figure.key,
        title=figure.title,
        unit=figure.unit,
        better=figure.better,
        measured=ratio,
        arm_median=arm_median,
        base_median=base_median,
        verdict=_verdict(asked, ratio),
        flags=flags,
    )


def _verdict(asked: PlannedRow, ratio: Ratio | None) -> Reproduction | None:
    """If an article gives no figure, check the direction only: that the arm is the better one."""
    if asked.published is None:
        return None
    if ratio is None or asked.published.ratio is not None:
        return verdict(asked.published.ratio or 1.0, ratio)
    better = ratio.least > 1 if asked.figure.better is Better.MORE else ratio.most < 1
    return Reproduction.DIRECTION_ONLY if better else Reproduction.NOT_REPRODUCED
