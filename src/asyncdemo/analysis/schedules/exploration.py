"""How runs of one script in different schedules ended, grouped by their results."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from asyncdemo.analysis.diagnose import FindingKind, diagnose
from asyncdemo.analysis.schedules.token import Delays
from asyncdemo.model import Run, RunOutcome

_MATTER = frozenset(
    {
        FindingKind.DEADLOCK,
        FindingKind.NEVER_AWAITED,
        FindingKind.LEFT_PENDING,
        FindingKind.HELD_WHILE_ACQUIRING,
        FindingKind.LEAKED_CONNECTION,
        FindingKind.REFUSED_BY_POOL,
    }
)
"""Findings about correctness. Those about speed differ with every delay."""


@dataclass(frozen=True, slots=True)
class Ending:
    """The results of a run that are compared.

    Attributes:
        outcome: How it ended.
        exit_code: The program's own.
        error: The last line that the program wrote to stderr, if it failed.
        lines: What it printed, sorted: concurrent work may print in any order.
        result: What the function that was run returned, if one was.
        findings: The findings about correctness.
    """

    outcome: RunOutcome
    exit_code: int | None
    error: str
    lines: tuple[str, ...]
    result: str | None
    findings: tuple[FindingKind, ...]


def ending_of(run: Run, stdout: str, stderr: str) -> Ending:
    """Return the ending of a run, from the recording and what the program wrote."""
    said = [line for line in stderr.splitlines() if line.strip()]
    return Ending(
        outcome=run.outcome,
        exit_code=run.exit_code,
        error=said[-1].strip() if said and run.outcome is RunOutcome.FAILED else "",
        lines=tuple(sorted(line for line in stdout.splitlines() if line.strip())),
        result=run.result,
        findings=tuple(sorted({found.kind for found in diagnose(run)} & _MATTER)),
    )


@dataclass(frozen=True, slots=True)
class Attempt:
    """One run in one schedule.

    Attributes:
        delays: The schedule.
        run: The recording.
        ending: Its results.
        verdict: The caller's own judgement; attempts with different verdicts are in different groups.
    """

    delays: Delays
    run: Run
    ending: Ending
    verdict: Hashable = None

    @property
    def key(self) -> Hashable:
        """Attempts with the same key had the same results."""
        return self.verdict if self.verdict is not None else self.ending


@dataclass(frozen=True, slots=True)
class Group:
    """The schedules with the same results.

    Attributes:
        count: How many there were.
        example: The smallest of them that is known.
    """

    count: int
    example: Attempt


@dataclass(frozen=True, slots=True)
class Exploration:
    """All attempts, in groups.

    Attributes:
        asked: How many schedules were requested.
        groups: Those with the same results; first, those with the results of the script without delays.
        unexplored: Why fewer were tried, or "".
        interrupted: Whether that was because the user stopped it.
    """

    asked: int
    groups: tuple[Group, ...]
    unexplored: str = ""
    interrupted: bool = False

    @property
    def tried(self) -> int:
        """How many schedules were tried, the one without delays included."""
        return sum(group.count for group in self.groups)

    @property
    def differing(self) -> tuple[Group, ...]:
        """The groups whose results differ from those of the script without delays."""
        return self.groups[1:]
