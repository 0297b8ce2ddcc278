"""What a file holds, before its records are put together: by their indices, with the lines of some.

Not for: reading lines (``decode``), what becomes of references to what is missing (``resolve``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from asyncdemo.model import Connection, Lane, MemorySample, Request, Resource, Slot, Track, Wait
from asyncdemo.store.columns import SpanColumns
from asyncdemo.store.encode import LISTS

Record = Mapping[str, Any]

Chunks = dict[int, list[Slot]]
"""Parts of a column, by the place of their first item."""


@dataclass
class Gathered:
    """Keys are indices as the file has them; of connections and uses, that of the pool comes first.

    The first of a track or lane is the line that it stands on. wakes: (at_ns, waker, woken).
    records: how many there were. expected: how many the last one says there should be.
    cut: the line that is no record, if there is one.
    """

    header: Record | None = None
    causes: dict[int, Wait] = field(default_factory=dict)
    tracks: dict[int, tuple[int, Track, SpanColumns]] = field(default_factory=dict)
    lanes: dict[int, tuple[int, Lane, SpanColumns | None]] = field(default_factory=dict)
    requests: dict[int, tuple[Request, SpanColumns]] = field(default_factory=dict)
    resources: dict[int, Resource] = field(default_factory=dict)
    slots: defaultdict[int, Chunks] = field(default_factory=lambda: defaultdict(dict))
    queued: defaultdict[int, Chunks] = field(default_factory=lambda: defaultdict(dict))
    refused: defaultdict[int, Chunks] = field(default_factory=lambda: defaultdict(dict))
    connections: defaultdict[int, dict[int, Connection]] = field(default_factory=lambda: defaultdict(dict))
    uses: defaultdict[tuple[int, int], Chunks] = field(default_factory=lambda: defaultdict(dict))
    wakes: dict[int, list[tuple[int, int, int]]] = field(default_factory=dict)
    memory: dict[int, list[MemorySample]] = field(default_factory=dict)
    lists: dict[str, list[Any]] = field(default_factory=lambda: {kind: [] for kind in LISTS})
    records: int = 0
    expected: int | None = None
    cut: int | None = None
