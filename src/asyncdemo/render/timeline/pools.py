"""Pools as they are drawn: a row for each connection, who held it when, and how many queued.

A pool is identified by the line that created it. If one line created more than a few (a client for each
request, for example), they share a section, so that the picture shows the total number of connections.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

from asyncdemo.analysis.metrics.pools import queueing
from asyncdemo.model import Connection, Lane, Request, Resource, ResourceKind, Run, Site, Slot, lineage
from asyncdemo.render.timeline.accumulator import Accumulator, fold_of
from asyncdemo.render.timeline.curves import Level, levels
from asyncdemo.render.timeline.grid import Grid, Shade
from asyncdemo.render.timeline.layout import Bar, ChartRow, extent_ns, open_ns
from asyncdemo.render.words import count, place
from asyncdemo.safe_text import clean

_MOST_APART = 4
"""The most pools of one line with separate sections."""

_NESTED = 16
"""The most nested calls to search for the one that held a connection."""


@dataclass(frozen=True, slots=True)
class PoolSection:
    """Pools: ``title`` is like "redis pool 2 of 3". ``where`` they were created, "" if unknown.

    ``rows``: a connection each, with bars that have no gaps, and say who held or opened it; there are none if
    it closed before the first row opened. ``limit`` is in words. ``queued``: how many, and since when.
    ``refused``: how many requests for a connection failed. ``folded``: connections without their own row;
    ``fold``: the most in one.
    """

    title: str
    limit: str
    where: str
    rows: tuple[ChartRow, ...]
    queued: tuple[Level, ...]
    refused: int = 0
    folded: int = 0
    fold: int = 1

    @property
    def about(self) -> str:
        return f"{self.limit}, {self.where}" if self.where else self.limit

    @property
    def most_queued(self) -> int:
        return max((level for _, level in self.queued), default=0)


def pool_sections(run: Run) -> tuple[PoolSection, ...]:
    """Return the pools that were used, in the order of creation, on the axis of the rows."""
    if not run.rows:
        return ()
    made: defaultdict[tuple[Site | None, str, int], list[Resource]] = defaultdict(list)
    pools = [resource for resource in run.resources if resource.kind is ResourceKind.POOL]
    waited = queueing(run) if pools else {}
    for pool in pools:
        if pool.connections or pool.refused or pool.index in waited:
            made[pool.site, pool.name, pool.process].append(pool)
    names = _Names(run)
    found: list[PoolSection] = []
    for (_, name, process), together in made.items():
        word = f"{name} pool" if name else "pool"
        of = f" of process {process}" if process else ""
        if len(together) > _MOST_APART:
            title = f"{count(len(together), word)}{of}"
            found.append(_section(run, together, title, waited, names))
            continue
        for number, pool in enumerate(together, start=1):
            which = f" {number} of {len(together)}" if len(together) > 1 else ""
            found.append(_section(run, [pool], f"{word}{which}{of}", waited, names))
    return tuple(found)


def holder_names(who: str) -> Iterator[str]:
    """Yield the names for a stretch, the longest first: "GET /films/7/ 12", "12"."""
    name = clean(who)
    if name:
        yield name
    number = re.search(r"[ (]([^ ()]+)\)?$", name)
    if number:
        yield number[1]


def lay_out_pool(section: PoolSection, columns: int, column_ns: int, extent_ns: int, rows: int) -> Grid:
    """Return its connections on the axis of the rows above; those that don't fit are folded."""
    drawn = [row for row in section.rows if row.bars]
    cells = Accumulator(columns + 2 - columns % 2, column_ns, rows, fold_of(len(drawn), rows))
    last_ns = columns * column_ns - 1
    for index, row in enumerate(drawn):
        opened = min(row.bars[0].start_ns, last_ns)
        cells.lane_opened(index, opened, row.bars[0].shade)
        for stretch in row.bars:
            cells.lane_changed(index, min(stretch.start_ns, last_ns), stretch.shade)
        cells.lane_closed(index, min(row.bars[-1].end_ns, last_ns + 1), opened)
    grid = cells.grid(columns, rows, column_ns, extent_ns, [row.label for row in drawn])
    return replace(grid, noun="connection")


def _section(
    run: Run, pools: Sequence[Resource], title: str, waited: Mapping[int, Sequence[Slot]], names: _Names
) -> PoolSection:
    zero, until = open_ns(run), open_ns(run) + extent_ns(run)
    limit = pools[0].limit
    limited = (f"limit {limit:,}" if limit is not None else "no limit") + (" each" if len(pools) > 1 else "")
    where = place(pools[0].site)
    word = pools[0].name or "connection"
    rows = []
    opened = sorted((one for pool in pools for one in pool.connections), key=lambda one: one.opened_ns)
    for number, connection in enumerate(opened, start=1):
        stretches = _clipped(_stretches(connection, until, names), zero, until)
        rows.append(ChartRow(f"{word} {number:,}", 1, bars=tuple(stretches)))
    queued = (one for pool in pools for one in waited.get(pool.index, ()))
    waiting = tuple((max(at - zero, 0), level) for at, level in levels(queued))
    refused = sum(len(pool.refused) for pool in pools)
    return PoolSection(title, limited, f"made at {where}" if where else "", tuple(rows), waiting, refused)


def _stretches(connection: Connection, until: int, names: _Names) -> Iterator[Bar]:
    end = until if connection.closed_ns is None else connection.closed_ns
    at = min(end if connection.ready_ns is None else connection.ready_ns, end)
    opener = "" if connection.track is None else names.of(connection.track, connection.opened_ns)
    yield Bar(connection.opened_ns, at, Shade.OPENING, opener)
    for use in connection.uses:
        start, stop = min(max(use.start_ns, at), end), min(max(use.end_ns, at), end)
        if start > at:
            yield Bar(at, start, Shade.IDLE)
        yield Bar(start, stop, Shade.HELD, names.of(use.track, use.start_ns))
        at = stop
    if end > at:
        yield Bar(at, end, Shade.IDLE)


def _clipped(stretches: Iterable[Bar], zero: int, until: int) -> Iterator[Bar]:
    """Yield the parts during which rows are open, on their axis."""
    for stretch in stretches:
        start, end = max(stretch.start_ns, zero), min(stretch.end_ns, until)
        if start < end or (start == end and stretch.start_ns == stretch.end_ns):
            yield stretch._replace(start_ns=start - zero, end_ns=end - zero)


class _Names:
    """What a track was working on: its request or lane, or one of its ancestors'; else the track's name."""

    def __init__(self, run: Run) -> None:
        self._tracks = run.tracks
        self._rows: defaultdict[int, list[tuple[int, int, str]]] = defaultdict(list)
        for row in run.rows:
            if row.track is not None:
                self._rows[row.track].append((_begun_ns(row), row.end_ns, row.name))
        for rows in self._rows.values():
            rows.sort()

    def of(self, track: int, at_ns: int) -> str:
        for one in lineage(self._tracks, track):
            if name := self._at(one.index, at_ns):
                return name
        return self._tracks[track].name if 0 <= track < len(self._tracks) else ""

    def _at(self, track: int, at_ns: int) -> str:
        rows = self._rows.get(track, ())
        last = bisect_right(rows, at_ns, key=itemgetter(0)) - 1
        for start, end, name in (rows[index] for index in range(last, max(last - _NESTED, -1), -1)):
            if start <= at_ns <= end:
                return name
        return ""


def _begun_ns(row: Lane | Request) -> int:
    return row.handled_ns if isinstance(row, Request) and row.handled_ns is not None else row.start_ns
