"""Can these figures be true? Each check compares a reported figure with what the others say it must be.

Pure functions of numbers. Their findings carry the arithmetic in words, for a page, a lesson or a terminal.
Not for: which columns of which table they are given (``auditing``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from asyncdemo.lab.results.flags import RULES, FlagKind
from asyncdemo.lab.results.laws import backlog_s, bound_per_s, littles_latency_ms

__all__ = [
    "Check",
    "Finding",
    "Judgement",
    "backlog",
    "bound",
    "bound_ratio",
    "closed_loop",
    "counted",
    "errors",
    "kept_up",
    "littles_law",
    "medians",
    "number",
    "rounding",
    "run_length",
    "same_figure",
    "stated_ratio",
    "thread_rates",
]

_CALIBRATION_S: Final = 10
"""Of wrk2, which resets its histogram after that (``calibrate`` in its ``src/wrk.c``)."""
_KEPT_UP: Final = RULES[FlagKind.OVERLOADED].limit or 0.0
"""Of the rate asked for: less, and the lab quotes no percentile."""
_ERRORS: Final = RULES[FlagKind.ERRORS].limit or 0.0
"""Of all requests: more, and the lab refuses a figure."""


class Check(StrEnum):
    LITTLES_LAW = "littles-law"
    RUN_LENGTH = "run-length"
    BOUND = "bound"
    KEPT_UP = "kept-up"
    BACKLOG = "backlog"
    THREAD_RATES = "thread-rates"
    ERRORS = "errors"
    COUNTED = "counted"
    CLOSED_LOOP = "closed-loop"
    STATED_RATIO = "stated-ratio"
    ROUNDING = "rounding"
    SAME_FIGURE = "same-figure"
    BOUND_RATIO = "bound-ratio"
    MEDIANS = "medians"


class Judgement(StrEnum):
    AGREES = "agrees"
    NEAR = "roughly agrees"
    CONTRADICTS = "cannot be"
    """Not all of the figures compared can be right, or they are not of the same requests."""
    REMARK = "to be known"
    """Nothing is wrong, but the figure means something else than it seems to."""


@dataclass(frozen=True, slots=True)
class Finding:
    """expected: what the other figures say; reported: what was published; both in the same unit, or
    shares.
    """

    check: Check
    judgement: Judgement
    expected: float
    reported: float
    words: str
    """The arithmetic, as a sentence without its full stop."""

    @property
    def gap(self) -> float:
        """By how much of the expected figure the reported one differs."""
        return self.reported / self.expected - 1 if self.expected else 0.0


def littles_law(clients: float, throughput_per_s: float, latency_ms: float) -> Finding:
    """Of a closed loop: clients divided by throughput is the mean latency."""
    expected = littles_latency_ms(clients, throughput_per_s)
    words = (
        f"{number(clients)} connections / {number(throughput_per_s)} per s must be {number(expected)} ms; "
        f"{number(latency_ms)} ms is reported"
    )
    return Finding(Check.LITTLES_LAW, _close(expected, latency_ms, 0.05), expected, latency_ms, words)


def run_length(run_s: float, throughput_per_s: float, requests: float) -> Finding:
    """The length of the run times the rate is the number of requests."""
    expected = run_s * throughput_per_s
    words = (
        f"{number(run_s)} s × {number(throughput_per_s)} per s must be {number(expected)} requests; "
        f"{number(requests)} are reported"
    )
    return Finding(Check.RUN_LENGTH, _close(expected, requests, 0.01), expected, requests, words)


def bound(
    delay_ms: float,
    clients: float,
    throughput_per_s: float,
    slots: float | None = None,
    workers: float | None = None,
) -> Finding:
    """No rate is above what the waiting allows. Above by 5 % is no contradiction: delays are drawn at
    random.
    """
    expected = bound_per_s(delay_ms, clients=clients, slots=slots, workers=workers)
    named = ((slots, "slots"), (workers, "handled at once"), (clients, "clients"))
    limits = ", ".join(f"{number(limit)} {word}" for limit, word in named if limit is not None)
    share = throughput_per_s / expected
    words = (
        f"min({limits}) / {number(delay_ms)} ms is at most {number(expected)} per s; "
        f"{number(throughput_per_s)} is reported, {share:.0%} of it"
    )
    judgement = Judgement.AGREES if share <= 1.05 else Judgement.CONTRADICTS
    return Finding(Check.BOUND, judgement, expected, throughput_per_s, words)


def kept_up(asked_per_s: float, served_per_s: float) -> Finding:
    """Of an open loop: a server that does not keep up has latencies that grow as long as the run lasts."""
    share = served_per_s / asked_per_s
    words = (
        f"{number(served_per_s)} of {number(asked_per_s)} per s are served, {share:.1%}; "
        f"below {_KEPT_UP:.0%} the lab quotes no percentile"
    )
    judgement = Judgement.AGREES if share >= _KEPT_UP else Judgement.REMARK
    return Finding(Check.KEPT_UP, judgement, 1.0, share, words)


def backlog(asked_per_s: float, served_per_s: float, run_s: float, max_ms: float) -> Finding:
    """Of an open loop that is not kept up with: how late the last answer must be.

    Answers that do not come in order, as over many connections, make the greatest one later or earlier than
    that.
    """
    expected = backlog_s(asked_per_s, served_per_s, run_s)
    reported = max_ms / 1000
    words = (
        f"(1 − {number(served_per_s)} / {number(asked_per_s)}) × {number(run_s)} s is {number(expected)} s; "
        f"a greatest latency of {number(reported)} s is reported"
    )
    judgement = _close(expected, reported, 0.05, rough=0.25)
    return Finding(Check.BACKLOG, judgement, expected, reported, words)


def thread_rates(threads: float, per_thread_per_s: float, throughput_per_s: float) -> Finding:
    """wrk gives the rate of a thread as a mean of samples; a stall of any length is one sample."""
    expected = threads * per_thread_per_s
    words = (
        f"{number(threads)} threads × {number(per_thread_per_s)} per s would be {number(expected)} per s; "
        f"{number(throughput_per_s)} is reported"
    )
    judgement = _close(expected, throughput_per_s, 0.05)
    return Finding(Check.THREAD_RATES, judgement, expected, throughput_per_s, words)


def errors(requests: float, errors: float, timeouts: float) -> Finding:
    """Requests that failed or timed out are in no percentile."""
    share = (errors + timeouts) / requests
    words = (
        f"{number(errors)} errors and {number(timeouts)} timeouts beside {number(requests)} requests are "
        f"{share:.1%}; above {_ERRORS:.1%} the lab refuses a figure"
    )
    judgement = Judgement.AGREES if share <= _ERRORS else Judgement.REMARK
    return Finding(Check.ERRORS, judgement, _ERRORS, share, words)


def counted(requests: float, counted: float, run_s: float) -> Finding:
    """wrk2 counts a latency only after its calibration."""
    before = requests - counted
    rates = before / _CALIBRATION_S, counted / (run_s - _CALIBRATION_S)
    words = (
        f"the percentiles are of {number(counted)} of {number(requests)} answers, {counted / requests:.0%}: "
        f"{number(before)} came in the calibration of about {_CALIBRATION_S} s, {number(rates[0])} per s; "
        f"after it there were {number(rates[1])} per s"
    )
    judgement = Judgement.AGREES if counted == requests else Judgement.REMARK
    return Finding(Check.COUNTED, judgement, 1.0, counted / requests, words)


def closed_loop(clients: float, throughput_per_s: float, latency_ms: float) -> Finding:
    """What a closed loop would have called the mean latency, by Little's law, of the same server at the
    same rate.
    """
    expected = littles_latency_ms(clients, throughput_per_s)
    words = (
        f"{number(clients)} connections that wait for each answer would give {number(clients)} / "
        f"{number(throughput_per_s)} per s = {number(expected)} ms; counted from the intended send "
        f"the mean is {number(latency_ms)} ms"
    )
    return Finding(Check.CLOSED_LOOP, Judgement.REMARK, expected, latency_ms, words)


def stated_ratio(numerator: float, denominator: float, ratio: float, digits: float) -> Finding:
    """A ratio is that of its two figures, rounded."""
    expected = numerator / denominator
    reported = f"{ratio:.{int(digits)}f}"
    words = f"{number(numerator)} / {number(denominator)} = {number(expected)}; {reported} is reported"
    return Finding(Check.STATED_RATIO, _rounded(expected, ratio, int(digits)), expected, ratio, words)


def rounding(exact: float, rounded: float, digits: float) -> Finding:
    """A figure that is given twice, exactly and rounded."""
    words = f"{exact:.2f} rounds to {exact:.{int(digits)}f}; {rounded:g} is reported"
    return Finding(Check.ROUNDING, _rounded(exact, rounded, int(digits)), exact, rounded, words)


def same_figure(first: float, second: float) -> Finding:
    """A figure that is given in two tables."""
    judgement = Judgement.AGREES if first == second else Judgement.CONTRADICTS
    return Finding(
        Check.SAME_FIGURE, judgement, first, second, f"{first:.2f} in one table, {second:.2f} in the other"
    )


def bound_ratio(
    workers: float, sessions: float, clients: float, delay_ms: float, ratios: Sequence[float]
) -> Finding:
    """How much faster waiting alone lets asynchronous workers be, of which each takes any number of
    requests.
    """
    one_each = bound_per_s(delay_ms, clients=clients, slots=sessions, workers=workers)
    many_each = bound_per_s(delay_ms, clients=clients, slots=sessions)
    expected, least, most = many_each / one_each, min(ratios), max(ratios)
    if expected < 1.05:
        meaning = "the waiting favours neither, so what differs is the work"
    elif most < expected / 1.5:
        meaning = "the waiting allows more, so something else is the limit"
    else:
        meaning = "the waiting sets it"
    words = (
        f"sync: min({number(sessions)} sessions, {number(workers)} workers, {number(clients)} clients) / "
        f"{number(delay_ms)} ms = {number(one_each)} per s at most; async: min({number(sessions)} sessions, "
        f"{number(clients)} clients) / {number(delay_ms)} ms = {number(many_each)} at most, {expected:.2f} "
        f"times as many; {least:.2f} to {most:.2f} times are reported: {meaning}"
    )
    return Finding(Check.BOUND_RATIO, Judgement.REMARK, expected, most, words)


def medians(ratio: float, median_ms: float, base_median_ms: float, p99_ms: float) -> Finding:
    """With as many clients, throughput goes with the mean latency; where the median says otherwise, the
    tail decides.
    """
    expected = base_median_ms / median_ms
    words = (
        f"by the medians {number(base_median_ms)} / {number(median_ms)} ms = {expected:.2f} times; "
        f"{ratio:.2f} is reported, with a P99 of {number(p99_ms)} ms"
    )
    judgement = Judgement.AGREES if abs(ratio / expected - 1) <= 0.05 else Judgement.REMARK
    return Finding(Check.MEDIANS, judgement, expected, ratio, words)


def number(value: float) -> str:
    """To three or four digits; whole from 100 up."""
    if abs(value) >= 99.995:
        return f"{value:,.0f}"
    return f"{value:.4g}" if abs(value) >= 10 else f"{value:.3g}"


def _close(expected: float, reported: float, tolerance: float, rough: float = 0.0) -> Judgement:
    gap = abs(reported - expected) / expected if expected else float("inf")
    if gap <= tolerance:
        return Judgement.AGREES
    return Judgement.NEAR if gap <= rough else Judgement.CONTRADICTS


def _rounded(exact: float, rounded: float, digits: int) -> Judgement:
    unit: float = 10.0**-digits
    off = abs(exact - rounded) / unit
    if off <= 0.5 + 1e-9:
        return Judgement.AGREES
    return Judgement.NEAR if off <= 1 else Judgement.CONTRADICTS
