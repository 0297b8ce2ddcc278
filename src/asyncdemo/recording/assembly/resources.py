"""Locks, queues, pools and executors: who holds and who queues for them, their connections and work items.

Indices are those of the traced processes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, assert_never

from asyncdemo.analysis.awaits import assigned_names
from asyncdemo.bounded import source_lines
from asyncdemo.capture import wire
from asyncdemo.model import Connection, PoolWords, Resource, ResourceKind, Site, Slot, State, TrackKind
from asyncdemo.recording.assembly.records import Held, Outline, ProcessRecord
from asyncdemo.recording.assembly.tracks import Tracks


@dataclass(slots=True)
class ResourceRecord:
    """All after ``process`` is only known of a pool."""

    kind: ResourceKind
    limit: int | None
    site: Site | None
    process: ProcessRecord
    name: str = ""
    words: PoolWords = field(default_factory=PoolWords)
    made_by: int | None = None
    made_ns: int | None = None
    closed_ns: int | None = None
    connections: list[int] = field(default_factory=list)
    refused: list[Held] = field(default_factory=list)
    """Requests for a connection that failed."""


@dataclass(slots=True)
class Item:
    """A work item of an executor. ``worker`` is the track of the thread that has taken it."""

    resource: int | None
    submitter: int
    queued_ns: int
    worker: int | None = None
    started_ns: int | None = None
    done_ns: int | None = None


class Resources:
    def __init__(self, tracks: Tracks) -> None:
        self._tracks = tracks
        tracks.window.forgets.append(self._forget_before)
        self.records: dict[int, ResourceRecord] = {}
        self._connections: dict[int, Connection] = {}
        """Of pools; without their uses."""
        self._slots: defaultdict[int, list[Held]] = defaultdict(list)
        self.held: defaultdict[int, list[Held]] = defaultdict(list)
        """Those of them that have not been given back."""
        self._levels: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        self.items: dict[int, Item] = {}

    def handle(self, message: wire.ResourceMessage) -> None:
        match message:
            case wire.Resource(index, kind, limit, site):
                process = self._tracks.script.process
                place = self._tracks.site(site)
                self.records[index] = ResourceRecord(ResourceKind(kind), limit, place, process)
            case wire.Pool():
                pool = self.records[message.resource]
                pool.name, pool.made_by, pool.made_ns = message.name, message.track, message.at_ns
                pool.words = PoolWords(*message[4:])
            case wire.PoolClosed(index, at_ns):
                self.records[index].closed_ns = at_ns
            case wire.PoolRefused(index, track, asked_ns, at_ns):
                self.records[index].refused.append(Held(track, asked_ns, at_ns))
            case wire.Connection(connection, index, track, at_ns):
                self.records[index].connections.append(connection)
                self._connections[connection] = Connection(at_ns, track=track)
            case wire.ConnectionReady(connection, at_ns):
                self._change(connection, ready_ns=at_ns)
            case wire.ConnectionReturned(connection):
                self._change(connection, kept=False)
            case wire.ConnectionClosed(connection, at_ns, held, dropped):
                # if it was in use then, it may still be given back
                self._change(connection, closed_ns=at_ns, kept=held, dropped=dropped)
            case _:
                assert_never(message)

    def _change(self, connection: int, **changes: Any) -> None:
        self._connections[connection] = replace(self._connections[connection], **changes)

    # -- numbers --------------------------------------------------------------------------------

    def on_taken(self, index: int, at_ns: int, resource: int, connection: int, site: int) -> None:
        held = Held(index, at_ns, None, connection - 1 if connection else None, site - 1 if site else None)
        self._slots[resource].append(held)
        self.held[resource].append(held)
        track = self._tracks.records.get(index)
        growing = None if track is None else track.spans.state
        if track is None or growing is None or track.kind is not TrackKind.TASK or connection:
            return  # a pool hands nothing over: a woken task looks for a connection itself
        if growing[1] is State.QUEUED and self._tracks.causes[growing[2]].resource == resource:
            track.handed.append(held)

    def on_given_back(self, index: int, at_ns: int, resource: int, connection: int, *_: int) -> None:
        """Close the slot of the track, or else of its child task, or else the one held longest.

        For a pool, the connection identifies the slot.
        """
        open_slots = self.held[resource]
        candidates = (
            [h for h in open_slots if h.connection == connection - 1][:1] if connection else open_slots
        )
        held = next((h for h in candidates if h.track == index), None)
        if held is None:
            held = next((h for h in candidates if self._parent(h.track) == index), None)
            if held is not None:
                held.track = index  # before 3.12, wait_for takes it in its own task
        if held is None and candidates:
            held = candidates[0]
        if held is not None:
            held.end_ns = at_ns
            open_slots.remove(held)

    def _parent(self, index: int) -> int | None:
        track = self._tracks.records.get(index)
        return None if track is None else track.parent

    def on_level(self, resource: int, at_ns: int, length: int, *_: int) -> None:
        self._levels[resource].append((at_ns, length))

    def on_item_queued(self, item: int, at_ns: int, resource: int, submitter: int, *_: int) -> None:
        self.items[item] = Item(resource, submitter, at_ns)

    def on_item_started(self, item: int, at_ns: int, worker: int, *_: int) -> None:
        if item in self.items:
            self.items[item].started_ns = at_ns
            self.items[item].worker = worker

    def on_item_done(self, item: int, at_ns: int, *_: int) -> None:
        if item in self.items:
            self.items[item].done_ns = at_ns

    # -- what a run has of it -------------------------------------------------------------------

    def _forget_before(self, at_ns: int) -> None:
        for slots in self._slots.values():
            slots[:] = [held for held in slots if held.end_ns is None or held.end_ns >= at_ns]
        for levels in self._levels.values():
            before = sum(at < at_ns for at, _ in levels)
            del levels[: max(before - 1, 0)]  # the last of them still held at that time
        for number, item in list(self.items.items()):
            if item.done_ns is not None and item.done_ns < at_ns:
                del self.items[number]

    def places(self) -> dict[int, int]:
        """Return resource -> its index in the run."""
        return {index: place for place, index in enumerate(sorted(self.records))}

    def started_items(self) -> dict[int, Item]:
        """Return the items, those of process pools with an estimated start, which is not reported.

        They start in order, one per worker.
        """
        items = {index: replace(item) for index, item in self.items.items()}
        by_pool: defaultdict[int, list[Item]] = defaultdict(list)
        for item in items.values():
            if item.started_ns is None and item.done_ns is not None and item.resource is not None:
                by_pool[item.resource].append(item)
        for resource, waiting in by_pool.items():
            free = [0] * (self.records[resource].limit or len(waiting))
            for item in sorted(waiting, key=lambda i: i.queued_ns):
                assert item.done_ns is not None
                worker = min(range(len(free)), key=free.__getitem__)
                item.started_ns = min(max(item.queued_ns, free[worker]), item.done_ns)
                free[worker] = item.done_ns
        return items

    def snapshot(
        self, outline: Outline, items: Mapping[int, Item], *, labelled: bool
    ) -> tuple[Resource, ...]:
        """Return the resources. ``labelled``: with their names in the source, which is read only then."""
        slots = {index: list(self._shown(outline, self._slots[index])) for index in outline.resources}
        queues: defaultdict[int, list[Slot]] = defaultdict(list)
        for item in items.values():
            submitter = outline.track(item.submitter)
            if item.resource is None or submitter is None:
                continue
            stop_ns = item.done_ns if item.done_ns is not None else self._end_of(outline, item.submitter)
            started_ns = item.started_ns if item.started_ns is not None else stop_ns
            if started_ns > item.queued_ns:
                queues[item.resource].append(Slot(submitter, item.queued_ns, started_ns))
            if item.started_ns is not None and item.resource in slots:
                slots[item.resource].append(Slot(submitter, item.started_ns, stop_ns))
        uses: defaultdict[int | None, list[Held]] = defaultdict(list)
        for held in (held for taken in self._slots.values() for held in taken):
            uses[held.connection].append(held)
        labels = self._labels() if labelled else {}
        return tuple(
            Resource(
                place,
                known.kind,
                known.limit,
                known.site,
                tuple(slots[index]),
                tuple(self._levels[index]),
                tuple(queues[index]),
                name=known.name,
                words=known.words,
                connections=tuple(self._shown_connections(outline, known, uses)),
                process=known.process.number,
                refused=tuple(self._shown(outline, known.refused)),
                made_ns=known.made_ns,
                made_by=outline.track(known.made_by),
                closed_ns=known.closed_ns,
                label=labels.get(index, ""),
            )
            for index, place in outline.resources.items()
            for known in (self.records[index],)
        )

    def _shown_connections(
        self, outline: Outline, pool: ResourceRecord, uses: Mapping[int | None, Sequence[Held]]
    ) -> Iterator[Connection]:
        """Yield the connections of a pool in the order in which they were opened. ``uses`` by connection."""
        connections = self._connections
        for index in sorted(pool.connections, key=lambda index: (connections[index].opened_ns, index)):
            known, its_uses = connections[index], uses.get(index, ())
            yield replace(
                known,
                track=outline.track(known.track),
                uses=tuple(self._shown(outline, its_uses)),
                kept=known.kept or any(use.end_ns is None for use in its_uses),
            )

    def _shown(self, outline: Outline, taken: Iterable[Held]) -> Iterator[Slot]:
        order = outline.tracks
        for held in taken:
            if held.track in order:
                end_ns = self._end_of(outline, held.track) if held.end_ns is None else held.end_ns
                yield Slot(order[held.track], held.start_ns, max(held.start_ns, end_ns))

    def _end_of(self, outline: Outline, track: int) -> int:
        return outline.ends[self._tracks.records[track].process.number]

    def _labels(self) -> dict[int, str]:
        names: dict[str, dict[int, tuple[str, ...]]] = {}
        made: Counter[Site] = Counter()
        labels: dict[int, str] = {}
        for index, known in sorted(self.records.items()):
            site = known.site
            if site is None or site.installed:
                continue
            if site.file not in names:
                names[site.file] = assigned_names("".join(source_lines(site.file)))
            candidates = names[site.file].get(site.line, ("",))
            labels[index] = candidates[made[site] % len(candidates)]
            made[site] += 1
        return labels
