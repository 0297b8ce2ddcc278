"""Can these figures be true? Each check compares a reported figure with what the others imply.

Pure functions of numbers. Their findings spell out the arithmetic, for a page, a lesson or a terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from asyncdemo.lab.results.flags import RULES, FlagKind
from asyncdemo.lab.results.laws import backlog_s, bound_per_s, littles_latency_ms

_CALIBRATION_S: Final = 10
"""wrk2 resets its histogram after this time (``calibrate`` in its ``src/wrk.c``)."""
_KEPT_UP: Final = RULES[FlagKind.OVERLOADED].limit
"""A share of the requested rate: below it, the lab quotes no percentile."""
_ERRORS: Final = RULES[FlagKind.ERRORS].limit
"""A share of all requests: above it, the lab refuses a figure."""


class Judgement(StrEnum):
    AGREES = "agrees"
    NEAR = "roughly agrees"
    CONTRADICTS = "cannot be"
    """At least one of the figures is wrong, or they are not about the same requests."""
    REMARK = "note"
    """Nothing is wrong, but the figure doesn't mean what it seems to."""


@dataclass(frozen=True, slots=True)
class AuditCheck:
    """``why`` explains to a first-time reader why it must hold."""

    key: str
    title: str
    why: str


@dataclass(frozen=True, slots=True)
class Finding:
    check: AuditCheck
    judgement: Judgement
    words: str
    """The arithmetic, as a sentence without its full stop."""


_Found = tuple[Judgement, str]
"""A finding without its check."""
CHECKS: Final[dict[str, Callable[..., Finding]]] = {}
"""Key -> function."""


def _check(title: str, why: str) -> Callable[[Callable[..., _Found]], Callable[..., _Found]]:
    def of(judge: Callable[..., _Found]) -> Callable[..., _Found]:
        check = AuditCheck(judge.__name__.replace("_", "-"), title, why)

        def find(*figures: Any, **named: Any) -> Finding:
            return Finding(check, *judge(*figures, **named))

        CHECKS[check.key] = find
        return judge

    return of


@_check(
    "Little's law",
    "Each connection always waits for one answer. So the connections, divided by the throughput, are "
    "the mean latency.",
)
def littles_law(clients: float, throughput_per_s: float, latency_ms: float) -> _Found:
    expected = littles_latency_ms(clients, throughput_per_s)
    words = (
        f"{number(clients)} connections / {number(throughput_per_s)} per s must be {number(expected)} ms; "
        f"{number(latency_ms)} ms is reported"
    )
    return _close(expected, latency_ms, 0.05), words


@_check("Length of the run", "The length of the run times the rate is the number of requests.")
def run_length(run_s: float, throughput_per_s: float, requests: float) -> _Found:
    expected = run_s * throughput_per_s
    words = (
        f"{number(run_s)} s × {number(throughput_per_s)} per s must be {number(expected)} requests; "
        f"{number(requests)} are reported"
    )
    return _close(expected, requests, 0.01), words


@_check(
    "What the waiting allows",
    "If each request waits, the rate cannot be higher than the number that may wait at the same time, "
    "divided by how long each waits.",
)
def bound(
    delay_ms: float,
    clients: float,
    throughput_per_s: float,
    slots: float | None = None,
    workers: float | None = None,
) -> _Found:
    """Allow 5 % above, because delays are random."""
    expected = bound_per_s(delay_ms, clients=clients, slots=slots, workers=workers)
    named = ((slots, "slots"), (workers, "handled at the same time"), (clients, "clients"))
    limits = ", ".join(f"{number(limit)} {word}" for limit, word in named if limit is not None)
    share = throughput_per_s / expected
    words = (
        f"min({limits}) / {number(delay_ms)} ms is at most {number(expected)} per s; "
        f"{number(throughput_per_s)} is reported, {share:.0%} of it"
    )
    judgement = Judgement.AGREES if share <= 1.05 else Judgement.CONTRADICTS
    return judgement, words


@_check(
    "Kept up",
    "A server that serves less than it is asked for has a backlog, which grows as long as the run "
    "lasts. Then a percentile says how long the run was.",
)
def kept_up(asked_per_s: float, served_per_s: float) -> _Found:
    share = served_per_s / asked_per_s
    words = (
        f"{number(served_per_s)} of {number(asked_per_s)} per s are served, {share:.1%}; "
        f"below {_KEPT_UP:.0%} the lab quotes no percentile"
    )
    judgement = Judgement.AGREES if share >= _KEPT_UP else Judgement.REMARK
    return judgement, words


@_check(
    "Backlog",
    "Requests come at a constant rate and are answered more slowly. So the last one that is answered "
    "is late by the share that is not served, times the length of the run.",
)
def backlog(asked_per_s: float, served_per_s: float, run_s: float, max_ms: float) -> _Found:
    """If answers come out of order, as over many connections, the maximum may be later or earlier."""
    expected = backlog_s(asked_per_s, served_per_s, run_s)
    reported = max_ms / 1000
    words = (
        f"(1 − {number(served_per_s)} / {number(asked_per_s)}) × {number(run_s)} s is {number(expected)} s; "
        f"a greatest latency of {number(reported)} s is reported"
    )
    return _close(expected, reported, 0.05, rough=0.25), words


@_check(
    "Rates of the threads",
    "The rates of the load tool's threads add up to the rate. wrk's rate of a thread is a mean of "
    "samples, and a standstill of any length is one sample.",
)
def thread_rates(threads: float, per_thread_per_s: float, throughput_per_s: float) -> _Found:
    expected = threads * per_thread_per_s
    words = (
        f"{number(threads)} threads × {number(per_thread_per_s)} per s would be {number(expected)} per s; "
        f"{number(throughput_per_s)} is reported"
    )
    return _close(expected, throughput_per_s, 0.05), words


@_check("Errors", "A request that failed or timed out is in no percentile.")
def errors(requests: float, errors: float, timeouts: float) -> _Found:
    share = (errors + timeouts) / requests
    words = (
        f"{number(errors)} errors and {number(timeouts)} timeouts beside {number(requests)} requests are "
        f"{share:.1%}; above {_ERRORS:.1%} the lab refuses a figure"
    )
    judgement = Judgement.AGREES if share <= _ERRORS else Judgement.REMARK
    return judgement, words


@_check(
    "What the percentiles are of",
    "wrk2 counts latencies only after a calibration of about ten seconds, and requests from the start.",
)
def counted(requests: float, counted: float, run_s: float) -> _Found:
    before = requests - counted
    rates = before / _CALIBRATION_S, counted / (run_s - _CALIBRATION_S)
    words = (
        f"the percentiles are of {number(counted)} of {number(requests)} answers, {counted / requests:.0%}: "
        f"{number(before)} came in the calibration of about {_CALIBRATION_S} s, {number(rates[0])} per s; "
        f"after it there were {number(rates[1])} per s"
    )
    judgement = Judgement.AGREES if counted == requests else Judgement.REMARK
    return judgement, words


@_check(
    "What a closed loop would have said",
    "A tool that waits for each answer before it asks again does not see a backlog, because it does "
    "not make one.",
)
def closed_loop(clients: float, throughput_per_s: float, latency_ms: float) -> _Found:
    expected = littles_latency_ms(clients, throughput_per_s)
    words = (
        f"{number(clients)} connections that wait for each answer would give {number(clients)} / "
        f"{number(throughput_per_s)} per s = {number(expected)} ms; counted from the intended send "
        f"the mean is {number(latency_ms)} ms"
    )
    return Judgement.REMARK, words


@_check("Ratios", "A ratio is that of its two figures.")
def stated_ratio(numerator: float, denominator: float, ratio: float, digits: float) -> _Found:
    expected = numerator / denominator
    reported = f"{ratio:.{int(digits)}f}"
    words = f"{number(numerator)} / {number(denominator)} = {number(expected)}; {reported} is reported"
    return _rounded(expected, ratio, int(digits)), words


@_check("Rounding", "A figure that is given twice, exactly and rounded.")
def rounding(exact: float, rounded: float, digits: float) -> _Found:
    words = f"{exact:.2f} rounds to {exact:.{int(digits)}f}; {rounded:g} is reported"
    return _rounded(exact, rounded, int(digits)), words


@_check("Given twice", "A figure that stands in two tables is the same in both.")
def same_figure(first: float, second: float) -> _Found:
    judgement = Judgement.AGREES if first == second else Judgement.CONTRADICTS
    return judgement, f"{first:.2f} in one table, {second:.2f} in the other"


@_check(
    "What the settings allow",
    "A synchronous worker waits with one request at a time, an asynchronous one with any number. So "
    "the settings alone say how far one can be ahead of the other, if nothing but the waiting counts.",
)
def bound_ratio(
    workers: float, sessions: float, clients: float, delay_ms: float, ratios: Sequence[float]
) -> _Found:
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
    return Judgement.REMARK, words


@_check(
    "Medians and throughput",
    "With the same number of clients, throughput goes with the mean latency. Where the median "
    "promises more than was reached, a few very slow answers make the mean.",
)
def medians(ratio: float, median_ms: float, base_median_ms: float, p99_ms: float) -> _Found:
    expected = base_median_ms / median_ms
    words = (
        f"by the medians {number(base_median_ms)} / {number(median_ms)} ms = {expected:.2f} times; "
        f"{ratio:.2f} is reported, with a P99 of {number(p99_ms)} ms"
    )
    judgement = Judgement.AGREES if abs(ratio / expected - 1) <= 0.05 else Judgement.REMARK
    return judgement, words


def number(value: float) -> str:
    """Format with three or four digits; as an integer from 100 up."""
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
