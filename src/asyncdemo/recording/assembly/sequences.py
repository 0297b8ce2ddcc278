"""Find consecutive waits of one coroutine call, from where its task was suspended.

Pure, except that it reads the source files of the sites, so that ``awaits`` can judge whether the calls
depend on each other.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from asyncdemo.analysis import awaits
from asyncdemo.analysis.reasons import find_reason
from asyncdemo.bounded import source_lines
from asyncdemo.model import AwaitSequence, Site, Spans, State


@dataclass(frozen=True, slots=True)
class Pause:
    """One long wait of a task, with the coroutine calls that it was suspended in, outermost first.

    ``chain`` has (number of the call, line that it was suspended at, or None outside the user's code).
    """

    track: int
    start_ns: int
    end_ns: int
    chain: tuple[tuple[int, Site | None], ...]


@dataclass(slots=True)
class _Wait:
    """The wait for one awaited call, from the start of its first pause to the end of its last."""

    site: Site
    start_ns: int
    end_ns: int
    waited_ns: int = 0


def find(pauses: Sequence[Pause], spans: Mapping[int, Spans]) -> tuple[AwaitSequence, ...]:
    """Return the sequences of calls that waited at least twice for the outside world; ``spans`` by track."""
    by_call: defaultdict[tuple[int, int], dict[int, _Wait]] = defaultdict(dict)
    for number, pause in enumerate(pauses):
        if not _is_outside(spans[pause.track], pause.start_ns):
            continue
        for depth, (call, site) in enumerate(pause.chain):
            if site is None:
                continue
            awaited = pause.chain[depth + 1][0] if depth + 1 < len(pause.chain) else -1 - number
            waits = by_call[pause.track, call]
            wait = waits.setdefault(awaited, _Wait(site, pause.start_ns, pause.end_ns))
            wait.end_ns = pause.end_ns
            wait.waited_ns += pause.end_ns - pause.start_ns
    judge = cache(_independent)
    return tuple(
        found
        for (track, _), waits in by_call.items()
        for found in _sequences(track, list(waits.values()), judge)
    )


def _is_outside(spans: Spans, at_ns: int) -> bool:
    starts, states, waits, _ = spans.columns
    index = bisect_right(starts, at_ns) - 1
    if index < 0 or states[index] not in (State.WAITING, State.QUEUED):
        return False
    return find_reason(spans.causes[waits[index]].reason).outside


def _independent(sites: tuple[Site, ...]) -> bool | None:
    source = "".join(source_lines(sites[0].file))
    return awaits.independent(source, [site.line for site in sites]) if source else None


def _sequences(
    track: int, waits: Sequence[_Wait], judge: Callable[[tuple[Site, ...]], bool | None]
) -> Iterator[AwaitSequence]:
    """Yield all awaits of the call as one sequence and, if some depend on others, each loop separately."""
    if len(waits) < 2:
        return
    sites = tuple(dict.fromkeys(wait.site for wait in waits))
    independent = judge(sites)
    yield AwaitSequence(
        track=track,
        start_ns=min(wait.start_ns for wait in waits),
        end_ns=max(wait.end_ns for wait in waits),
        count=len(waits),
        waited_ns=sum(wait.waited_ns for wait in waits),
        longest_ns=max(wait.waited_ns for wait in waits),
        sites=sites,
        independent=independent,
    )
    if independent is False and len(sites) > 1:
        for site in sites:
            yield from _sequences(track, [wait for wait in waits if wait.site == site], judge)
