"""The rows of a record, which are paired ratios with their flags, and its notes. Pure.

Not here: the rules (see ``validity_checks``, ``ratio``), or putting the record together (see ``running``).
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields

from asyncdemo.lab.harness.protocol.attempts import Attempted
from asyncdemo.lab.harness.protocol.description import Asked, Experiment
from asyncdemo.lab.harness.protocol.lineup import Lineup
from asyncdemo.lab.results import validity_checks
from asyncdemo.lab.results.comparison import THROUGHPUT, Better, Comparison
from asyncdemo.lab.results.flags import Flag, FlagKind, percent_of, refuses
from asyncdemo.lab.results.ratio import Ratio, Verdict, verdict
from asyncdemo.lab.results.setup import Arm, Extent, Loop
from asyncdemo.lab.results.trial import Trial, TrialOutcome, figures


def twin_rows(named: Mapping[str, Arm], lineup: Lineup) -> list[Asked]:
    """Use the first closed loop that takes the twin, or else the first setting that does."""
    rows = []
    for arm in named.values():
        taking = [item.setting for item in lineup.conditions if arm.twin_of and item.takes(arm)]
        closed = [setting for setting in taking if setting.loop is Loop.CLOSED]
        rows += [twin_row(arm, named[arm.twin_of], setting.name) for setting in (closed or taking)[:1]]
    return rows


def commands(arm: str, attempts: Iterable[Attempted]) -> Mapping[str, str]:
    """Return a single entry if the command is the same under all settings."""
    found = {
        trial.setting: attempt.command
        for attempt in attempts
        for trial in attempt.trials[:1]
        if trial.arm == arm and attempt.command
    }
    same = set(found.values())
    return {"*": same.pop()} if len(same) == 1 else found


def unmeasured(experiment: Experiment, extent: Extent) -> list[str]:
    size = experiment.sizes[extent]
    asked = experiment.conditions_of(size)
    left = [item.setting.title for item in experiment.conditions if item not in asked]
    return [f"Not measured in a {extent.value} run: {'; '.join(left)}."] if left else []


def notes(trials: tuple[Trial, ...], gone_on: Sequence[str]) -> list[str]:
    unsettled = sum(
        trial.counted.get("warm_up_agreed") == 0 and trial.counted["warm_up_windows"] > 1 for trial in trials
    )
    words = f"In {unsettled} of {len(trials)} trials no two windows of warming up agreed."
    again = (
        f"It was ended, and continued later: {', '.join(gone_on)}. The machine is described as it was then."
    )
    return [
        *([again] if gone_on else []),
        *([words] if unsettled else []),
        *filter(None, [withdrawn_words(trials)]),
    ]


def compared(
    asked: Asked,
    trials: Sequence[Trial],
    arms: Mapping[str, Arm],
    interrupted: bool,
    no_rate: Callable[[Arm, str], str],
) -> Comparison | None:
    """Return None if the run ended before the first round that has this figure.

    ``no_rate`` returns why an arm was not measured under a setting, if it lacked a rate.
    """
    own_side = (asked.arm, asked.setting)
    base_side = (asked.base, asked.base_setting or asked.setting)
    sides = (own_side, base_side) if asked.base_value is None else (own_side,)
    own = figures(trials, *own_side, asked.figure.key)
    base = figures(trials, *base_side, asked.figure.key)
    if asked.base_value is not None:
        base = dict.fromkeys(own, asked.base_value)
    rounds = sorted(own.keys() & base.keys())
    if not rounds:
        flags = _reasons(asked, sides, trials, arms, no_rate)
        if not flags and interrupted:
            return None
        return _row(asked, flags or (_no_figure(asked),))
    ratio = Ratio.of([own[number] / base[number] for number in rounds])
    others = [trial for trial in trials if trial.round not in rounds]
    withdrawn = [flag.kind for flag in _trial_flags(asked, sides, others)]
    is_twin = asked.base == arms[asked.arm].twin_of
    found = (
        validity_checks.twins_differ(ratio) if is_twin else validity_checks.no_ranking(ratio),
        validity_checks.few_rounds(len(rounds), withdrawn),
        *_failures(sides, trials, arms),
    )
    return _row(
        asked,
        tuple(flag for flag in found if flag is not None),
        ratio,
        statistics.median(own[number] for number in rounds),
        statistics.median(base[number] for number in rounds),
    )


def twin_row(arm: Arm, base: Arm, setting: str) -> Asked:
    """Compare a contestant with itself: the ratio should be 1."""
    return Asked(
        name=f"{base.title}, twice",
        figure=THROUGHPUT,
        arm=arm.name,
        base=base.name,
        setting=setting,
    )


def withdrawn_words(trials: Sequence[Trial]) -> str:
    """Count the invalid trials, with reasons; "" if none. Steps over a search's budget are valid."""
    lost = [
        trial
        for trial in trials
        if refuses(flag for flag in trial.flags if flag.kind is not FlagKind.OVER_BUDGET)
        or trial.outcome is not TrialOutcome.MEASURED
    ]
    if not lost:
        return ""
    why = Counter(
        kind
        for trial in lost
        for kind in (
            {flag.kind.value for flag in trial.flags if refuses([flag])}
            if trial.outcome is TrialOutcome.MEASURED
            else {trial.outcome.value}
        )
    )
    kinds = ", ".join(f"{kind} {count}" for kind, count in why.most_common())
    return f"{len(lost)} of {len(trials)} trials do not count: {kinds}."


def _row(
    asked: Asked,
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


def _verdict(asked: Asked, ratio: Ratio | None) -> Verdict | None:
    """If an article gives no figure, check the direction only: that the arm is the better one."""
    if asked.published is None:
        return None
    if ratio is None or asked.published.ratio is not None:
        return verdict(asked.published.ratio or 1.0, ratio)
    better = ratio.least > 1 if asked.figure.better is Better.MORE else ratio.most < 1
    return Verdict.DIRECTION_ONLY if better else Verdict.NOT_REPRODUCED


def _reasons(
    asked: Asked,
    sides: Iterable[tuple[str, str]],
    trials: Sequence[Trial],
    arms: Mapping[str, Arm],
    no_rate: Callable[[Arm, str], str],
) -> tuple[Flag, ...]:
    """Return why there is no figure, one flag of each kind."""
    found: dict[FlagKind, Flag] = {}
    unrated = [validity_checks.no_rate(arms[arm], no_rate(arms[arm], setting)) for arm, setting in sides]
    for arm, setting in sides:
        here = [trial for trial in trials if trial.arm == arm and trial.setting == setting]
        failed = validity_checks.contestant_failed(here), validity_checks.load_failed(here)
        for flag in (validity_checks.not_to_be_had(arms[arm]), *failed):
            if flag is not None:
                found.setdefault(flag.kind, flag)
    # if one side has no rate, the flags of the other side's trials don't matter
    doubts = [flag for flag in unrated if flag is not None] or _trial_flags(asked, sides, trials)
    for flag in doubts:
        found.setdefault(flag.kind, flag)
    return tuple(found.values()) if refuses(found.values(), asked.figure.key) else ()


def _failures(
    sides: Iterable[tuple[str, str]], trials: Sequence[Trial], arms: Mapping[str, Arm]
) -> Iterable[Flag | None]:
    """Yield a flag for each side that failed in some of its rounds."""
    for arm, setting in sides:
        under = [trial for trial in trials if trial.setting == setting]
        mine = [trial for trial in under if trial.arm == arm]
        yield validity_checks.failed_at_times(arms[arm].title, mine, max(trial.round for trial in under))


def _trial_flags(asked: Asked, sides: Iterable[tuple[str, str]], trials: Sequence[Trial]) -> Iterable[Flag]:
    """Yield flags that invalidate this figure of a trial, or say that its percentile has too few answers."""
    for trial in trials:
        if (trial.arm, trial.setting) not in sides:
            continue
        yield from (flag for flag in trial.flags if refuses([flag], asked.figure.key))
        percent = percent_of(asked.figure.key)
        if trial.load is not None and percent:
            flag = validity_checks.few_samples(trial.load.answered, float(percent))
            if flag is not None and percent not in trial.load.latency_ms:
                yield flag


def _no_figure(asked: Asked) -> Flag:
    words = f"No trial has the figure {asked.figure.key}, or no round has it of both."
    return Flag(FlagKind.NOT_VERIFIED, words, "The experiment asks for what it does not measure.")
