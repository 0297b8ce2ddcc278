"""What makes a measured figure doubtful, and what that invalidates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Withdraws(StrEnum):
    NOTHING = "nothing"
    PERCENTILES = "percentiles"
    RANKING = "ranking"
    FIGURE = "figure"


class FlagKind(StrEnum):
    CLIENT_BUSY = "client-busy"
    FOREIGN_CPU = "foreign-cpu"
    TWINS_DIFFER = "twins-differ"
    LITTLES_GAP = "littles-gap"
    OVERLOADED = "overloaded"
    OVER_BUDGET = "over-budget"
    ERRORS = "errors"
    FEW_SAMPLES = "few-samples"
    NO_RANKING = "no-ranking"
    FEW_ROUNDS = "few-rounds"
    NOT_VERIFIED = "not-verified"
    CONTESTANT_FAILED = "contestant-failed"
    LOAD_FAILED = "load-failed"
    FAILED_AT_TIMES = "failed-at-times"
    NOT_TO_BE_HAD = "not-to-be-had"
    RATE_DOUBTFUL = "rate-doubtful"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Rule:
    """``limit`` is the value from which the flag is raised; 0 if there is no threshold."""

    when: str
    withdraws: Withdraws
    limit: float = 0.0


RULES: Final[Mapping[FlagKind, Rule]] = {
    FlagKind.CLIENT_BUSY: Rule(
        "the load client used a CPU, or waited for one, for more than 0.8 of the time, so it measured itself",
        Withdraws.FIGURE,
        0.8,
    ),
    FlagKind.FOREIGN_CPU: Rule(
        "programs outside of the experiment used more than 6 % of the CPU", Withdraws.FIGURE, 0.06
    ),
    FlagKind.TWINS_DIFFER: Rule(
        "in six rounds or more, the interval of the two equal arms does not hold 1", Withdraws.NOTHING
    ),
    FlagKind.LITTLES_GAP: Rule(
        "clients, throughput and mean latency contradict each other by more than 5 %", Withdraws.FIGURE, 0.05
    ),
    FlagKind.OVERLOADED: Rule(
        "less than 0.98 of the rate that was asked for was served", Withdraws.PERCENTILES, 0.98
    ),
    FlagKind.OVER_BUDGET: Rule(
        "a step of a search: at this rate the 99th percentile was over the budget", Withdraws.FIGURE
    ),
    FlagKind.ERRORS: Rule("more than 0.1 % of the requests failed", Withdraws.FIGURE, 0.001),
    FlagKind.FEW_SAMPLES: Rule(
        "fewer than 100 answers lie beyond the percentile", Withdraws.PERCENTILES, 100
    ),
    FlagKind.NO_RANKING: Rule("the interval of the ratio holds 1", Withdraws.RANKING),
    FlagKind.FEW_ROUNDS: Rule("there are fewer than 7 rounds", Withdraws.RANKING, 7),
    FlagKind.NOT_VERIFIED: Rule("an answer, its effect or a setting was not as asked for", Withdraws.FIGURE),
    FlagKind.CONTESTANT_FAILED: Rule(
        "a contestant did not start, hung, died, answered wrongly or kept its port", Withdraws.FIGURE
    ),
    FlagKind.LOAD_FAILED: Rule("the load client ended without a result", Withdraws.FIGURE),
    FlagKind.FAILED_AT_TIMES: Rule(
        "a contestant, or the load on it, failed in some rounds; the others count", Withdraws.NOTHING
    ),
    FlagKind.NOT_TO_BE_HAD: Rule(
        "a contestant cannot be installed here; the words say why", Withdraws.FIGURE
    ),
    FlagKind.RATE_DOUBTFUL: Rule(
        "a rate is a share of what the slowest can do, and that is in doubt", Withdraws.NOTHING
    ),
    FlagKind.INTERRUPTED: Rule("the run was ended early; the finished rounds count", Withdraws.NOTHING),
}

LATENCY: Final = "load.latency_ms."


@dataclass(frozen=True, slots=True)
class Flag:
    """``words`` say what happened, ``advice`` how to get a better figure. ``value`` was compared with the
    rule's limit.
    """

    kind: FlagKind
    words: str
    advice: str = ""
    value: float | None = None

    @property
    def withdraws(self) -> Withdraws:
        return RULES[self.kind].withdraws


def refuses(flags: Iterable[Flag], figure: str = "") -> bool:
    """Return whether a flag withdraws the figure: any, or this one (more flags withdraw a percentile)."""
    enough = {Withdraws.FIGURE, Withdraws.PERCENTILES} if percent_of(figure) else {Withdraws.FIGURE}
    return any(flag.withdraws in enough for flag in flags)


def percent_of(figure: str) -> str:
    """Return "99" for ``load.latency_ms.99``; "" for other figures and for the mean."""
    percent = figure.removeprefix(LATENCY)
    return "" if percent in {figure, "mean"} else percent
