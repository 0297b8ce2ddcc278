"""Connection pools while their events arrive, and what they come to in the run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from asyncdemo.model import Connection, Slot
from asyncdemo.recording.assembly.records import Held


@dataclass(slots=True)
class _Pool:
    name: str
    made_by: int
    made_ns: int
    closed_ns: int | None = None


@dataclass(slots=True)
class _Connection:
    pool: int
    track: int
    opened_ns: int
    ready_ns: int | None = None
    closed_ns: int | None = None
    kept: bool = False
    dropped: bool = False


@dataclass(slots=True)
class PoolRecords:
    """Indices are those of the traced process."""

    pools: dict[int, _Pool] = field(default_factory=dict)
    connections: dict[int, _Connection] = field(default_factory=dict)
    refusals: list[tuple[int, int, int, int]] = field(default_factory=list)
    """(pool, track, when it asked, when it was refused)."""

    # -- taking in ------------------------------------------------------------------------------

    def made(self, resource: int, name: str, track: int, at_ns: int) -> None:
        self.pools[resource] = _Pool(name, track, at_ns)

    def shut(self, resource: int, at_ns: int) -> None:
        self.pools[resource].closed_ns = at_ns

    def opening(self, index: int, resource: int, track: int, at_ns: int) -> None:
        self.connections[index] = _Connection(resource, track, at_ns)

    def ready(self, index: int, at_ns: int) -> None:
        self.connections[index].ready_ns = at_ns

    def closed(self, index: int, at_ns: int, held: bool, dropped: bool) -> None:
        """held: it was handed out then, and may yet be given back."""
        connection = self.connections[index]
        connection.closed_ns, connection.kept, connection.dropped = at_ns, held, dropped

    def returned(self, index: int) -> None:
        """It was given back after it had been closed."""
        self.connections[index].kept = False

    def refused(self, resource: int, track: int, asked_ns: int, at_ns: int) -> None:
        self.refusals.append((resource, track, asked_ns, at_ns))

    # -- what they come to ----------------------------------------------------------------------

    def name(self, resource: int) -> str:
        known = self.pools.get(resource)
        return "" if known is None else known.name

    def origin(self, resource: int, order: dict[int, int]) -> tuple[int | None, int | None]:
        """(when it was made, by which track)."""
        known = self.pools.get(resource)
        return (None, None) if known is None else (known.made_ns, order.get(known.made_by))

    def closed_ns(self, resource: int) -> int | None:
        known = self.pools.get(resource)
        return None if known is None else known.closed_ns

    def built(
        self, held: Iterable[Held], order: dict[int, int], end_of: Callable[[int], int]
    ) -> dict[int, tuple[Connection, ...]]:
        """The connections of each pool, in the order in which they were opened.

        held: the slots of all resources. order: track -> its place in the run. end_of: when what a
        track has not closed ended.
        """
        uses: defaultdict[int, list[Held]] = defaultdict(list)
        for one in held:
            if one.connection is not None:
                uses[one.connection].append(one)
        built: defaultdict[int, list[Connection]] = defaultdict(list)
        for index, known in sorted(self.connections.items(), key=lambda item: (item[1].opened_ns, item[0])):
            slots = [_slot(use, order, end_of) for use in uses[index] if use.track in order]
            built[known.pool].append(
                Connection(
                    known.opened_ns,
                    known.ready_ns,
                    known.closed_ns,
                    order.get(known.track),
                    tuple(slots),
                    known.kept or any(use.end_ns is None for use in uses[index]),
                    known.dropped,
                )
            )
        return {pool: tuple(connections) for pool, connections in built.items()}

    def refusals_of(self, order: dict[int, int]) -> dict[int, tuple[Slot, ...]]:
        found: defaultdict[int, list[Slot]] = defaultdict(list)
        for resource, track, asked_ns, at_ns in self.refusals:
            if track in order:
                found[resource].append(Slot(order[track], asked_ns, at_ns))
        return {resource: tuple(slots) for resource, slots in found.items()}


def _slot(use: Held, order: dict[int, int], end_of: Callable[[int], int]) -> Slot:
    end_ns = end_of(use.track) if use.end_ns is None else use.end_ns
    return Slot(order[use.track], use.start_ns, max(use.start_ns, end_ns))
