"""How runs of one script in different schedules ended, sorted by what came out."""

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
"""Findings about what is right. Those about speed differ with every delay."""


@dataclass(frozen=True, slots=True)
class Ending:
    """What came out of a run, as far as it is compared.

    Attributes:
        outcome: How it ended.
        exit_code: The program's own.
        error: What the program said last on stderr, if it failed.
        lines: What it printed, sorted: in which order concurrent work prints is its own affair.
        result: What the function returned that was run, if one was.
        findings: The findings about what is right.
    """

    outcome: RunOutcome
    exit_code: int | None
    error: str
    lines: tuple[str, ...]
    result: str | None
    findings: tuple[FindingKind, ...]


def ending_of(run: Run, stdout: str, stderr: str) -> Ending:
    """Of one run and what it wrote."""
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
        ending: What came out of it.
        verdict: What whoever asked says of it; attempts with another verdict are another outcome.
    """

    delays: Delays
    run: Run
    ending: Ending
    verdict: Hashable = None

    @property
    def key(self) -> Hashable:
        """Attempts with the same came to the same."""
        return self.verdict if self.verdict is not None else self.ending


@dataclass(frozen=True, slots=True)
class Group:
    """The schedules that came to the same.

    Attributes:
        count: How many.
        example: The smallest of them that is known.
    """

    count: int
    example: Attempt


@dataclass(frozen=True, slots=True)
class Exploration:
    """All of it.

    Attributes:
        asked: How many schedules were asked for.
        groups: Those that came to the same, first those that came to what the script does without a delay.
        unexplored: Why fewer were tried, or "".
        interrupted: Whether that was because somebody had it end.
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
        """Those that came to something else than the script does without a delay."""
        return self.groups[1:]
