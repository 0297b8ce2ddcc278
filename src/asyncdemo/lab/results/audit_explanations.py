"""What each check of ``audit`` is called, and why it must hold: for a reader who meets it for the first time.

Not for: the checks themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from asyncdemo.lab.results.audit import Check

__all__ = ["CHECKS", "Explained"]


@dataclass(frozen=True, slots=True)
class Explained:
    title: str
    why: str


CHECKS: Final[Mapping[Check, Explained]] = {
    Check.LITTLES_LAW: Explained(
        "Little's law",
        "Each connection always waits for one answer. "
        "So the connections, divided by the throughput, are the mean latency.",
    ),
    Check.RUN_LENGTH: Explained(
        "Length of the run", "The length of the run times the rate is the number of requests."
    ),
    Check.BOUND: Explained(
        "What the waiting allows",
        "If each request waits, the rate cannot be higher than the number that may wait at once, "
        "divided by how long each waits.",
    ),
    Check.KEPT_UP: Explained(
        "Kept up",
        "A server that serves less than it is asked for has a backlog, which grows as long as the run lasts. "
        "Then a percentile says how long the run was.",
    ),
    Check.BACKLOG: Explained(
        "Backlog",
        "Requests come at a constant rate and are answered more slowly. So the last one that is answered is "
        "late by the share that is not served, times the length of the run.",
    ),
    Check.THREAD_RATES: Explained(
        "Rates of the threads",
        "The rates of the load tool's threads add up to the rate. wrk's rate of a thread is a mean of "
        "samples, and a standstill of any length is one sample.",
    ),
    Check.ERRORS: Explained("Errors", "A request that failed or timed out is in no percentile."),
    Check.COUNTED: Explained(
        "What the percentiles are of",
        "wrk2 counts latencies only after a calibration of about ten seconds, and requests from the start.",
    ),
    Check.CLOSED_LOOP: Explained(
        "What a closed loop would have said",
        "A tool that waits for each answer before it asks again does not see a backlog, "
        "because it does not make one.",
    ),
    Check.STATED_RATIO: Explained("Ratios", "A ratio is that of its two figures."),
    Check.ROUNDING: Explained("Rounding", "A figure that is given twice, exactly and rounded."),
    Check.SAME_FIGURE: Explained("Given twice", "A figure that stands in two tables is the same in both."),
    Check.BOUND_RATIO: Explained(
        "What the settings allow",
        "A synchronous worker waits with one request at a time, an asynchronous one with any number. So the "
        "settings alone say how far one can be ahead of the other, if nothing but the waiting counts.",
    ),
    Check.MEDIANS: Explained(
        "Medians and throughput",
        "With the same number of clients, throughput goes with the mean latency. Where the median promises "
        "more than was reached, a few very slow answers make the mean.",
    ),
}
