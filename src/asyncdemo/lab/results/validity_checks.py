"""Flags for the figures of a trial and the ratios of an experiment: ``flags.RULES``, applied.

Pure functions of trials and settings; each returns the flag, or None.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from asyncdemo.lab.results.flags import RULES, Flag, FlagKind
from asyncdemo.lab.results.laws import littles_latency_ms
from asyncdemo.lab.results.ratio import Ratio
from asyncdemo.lab.results.setup import Arm, Loop, Setting, Verification
from asyncdemo.lab.results.trial import Load, System, Trial, TrialOutcome

_FAILED_STATUS: Final = 400
_CORRECTS: Final = "wrk"
"""To its measured latencies, it adds those of answers that it believes it missed."""


def of_trial(
    load: Load, system: System | None, setting: Setting, offered_per_s: float | None, p99_ms: float | None
) -> tuple[Flag, ...]:
    """Return all flags that a single trial's own figures raise."""
    found = (
        client_busy(load),
        foreign_cpu(system),
        littles_gap(load, setting),
        overloaded(load, offered_per_s),
        over_budget(load, offered_per_s, p99_ms, setting),
        errors(load),
    )
    return tuple(flag for flag in found if flag is not None)


def client_busy(load: Load) -> Flag | None:
    """Count running and waiting to run alike: in both cases, answers wait for the client."""
    ran, waited = load.client_busy, load.client_waited or 0.0
    if ran is None:
        return None
    words = f"The load client used {ran:.0%} of a CPU"
    advice = "Send less: fewer clients, or kept connections; or divide the load among several clients."
    if ran <= RULES[FlagKind.CLIENT_BUSY].limit:
        words += f", and for {waited:.0%} of the time another program had it"
        advice = "Give the client its own CPU: stop what else runs there, or use a machine with more."
    return _above(FlagKind.CLIENT_BUSY, ran + waited, f"{words}.", advice)


def foreign_cpu(system: System | None) -> Flag | None:
    share = (system and system.foreign_cpu) or 0.0
    words = f"Programs outside of the experiment used {share:.1%} of the CPUs."
    return _above(FlagKind.FOREIGN_CPU, share, words, "Stop them, and measure again.")


def littles_gap(load: Load, setting: Setting) -> Flag | None:
    """In a closed loop, throughput times mean latency equals the number of clients.

    This is computed over the whole run: all clients were waiting while requests were started, and fewer and
    fewer afterwards, so the product must lie between ``clients`` × that window's share and ``clients``.
    Failed requests took time, too, but have no latency: each may have cost up to the whole timeout. wrk's
    mean includes more than was measured, so for wrk only the lower limit applies.
    """
    mean_ms, clients = load.latency_ms.get("mean"), setting.clients
    if setting.loop is not Loop.CLOSED or clients is None or not mean_ms or load.wall_s <= 0:
        return None
    waiting = clients * mean_ms / littles_latency_ms(clients, load.answered / load.wall_s)
    limit_s = min(load.wall_s, setting.timeout_s or load.wall_s)
    least = (clients * load.window_s - sum(load.errors.values()) * limit_s) / load.wall_s
    too_many = 0.0 if load.engine == _CORRECTS else waiting - clients
    words = (
        f"{load.answered / load.wall_s:,.0f} answers a second of {mean_ms:,.1f} ms each keep "
        f"{waiting:,.1f} clients waiting, and there were {clients:,}."
    )
    advice = "Measure for longer than a few answers take, and count connecting as waiting."
    return _above(FlagKind.LITTLES_GAP, max(least - waiting, too_many) / clients, words, advice)


def served_share(load: Load, offered_per_s: float) -> float:
    """Return the share of the rate that was served.

    Requests sent at the last moment cannot be answered before the window ends, so it is shortened by the
    fastest answer's time.
    """
    served_s = load.window_s - load.latency_ms.get("0", 0.0) / 1000
    return load.answered_in_window / (offered_per_s * served_s) if served_s > 0 else 0.0


def overloaded(load: Load, offered_per_s: float | None) -> Flag | None:
    if offered_per_s is None:
        return None
    share = served_share(load, offered_per_s)
    words = f"Of {offered_per_s:,.0f} requests a second {share:.1%} were served"
    return _below(FlagKind.OVERLOADED, share, f"{words}, so latency grew all the time.", "Use a lower rate.")


def over_budget(
    load: Load, offered_per_s: float | None, p99_ms: float | None, setting: Setting
) -> Flag | None:
    """A rate that is not fully served never keeps a budget: its latency would keep growing."""
    if setting.budget_ms is None:
        return None
    unserved = overloaded(load, offered_per_s)
    if unserved is None and p99_ms is not None and p99_ms <= setting.budget_ms:
        return None
    seen = "unknown" if p99_ms is None else f"{p99_ms:,.1f} ms"
    words = f"The 99th percentile is {seen}, and the budget is {setting.budget_ms:g} ms."
    words = words if unserved is None else unserved.words
    return Flag(FlagKind.OVER_BUDGET, words, "The search continues with a lower rate.", p99_ms)


def errors(load: Load) -> Flag | None:
    """Count requests without a whole answer, or with a status of 400 or above."""
    failed = Counter({kind: count for kind, count in load.errors.items() if count})
    for status, count in load.statuses.items():
        if int(status) >= _FAILED_STATUS and count:
            failed[f"status {status}"] += count
    share = failed.total() / load.requests if load.requests else 0.0
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in failed.most_common())
    words = f"{share:.2%} of {load.requests:,} requests failed: {kinds}."
    return _above(FlagKind.ERRORS, share, words, "A failed request costs little: find out why first.")


def few_samples(answered: int, percent: float) -> Flag | None:
    """``percent`` is the one quoted. 100 is the maximum, and needs no more answers."""
    if percent == 100:
        return None
    beyond = answered * (100 - percent) / 100
    words = f"Of {answered:,} answers {beyond:,.0f} lie beyond the percentile {percent:g}."
    needed = RULES[FlagKind.FEW_SAMPLES].limit / (1 - percent / 100)
    return _below(FlagKind.FEW_SAMPLES, beyond, words, f"Measure until there are {needed:,.0f} answers.")


def twins_differ(ratio: Ratio) -> Flag | None:
    """Ignore few rounds: the interval of a single one is a point, and never contains 1."""
    if ratio.holds_one or ratio.rests_on_few:
        return None
    words = (
        f"The same contestant, measured twice, differs from itself: {ratio.median:.3f} "
        f"[{ratio.least:.3f} to {ratio.most:.3f}]."
    )
    return Flag(
        FlagKind.TWINS_DIFFER, words, "Trust no difference that is smaller than this one.", ratio.median
    )


def no_ranking(ratio: Ratio) -> Flag | None:
    if not ratio.holds_one:
        return None
    words = f"The interval holds 1: {ratio.least:.3f} to {ratio.most:.3f}."
    return Flag(FlagKind.NO_RANKING, words, "More rounds, or a quieter machine, may tell them apart.")


def few_rounds(rounds: int, withdrawn: Iterable[FlagKind] = ()) -> Flag | None:
    """``rounds`` is how many have both figures; ``withdrawn`` is why the others don't."""
    limit = RULES[FlagKind.FEW_ROUNDS].limit
    words = f"{rounds} round{'s' * (rounds != 1)} of {limit:.0f}"
    kinds = ", ".join(sorted({kind.value for kind in withdrawn}))
    words += f"; others were withdrawn: {kinds}." if kinds else "."
    advice = f"A ranking needs {limit:.0f}; --quick has fewer."
    return _below(FlagKind.FEW_ROUNDS, float(rounds), words, advice)


def not_verified(verifications: Iterable[Verification]) -> Flag | None:
    """``verifications`` are for one arm, under one setting or all."""
    broken = [item for item in verifications if not item.held]
    if not broken:
        return None
    shown = "; ".join(f"{item.what}: {item.asked} was asked for, {item.seen} was seen" for item in broken)
    return Flag(FlagKind.NOT_VERIFIED, f"{shown}.", "Fix it first: it does not do what is compared.")


def contestant_failed(trials: Sequence[Trial]) -> Flag | None:
    """``trials`` are for one arm, under one setting."""
    failed = [trial for trial in trials if trial.outcome in _FAILURES]
    if not failed:
        return None
    words = f"{failed[0].arm} {_FAILURES[failed[0].outcome]}: {failed[0].problem}"
    return Flag(FlagKind.CONTESTANT_FAILED, words, "Its log is in the trial.", float(len(failed)))


def load_failed(trials: Sequence[Trial]) -> Flag | None:
    failed = [trial for trial in trials if trial.outcome is TrialOutcome.LOAD_FAILED]
    if not failed:
        return None
    words = f"{failed[0].arm}: {failed[0].problem}"
    return Flag(FlagKind.LOAD_FAILED, words, "Measure again, or with another client.", float(len(failed)))


def failed_at_times(title: str, trials: Iterable[Trial], rounds: int) -> Flag | None:
    """``trials``: one arm, one setting, some of them valid. ``rounds``: how many others had under it."""
    tries = {trial.round: trial for trial in trials}
    failed = [trial for trial in tries.values() if trial.outcome in _NO_RESULT]
    if not failed:
        return None
    counts = Counter(trial.outcome for trial in failed)
    failures = " and ".join(f"{_NO_RESULT[outcome]} in {count}" for outcome, count in counts.items())
    last = [tries[number] in failed for number in sorted(tries)][-2:]
    is_over = last == [True, True] and max(tries) < rounds
    why = "; ".join(dict.fromkeys(trial.problem.rstrip(".") for trial in failed))
    again = " and was not tried again" * is_over
    words = f"{title} {failures} of {len(tries)} tries{again}: {why}."
    advice = "Find out why: the rounds that count may be its better ones."
    return Flag(FlagKind.FAILED_AT_TIMES, words, advice, float(len(failed)))


def no_rate(arm: Arm, why: str) -> Flag | None:
    """``why`` is "" if the arm has a rate. The rate of its open loop derives from its capacity."""
    if not why:
        return None
    words = f"{arm.title} has no rate here: what it can do was not found out ({why.rstrip('.')})."
    return Flag(FlagKind.NOT_VERIFIED, words, "Fix it first, or measure again.")


def rate_doubtful(titles: Iterable[str], doubts: Iterable[str]) -> Flag:
    """``titles`` are of settings whose rate is a share of the lowest capacity; ``doubts`` are about that."""
    words = f"{', '.join(titles)}: the rate follows from what the slowest can do, and {'; '.join(doubts)}."
    return Flag(FlagKind.RATE_DOUBTFUL, words, "All rounds have that rate.")


def not_to_be_had(arm: Arm) -> Flag | None:
    if not arm.unavailable:
        return None
    advice = f"Today you would use {arm.successor}." if arm.successor else ""
    return Flag(FlagKind.NOT_TO_BE_HAD, f"{arm.title}: {arm.unavailable}", advice)


def interrupted(finished: int, planned: int, why: str = "") -> Flag:
    """``why`` is given unless someone asked for it."""
    ended = f"{finished} of {planned} rounds were finished when the run was ended"
    words = f"{ended}: {why.rstrip('.')}." if why else f"{ended}."
    return Flag(FlagKind.INTERRUPTED, words, "Run it again: it continues where it stopped.", float(finished))


_FAILURES: Final = {
    TrialOutcome.NOT_STARTED: "did not start",
    TrialOutcome.HUNG: "hung",
    TrialOutcome.DIED: "died",
    TrialOutcome.WRONG_ANSWER: "answered wrongly",
    TrialOutcome.PORT_KEPT: "kept its port",
}
_NO_RESULT: Final = {**_FAILURES, TrialOutcome.LOAD_FAILED: "got no result of the load client"}


def _above(kind: FlagKind, value: float, words: str, advice: str) -> Flag | None:
    return Flag(kind, words, advice, value) if value > RULES[kind].limit else None


def _below(kind: FlagKind, value: float, words: str, advice: str) -> Flag | None:
    return Flag(kind, words, advice, value) if value < RULES[kind].limit else None
