"""Who had not ended at one moment, and who held what: as reported by the traced process, and as recorded.

Indices are those of the traced process until ``snapshot``. Not here: what follows from it (see ``diagnose``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from asyncdemo.model import NO_WAIT, Holding, State, Stuck
from asyncdemo.recording.assembly.ledger import Ledger
from asyncdemo.recording.assembly.records import Held, Item, ProcessRecord

_MOST = 200
"""The same as in ``capture.blocking.stuck``."""


def told(
    ledger: Ledger, process: ProcessRecord, who: Sequence[Sequence[Any]], cause_of: Callable[[int], int]
) -> list[tuple[Stuck, int | None]]:
    """Return (who had not ended, cause of the blocking call that it was in), as reported by a process."""
    return [
        (
            Stuck(
                process.label(name),
                function,
                ledger.site(site),
                source,
                State(state),
                _index(track),
                reason,
                _index(resource),
                tuple(map(int, on)),
                _index(unfinished),
            ),
            None if wait is None else cause_of(wait),
        )
        for name, function, site, source, state, track, wait, reason, resource, on, unfinished in who
    ]


def _index(value: Any) -> int | None:
    return None if value is None else int(value)


def completed(ledger: Ledger, who: Sequence[tuple[Stuck, int | None]]) -> list[Stuck]:
    """Add what was recorded of their waits, once the numbers have reached the same moment."""
    return [_completed(ledger, one, cause) for one, cause in who]


def _completed(ledger: Ledger, one: Stuck, cause: int | None) -> Stuck:
    track = None if one.track is None else ledger.tracks.get(one.track)
    state = one.state
    if cause is None and state is State.WAITING and track is not None and track.spans.state is not None:
        _, spent, waiting_for = track.spans.state
        if spent in (State.WAITING, State.QUEUED):
            state, cause = spent, waiting_for
    wait = NO_WAIT if cause is None else ledger.causes[cause]
    one = replace(
        one,
        state=state,
        site=one.site or wait.site,
        reason=wait.reason or one.reason,
        resource=wait.resource if one.resource is None else one.resource,
        on=one.on or (() if wait.on is None else (wait.on,)),
    )
    item = None if cause is None else ledger.items.get(ledger.item_waits.get(cause, -1))
    return one if item is None else _at_work_item(ledger, one, item)


def _at_work_item(ledger: Ledger, one: Stuck, item: Item) -> Stuck:
    """Make it wait for the worker of the item or, if there is none yet, for one of the busy workers."""
    if item.worker is not None:
        return replace(one, on=(item.worker,))
    busy = {
        other.worker
        for other in ledger.items.values()
        if other.resource == item.resource and other.worker is not None and other.done_ns is None
    }
    if not busy:
        return one
    return replace(one, reason="executor", resource=item.resource, on=tuple(sorted(busy)))


def own_record(ledger: Ledger, process: ProcessRecord) -> list[Stuck]:
    """Return what was recorded of those that have not ended, for a process that does not answer."""
    begun = {step.track: step for step in ledger.begun.values()}
    found: list[Stuck] = []
    for index, track in ledger.tracks.items():
        growing = track.spans.state
        over = track.closed_ns is not None or track.own or track.hosts_loop
        if over or growing is None or track.process is not process or len(found) >= _MOST:
            continue
        _, state, cause = growing
        step = begun.get(index)
        site = None if step is None else step.called_from or step.site
        bare = Stuck(
            process.label(track.name),
            track.function,
            site,
            state=State.RUNNING if step is not None else state,
            track=index,
            reason="" if step is None else step.reason,
        )
        found.append(bare if step is not None else _completed(ledger, bare, cause))
    return found


def holdings(ledger: Ledger, process: ProcessRecord, held: Mapping[int, Sequence[Held]]) -> list[Holding]:
    """Return what has been taken in that process and not given back."""
    return [
        Holding(one.track, resource, ledger.site(one.site))
        for resource, taken in held.items()
        if (record := ledger.resources.get(resource)) is not None and record.process is process
        for one in taken
    ]


def placed(
    ledger: Ledger, order: Mapping[int, int], resources: Mapping[int, int]
) -> tuple[tuple[Stuck, ...], tuple[Holding, ...]]:
    """Return both with the indices that tracks and resources have in the run."""
    stuck = tuple(
        replace(
            one,
            track=None if one.track is None else order.get(one.track),
            resource=None if one.resource is None else resources.get(one.resource),
            on=tuple(order[track] for track in one.on if track in order),
        )
        for _, found in sorted(ledger.stuck.items())
        for one in found
    )
    held = tuple(
        Holding(order[one.track], resources[one.resource], one.site)
        for _, found in sorted(ledger.holdings.items())
        for one in found
        if one.track in order and one.resource in resources
    )
    return stuck, held
