"""Finds waits of one coroutine call that came one after another, from where its task was suspended.

Pure but for reading the source files that the sites name, to ask ``awaits`` whether the calls depend
on each other.
"""

from __future__ import annotations

import linecache
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache

from asyncdemo import awaits
from asyncdemo.model import AwaitSequence, Site, State, Track

__all__ = ["Pause", "find"]

_OUTSIDE = ("sleep", "net.", "dns", "subprocess", "thread", "executor", "i/o", "timer")
"""Waits for time or the outside world; those for other lanes say nothing about order."""


@dataclass(frozen=True, slots=True)
class Pause:
    """One long wait of a task, with the coroutine calls it was suspended in, outermost first.

    chain: (number of the call, line in the user's code that it was suspended at, if it is such).
    """

    track: int
    start_ns: int
    end_ns: int
    chain: tuple[tuple[int, Site | None], ...]


@dataclass(slots=True)
class _Calls:
    """What one coroutine call awaited, in order."""

    track: int
    sites: dict[Site, None] = field(default_factory=dict)
    waits: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    """By what was awaited: (start of the first pause, end of the last, time waited)."""


def find(pauses: Sequence[Pause], tracks: Sequence[Track]) -> tuple[AwaitSequence, ...]:
    """The coroutine calls that waited at least twice for the outside world."""
    by_call: defaultdict[tuple[int, int], _Calls] = defaultdict(lambda: _Calls(-1))
    for number, pause in enumerate(pauses):
        if not _is_outside(tracks[pause.track], pause.start_ns):
            continue
        for depth, (call, site) in enumerate(pause.chain):
            if site is None:
                continue
            awaited = pause.chain[depth + 1][0] if depth + 1 < len(pause.chain) else -1 - number
            calls = by_call[pause.track, call]
            calls.track = pause.track
            calls.sites[site] = None
            start_ns, _, waited_ns = calls.waits.get(awaited, (pause.start_ns, 0, 0))
            calls.waits[awaited] = start_ns, pause.end_ns, waited_ns + pause.end_ns - pause.start_ns
    judge = cache(_independent)
    return tuple(_sequence(calls, judge) for calls in by_call.values() if len(calls.waits) > 1)


def _is_outside(track: Track, at_ns: int) -> bool:
    starts, states, waits, _ = track.spans.columns
    index = bisect_right(starts, at_ns) - 1
    if index < 0 or states[index] not in (State.WAITING, State.QUEUED):
        return False
    return track.spans.causes[waits[index]].reason.startswith(_OUTSIDE)


def _independent(sites: tuple[Site, ...]) -> bool | None:
    source = "".join(linecache.getlines(sites[0].file))
    return awaits.independent(source, [site.line for site in sites]) if source else None


def _sequence(calls: _Calls, judge: Callable[[tuple[Site, ...]], bool | None]) -> AwaitSequence:
    waits = list(calls.waits.values())
    sites = tuple(calls.sites)
    return AwaitSequence(
        track=calls.track,
        start_ns=min(start for start, _, _ in waits),
        end_ns=max(end for _, end, _ in waits),
        count=len(waits),
        waited_ns=sum(waited for _, _, waited in waits),
        longest_ns=max(waited for _, _, waited in waits),
        sites=sites,
        independent=judge(sites),
    )
