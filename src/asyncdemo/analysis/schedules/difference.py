"""Where two runs of one script diverge: the first two events that happened in the opposite order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from asyncdemo.model import Run


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
        if str(lane.outcome) != "open":
            yield f"{lane.name} ends", lane.end_ns
