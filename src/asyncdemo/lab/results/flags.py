"""What makes a measured figure doubtful, with what it costs: nothing, the percentiles, the ranking, or the
figure.

Not for: finding it out (the experiments do).
"""

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
    """limit: the value from which the flag is raised, None if it is no matter of degree."""

    when: str
    limit: float | None
    withdraws: Withdraws


RULES: Final[Mapping[FlagKind, Rule]] = {
    FlagKind.CLIENT_BUSY: Rule(
        "the load client used a CPU, or waited for one, for more than 0.8 of the time, so it measured itself",
        0.8,
        Withdraws.FIGURE,
    ),
    FlagKind.FOREIGN_CPU: Rule(
        "programs outside of the experiment used more than 6 % of the CPU", 0.06, Withdraws.FIGURE
    ),
    FlagKind.TWINS_DIFFER: Rule(
        "in six rounds or more, the interval of the two equal arms does not hold 1", None, Withdraws.NOTHING
    ),
    FlagKind.LITTLES_GAP: Rule(
        "clients, throughput and mean latency contradict each other by more than 5 %", 0.05, Withdraws.FIGURE
    ),
    FlagKind.OVERLOADED: Rule(
        "less than 0.98 of the rate that was asked for was served", 0.98, Withdraws.PERCENTILES
    ),
    FlagKind.OVER_BUDGET: Rule(
        "a step of a search: at this rate the 99th percentile was over the budget", None, Withdraws.FIGURE
    ),
    FlagKind.ERRORS: Rule("more than 0.1 % of the requests failed", 0.001, Withdraws.FIGURE),
    FlagKind.FEW_SAMPLES: Rule(
        "fewer than 100 answers lie beyond the percentile", 100, Withdraws.PERCENTILES
    ),
    FlagKind.NO_RANKING: Rule("the interval of the ratio holds 1", None, Withdraws.RANKING),
    FlagKind.FEW_ROUNDS: Rule("there are fewer than 7 rounds", 7, Withdraws.RANKING),
    FlagKind.NOT_VERIFIED: Rule(
        "an answer, its effect or a setting was not as asked for", None, Withdraws.FIGURE
    ),
    FlagKind.CONTESTANT_FAILED: Rule(
        "a contestant did not start, hung, died, answered wrongly or kept its port", None, Withdraws.FIGURE
    ),
    FlagKind.LOAD_FAILED: Rule("the load client ended without a result", None, Withdraws.FIGURE),
    FlagKind.FAILED_AT_TIMES: Rule(
        "a contestant, or the load on it, failed in some rounds; the others count", None, Withdraws.NOTHING
    ),
    FlagKind.NOT_TO_BE_HAD: Rule(
        "a contestant cannot be installed here; the words say why", None, Withdraws.FIGURE
    ),
    FlagKind.RATE_DOUBTFUL: Rule(
        "what the slowest can do, of which a rate is a share, is in doubt", None, Withdraws.NOTHING
    ),
    FlagKind.INTERRUPTED: Rule("the run was ended early; the finished rounds count", None, Withdraws.NOTHING),
}  # fmt: skip

LATENCY: Final = "load.latency_ms."


@dataclass(frozen=True, slots=True)
class Flag:
    """words: what happened. advice: what to do for a better figure. value: what the rule's limit was
    compared with.
    """

    kind: FlagKind
    words: str
    advice: str = ""
    value: float | None = None

    @property
    def withdraws(self) -> Withdraws:
        return RULES[self.kind].withdraws


def refuses(flags: Iterable[Flag], figure: str = "") -> bool:
    """Whether one of them withdraws the figure: any, or this one (a percentile is withdrawn by more)."""
    enough = {Withdraws.FIGURE, Withdraws.PERCENTILES} if percent_of(figure) else {Withdraws.FIGURE}
    return any(flag.withdraws in enough for flag in flags)


def percent_of(figure: str) -> str:
    """Of ``load.latency_ms.99`` "99"; "" of other figures, and of the mean."""
    percent = figure.removeprefix(LATENCY)
    return "" if percent in {figure, "mean"} else percent
