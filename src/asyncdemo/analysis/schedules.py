"""What runs of one script in different schedules have in common, and where they differ. Pure functions.

A schedule in a few characters, to repeat it: ``17``, or ``12+40ms,31+150ms``. A number is a seed. Otherwise,
each part is the number of a callback and the delay before it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from asyncdemo.analysis.diagnose import DETECTORS, diagnose
from asyncdemo.errors import UsageError
from asyncdemo.model import Outcome, Run, RunOutcome

Delays = int | tuple[tuple[int, int], ...]
"""A seed from which delays are drawn, or the delays: number of the callback, nanoseconds."""

_PART = re.compile(r"(\d+)\+(\d+(?:\.\d+)?)ms")
_MOST_DIGITS = 18
NONE = "none"
"""The schedule without a delay."""


def token_of(delays: Delays) -> str:
    if isinstance(delays, int):
        return str(delays)
    return ",".join(f"{callback}+{_milliseconds(length_ns)}ms" for callback, length_ns in delays) or NONE


def _milliseconds(length_ns: int) -> str:
    return f"{length_ns / 1e6:.6f}".rstrip("0").rstrip(".")


def parse_token(token: str) -> Delays:
    """Return the schedule of a token. Raise UsageError if it is not one."""
    if token == NONE:
        return ()
    if token.isdecimal() and token.isascii() and len(token) <= _MOST_DIGITS:
        return int(token)
    parts = [_PART.fullmatch(part) for part in token.split(",")]
    found = [
        (int(part[1]), round(float(part[2]) * 1e6))
        for part in parts
        if part and len(part[0]) <= 2 * _MOST_DIGITS
    ]
    if len(found) < len(parts):
        raise UsageError(
            f"{token!r} is not a schedule. A schedule looks like 12+40ms,31+150ms: copy it from the report "
            "of `asyncdemo schedules`."
        )
    return tuple(found)


def delays_of(run: Run) -> tuple[tuple[int, int], ...]:
    """Return the delays that were drawn, so that they can be repeated and reduced."""
    return tuple((delay.callback, delay.length_ns) for delay in run.delays)


# -- how runs ended, grouped by their results -----------------------------------------------------

_MATTER = frozenset(detector.kind for detector in DETECTORS if detector.about_correctness)
"""Findings about speed differ with every delay."""


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
    findings: tuple[str, ...]


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


# -- where two runs diverge ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Moment:
    """An event of a row in a run.

    Attributes:
        what: In words: "save(1) ends".
        at_ns: When it happens, from the opening of the first row.
    """

    what: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class Difference:
    """Two events in one order in the first run, and in the opposite order in the second.

    Attributes:
        first: The events of the first run, in order. A single one does not happen in the second run.
        second: The same for the second run.
    """

    first: tuple[Moment, ...]
    second: tuple[Moment, ...]


def first_difference(first: Run, second: Run) -> Difference | None:
    """Return the first difference; None if everything that both runs do comes in the same order.

    Events at the same time have no order: only what was clearly before and is clearly after counts.
    """
    before, after = _moments(first), _moments(second)
    latest: tuple[int, str] | None = None
    same: list[tuple[int, str]] = []
    now_ns = -1
    for what, at_ns in sorted(before.items(), key=lambda item: item[1]):
        if at_ns > now_ns:
            latest = max(filter(None, [latest, *same]), default=None)
            now_ns, same = at_ns, []
        if what not in after:
            continue
        if latest is not None and after[what] < latest[0]:
            other = latest[1]
            return Difference(
                (_moment(other, before[other]), _moment(what, at_ns)),
                (_moment(what, after[what]), _moment(other, after[other])),
            )
        same.append((after[what], what))
    for ours, theirs, swap in ((before, after, False), (after, before, True)):
        only = sorted((at_ns, what) for what, at_ns in ours.items() if what not in theirs)
        if only:
            alone = (_moment(only[0][1], only[0][0]),)
            return Difference((), alone) if swap else Difference(alone, ())
    return None


def _moment(key: str, at_ns: int) -> Moment:
    return Moment(key.partition("\0")[0], at_ns)


def _moments(run: Run) -> dict[str, int]:
    """Return what each row did, as text that is the same in another run, and when."""
    zero_ns = min((lane.start_ns for lane in run.lanes), default=0)
    seen: Counter[str] = Counter()
    found: dict[str, int] = {}
    for what, at_ns in _events(run):
        seen[what] += 1
        found[f"{what}\0{seen[what]}"] = at_ns - zero_ns
    return found


def _events(run: Run) -> Iterator[tuple[str, int]]:
    for lane in run.lanes:
        yield f"{lane.name} begins", lane.start_ns
        for span in lane.spans:
            site = span.wait.site
            if site is not None:
                yield f"{lane.name} waits at line {site.line}", span.start_ns
        if lane.outcome is not Outcome.OPEN:
            yield f"{lane.name} ends", lane.end_ns
