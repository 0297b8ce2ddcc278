"""Who had not ended at one moment, and who held what: as reported by the traced process, and as recorded.

Indices are those of the traced process.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from asyncdemo.bounded import source_line
from asyncdemo.model import MOST_STUCK, NO_WAIT, Holding, Site, State, Stuck
from asyncdemo.recording.assembly.records import Item, ProcessRecord

if TYPE_CHECKING:
    from asyncdemo.recording.assembly.assembly import Assembly


def reported_stuck(assembly: Assembly, who: Sequence[Sequence[Any]]) -> list[tuple[Stuck, int | None]]:
    """Return (who had not ended, cause of the blocking call that it was in), as reported by a process."""
    found = []
    for fields in who:
        name, function, site, source, state, track, wait = fields[:7]
        reason, resource, on, unfinished, at_most_s, refers_to = fields[7:]
        stuck = Stuck(
            assembly.process.label(name),
            function,
            assembly.site(site),
            source,
            State(state),
            track,
            reason,
            resource,
            tuple(on),
            unfinished,
            at_most_s,
            tuple(refers_to),
        )
        found.append((stuck, None if wait is None else assembly.waits[wait][1]))
    return found


def with_recorded_wait(assembly: Assembly, stuck: Stuck, cause: int | None) -> Stuck:
    """Add what was recorded of its wait, once the numbers have reached the same moment."""
    track = None if stuck.track is None else assembly.tracks.get(stuck.track)
    state = stuck.state
    if cause is None and state is State.WAITING and track is not None and track.spans.state is not None:
        _, spent, waiting_for = track.spans.state
        if spent in (State.WAITING, State.QUEUED):
            state, cause = spent, waiting_for
    wait = NO_WAIT if cause is None else assembly.causes[cause]
    stuck = replace(
        stuck,
        state=state,
        site=stuck.site or wait.site,
        reason=wait.reason or stuck.reason,
        resource=wait.resource if stuck.resource is None else stuck.resource,
        on=stuck.on or (() if wait.on is None else (wait.on,)),
    )
    item = None if cause is None else assembly.items.get(assembly.item_waits.get(cause, -1))
    return stuck if item is None else _waiting_for_item(assembly, stuck, item)


def _waiting_for_item(assembly: Assembly, stuck: Stuck, item: Item) -> Stuck:
    """Make it wait for the item's worker or, if there is none yet, for one of the busy workers."""
    if item.worker is not None:
        return replace(stuck, on=(item.worker,))
    busy = {
        other.worker
        for other in assembly.items.values()
        if other.resource == item.resource and other.worker is not None and other.done_ns is None
    }
    if not busy:
        return stuck
    return replace(stuck, reason="executor", resource=item.resource, on=tuple(sorted(busy)))


def recorded_stuck(assembly: Assembly, process: ProcessRecord) -> list[Stuck]:
    """Return what was recorded of those that have not ended, for a process that does not answer."""
    begun = {step.track: step for step in assembly.begun.values()}
    found: list[Stuck] = []
    for index, track in assembly.tracks.items():
        growing = track.spans.state
        over = track.closed_ns is not None or track.own or track.hosts_loop
        if over or growing is None or track.process is not process or len(found) >= MOST_STUCK:
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
        found.append(bare if step is not None else with_recorded_wait(assembly, bare, cause))
    return found


def holdings(assembly: Assembly, process: ProcessRecord) -> list[Holding]:
    """Return the slots that this process has taken and not released."""
    return [
        Holding(slot.track, resource, site := assembly.site(slot.site), _begins_block(site))
        for resource, slots in assembly.held.items()
        if (record := assembly.resources.get(resource)) is not None and record.process is process
        for slot in slots
    ]


def _begins_block(site: Site | None) -> bool:
    line = "" if site is None else source_line(site.file, site.line)
    return line.split(maxsplit=2)[:1] == ["with"] or line.split(maxsplit=2)[:2] == ["async", "with"]
