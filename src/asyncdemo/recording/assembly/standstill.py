"""Who had not ended at one moment, and who held what: as reported by the traced process, and as recorded.

Indices are those of the traced processes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from asyncdemo.bounded import source_line
from asyncdemo.capture import wire
from asyncdemo.model import MOST_STUCK, NO_WAIT, Holding, Site, State, Stuck
from asyncdemo.recording.assembly.holdups import Holdups
from asyncdemo.recording.assembly.records import Outline, ProcessRecord
from asyncdemo.recording.assembly.resources import Item, Resources
from asyncdemo.recording.assembly.tracks import Tracks


class Standstill:
    """All tables are by process."""

    def __init__(self, tracks: Tracks, resources: Resources, holdups: Holdups) -> None:
        self._tracks = tracks
        self._resources = resources
        self._holdups = holdups
        self._answers: dict[int, wire.Stuck] = {}
        """Reported ahead of the numbers of that moment."""
        self._stuck: dict[int, list[Stuck]] = {}
        """For those that have answered."""
        self._holdings: dict[int, list[Holding]] = {}
        """Who held what when it answered."""

    @property
    def is_known(self) -> bool:
        """Whether all processes have reported who has not ended."""
        processes = self._tracks.script.processes.values()
        return all(process.gone or process.number in self._stuck for process in processes)

    def clear(self) -> None:
        """Drop these reports: the processes continued, or are asked again."""
        self._stuck.clear()
        self._holdings.clear()

    def fill_in(self) -> None:
        """For processes that have not answered, use what was recorded."""
        for number, process in self._tracks.script.processes.items():
            if not process.gone and number not in self._stuck:
                self._stuck[number] = self._recorded(process)
                self._holdings[number] = self._held_in(process)

    def handle(self, message: wire.Stuck) -> None:
        """Keep it: what they were doing is known once the numbers have reached that moment."""
        self._answers[self._tracks.script.process.number] = message

    def on_stuck(self, at_ns: int, *_: int) -> None:
        process = self._tracks.script.process
        self._tracks.script.advance(process, at_ns)
        self._stuck[process.number] = list(self._reported(process, self._answers[process.number]))
        self._holdings[process.number] = self._held_in(process)

    def _reported(self, process: ProcessRecord, answer: wire.Stuck) -> Iterator[Stuck]:
        for name, function, site, source, state, track, wait, *more in answer.who:
            reason, resource, on, unfinished, at_most_s, refers_to = more
            stuck = Stuck(
                process.label(name),
                function,
                self._tracks.site(site),
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
            yield self._with_recorded_wait(stuck, None if wait is None else self._tracks.waits[wait][1])

    def _with_recorded_wait(self, stuck: Stuck, cause: int | None) -> Stuck:
        """Add what was recorded of its wait. ``cause`` is that of the blocking call that it is in."""
        track = None if stuck.track is None else self._tracks.records.get(stuck.track)
        state = stuck.state
        if cause is None and state is State.WAITING and track is not None and track.spans.state is not None:
            _, spent, waiting_for = track.spans.state
            if spent in (State.WAITING, State.QUEUED):
                state, cause = spent, waiting_for
        wait = NO_WAIT if cause is None else self._tracks.causes[cause]
        stuck = replace(
            stuck,
            state=state,
            site=stuck.site or wait.site,
            reason=wait.reason or stuck.reason,
            resource=wait.resource if stuck.resource is None else stuck.resource,
            on=stuck.on or (() if wait.on is None else (wait.on,)),
        )
        item = None if cause is None else self._resources.items.get(self._tracks.item_waits.get(cause, -1))
        return stuck if item is None else self._waiting_for_item(stuck, item)

    def _waiting_for_item(self, stuck: Stuck, item: Item) -> Stuck:
        """Make it wait for the item's worker or, if there is none yet, for one of the busy workers."""
        if item.worker is not None:
            return replace(stuck, on=(item.worker,))
        busy = {
            other.worker
            for other in self._resources.items.values()
            if other.resource == item.resource and other.worker is not None and other.done_ns is None
        }
        if not busy:
            return stuck
        return replace(stuck, reason="executor", resource=item.resource, on=tuple(sorted(busy)))

    def _recorded(self, process: ProcessRecord) -> list[Stuck]:
        """Return what was recorded of those that have not ended, for a process that does not answer."""
        begun = self._holdups.begun()
        found: list[Stuck] = []
        for index, track in self._tracks.records.items():
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
            found.append(bare if step is not None else self._with_recorded_wait(bare, cause))
        return found

    def _held_in(self, process: ProcessRecord) -> list[Holding]:
        """Return the slots that this process has taken and not released."""
        return [
            Holding(slot.track, resource, site := self._tracks.site(slot.site), _begins_block(site))
            for resource, slots in self._resources.held.items()
            if (record := self._resources.records.get(resource)) is not None and record.process is process
            for slot in slots
        ]

    # -- what a run has of it -------------------------------------------------------------------

    def stuck(self, outline: Outline) -> tuple[Stuck, ...]:
        order = outline.tracks
        return tuple(
            replace(
                stuck,
                track=outline.track(stuck.track),
                resource=outline.resource(stuck.resource),
                on=tuple(order[track] for track in stuck.on if track in order),
                refers_to=tuple(order[track] for track in stuck.refers_to if track in order),
            )
            for _, found in sorted(self._stuck.items())
            for stuck in found
        )

    def holdings(self, outline: Outline) -> tuple[Holding, ...]:
        order, places = outline.tracks, outline.resources
        return tuple(
            replace(holding, track=order[holding.track], resource=places[holding.resource])
            for _, found in sorted(self._holdings.items())
            for holding in found
            if holding.track in order and holding.resource in places
        )

    @property
    def idle(self) -> bool:
        """Whether nothing was outstanding in any event loop, and no process handled a signal."""
        return all(number in self._answers and self._answers[number].idle for number in self._stuck)

    @property
    def alarms(self) -> bool:
        """Whether a timer was set that may do anything, as far as is known."""
        return any(number not in self._answers or self._answers[number].alarms for number in self._stuck)


def _begins_block(site: Site | None) -> bool:
    line = "" if site is None else source_line(site.file, site.line)
    return line.split(maxsplit=2)[:1] == ["with"] or line.split(maxsplit=2)[:2] == ["async", "with"]
