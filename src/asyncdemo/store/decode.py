"""Parse the lines of a run file. Strict: an error names the line of an invalid record.

Not here: what happens to references to missing records (see ``resolve``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

from asyncdemo.errors import RunFileError
from asyncdemo.model import (
    AwaitSequence,
    BlockingCall,
    Connection,
    Delay,
    Holding,
    Lane,
    MemorySample,
    Request,
    Resource,
    ResourceKind,
    Run,
    Slot,
    SlowStep,
    Spans,
    Stuck,
    SummedTasks,
    Track,
    Unawaited,
    Uncaught,
    Wait,
)
from asyncdemo.model.fields import FieldError, read, time
from asyncdemo.store.columns import SpanColumns, check_equally_long, in_range, integers, times
from asyncdemo.store.encode import FORMAT
from asyncdemo.store.resolve import Gathered, Record, Resolver

_LIST_ITEMS: dict[str, type[Any]] = {
    "slow_step": SlowStep,
    "blocking_call": BlockingCall,
    "await_sequence": AwaitSequence,
    "unawaited": Unawaited,
    "uncaught": Uncaught,
    "stuck": Stuck,
    "summed": SummedTasks,
    "holding": Holding,
    "delay": Delay,
}
_NO_SPANS = Spans.of(())


def loads(lines: Iterable[str | bytes], name: str = "the file") -> Run:
    """Return the run from the lines of its file.

    Args:
        lines: The lines; line ends do not matter.
        name: What to call the file in messages.

    Raises:
        RunFileError: If they are not a recorded run that this version can read.
    """
    reader = _Reader(name)
    for line in lines:
        reader.read_line(line)
    return Resolver(reader.gathered, name).run()


class _Reader:
    """Gathers records in any order."""

    def __init__(self, name: str) -> None:
        self.gathered = Gathered()
        self._name = name
        self._line = 0
        self._read: dict[str, Callable[[Record], None]] = {
            "cause": self._read_cause,
            "track": self._read_row,
            "lane": self._read_row,
            "request": self._read_row,
            "resource": self._read_resource,
            "slots": self._read_slots,
            "queued": self._read_slots,
            "refused": self._read_slots,
            "connection": self._read_connection,
            "uses": self._read_uses,
            "wakes": self._read_wakes,
            "memory": self._read_memory,
            "end": self._read_end,
        }

    def read_line(self, line: str | bytes) -> None:
        self._line += 1
        if self.gathered.cut is not None:
            self._fail("is not a record", self.gathered.cut)
        if not line.strip():
            return
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            record = None
        if not isinstance(record, dict):
            if self.gathered.header is None:
                self._fail("is not the header of a recorded run")
            self.gathered.cut = self._line  # fine if nothing follows
            return
        try:
            self._read_record(record)
        except FieldError as error:
            self._fail(str(error))

    def _read_record(self, record: Record) -> None:
        if self.gathered.header is None:
            self._read_header(record)
        else:
            kind = record.get("type")
            if not isinstance(kind, str):
                raise FieldError('"type" is missing')
            if kind in _LIST_ITEMS:
                item = read(_LIST_ITEMS[kind], record)
                if isinstance(item, SummedTasks):
                    _check_summed(item)
                self.gathered.lists[kind].append(item)
            elif kind in self._read:
                self._read[kind](record)
            if kind == "end":
                return
        self.gathered.records += 1

    def _read_header(self, record: Record) -> None:
        version = re.fullmatch(r"asyncdemo\.run/(\d{1,9})", str(record.get("format")))
        if version is None:
            raise FieldError("is not the header of a recorded run")
        if record["format"] != FORMAT:
            raise RunFileError(
                f"{self._name} has the format {record['format']}, and this asyncdemo reads {FORMAT}. "
                "Update asyncdemo, or record the run again with this version."
            )
        read(Run, record, tracks=(), lanes=())  # to fail now, at this line
        self.gathered.header = record

    def _read_cause(self, record: Record) -> None:
        self._once(self.gathered.causes, record, read(Wait, record))

    def _read_resource(self, record: Record) -> None:
        resource = read(Resource, record, slots=(), queue=(), refused=(), connections=())
        if resource.kind is not ResourceKind.QUEUE and resource.levels:
            raise FieldError('only a queue has "levels"')
        self._once(self.gathered.resources, record, resource)

    def _read_row(self, record: Record) -> None:
        kinds: dict[str, tuple[type[Track | Lane | Request], dict[int, Any]]] = {
            "track": (Track, self.gathered.tracks),
            "lane": (Lane, self.gathered.lanes),
            "request": (Request, self.gathered.requests),
        }
        kind, table = kinds[record["type"]]
        row = read(kind, record, spans=_NO_SPANS)
        _check_times(row.start_ns, row.end_ns)
        # A lane without columns shows what its track does.
        columns = None if kind is Lane and "starts" not in record else SpanColumns(record)
        self._once(table, record, (self._line, row, columns))

    def _read_slots(self, record: Record) -> None:
        tables = {
            "slots": self.gathered.slots,
            "queued": self.gathered.queued,
            "refused": self.gathered.refused,
        }
        table = tables[record["type"]][time("resource", record.get("resource"))]
        self._once(table, record, _slots(record), "first")

    def _read_connection(self, record: Record) -> None:
        connection = read(Connection, record, uses=())
        for name, at in (("ready_ns", connection.ready_ns), ("closed_ns", connection.closed_ns)):
            if at is not None and at < connection.opened_ns:
                raise FieldError(f'"{name}" should not be before "opened_ns"')
        pool = time("resource", record.get("resource"))
        self._once(self.gathered.connections[pool], record, connection)

    def _read_uses(self, record: Record) -> None:
        pool = time("resource", record.get("resource"))
        connection = time("connection", record.get("connection"))
        self._once(self.gathered.uses[pool, connection], record, _slots(record), "first")

    def _read_wakes(self, record: Record) -> None:
        at_ns = times("times", record)
        wakers, woken = integers("wakers", record), integers("woken", record)
        check_equally_long(at_ns, wakers, woken)
        self._once(self.gathered.wakes, record, list(zip(at_ns, wakers, woken, strict=True)), "first")

    def _read_memory(self, record: Record) -> None:
        at_ns = times("times", record)
        columns = [in_range(name, integers(name, record)) for name in ("resident", "virtual", "threads")]
        check_equally_long(at_ns, *columns)
        samples = [MemorySample(*sample) for sample in zip(at_ns, *columns, strict=True)]
        self._once(self.gathered.memory, record, samples, "first")

    def _read_end(self, record: Record) -> None:
        if self.gathered.expected is not None:
            raise FieldError("is a second end")
        self.gathered.expected = time("records", record.get("records"))

    def _once(self, table: dict[int, Any], record: Record, item: Any, key: str = "index") -> None:
        index = time(key, record.get(key))
        if index in table:
            raise FieldError(f"repeats {record['type']} {index}")
        table[index] = item

    def _fail(self, what: str, line: int | None = None) -> None:
        raise RunFileError(f"{self._name} is not a recorded run: line {line or self._line}: {what}.")


def _slots(record: Record) -> list[Slot]:
    starts = times("starts", record)
    tracks, lengths = integers("tracks", record), integers("lengths", record)
    check_equally_long(starts, tracks, lengths)
    if min(lengths, default=0) < 0:
        raise FieldError('"lengths" should not be negative')
    ends = in_range("lengths", [start + length for start, length in zip(starts, lengths, strict=True)])
    return [Slot(*slot) for slot in zip(tracks, starts, ends, strict=True)]


def _check_summed(tasks: SummedTasks) -> None:
    check_equally_long(tasks.starts_ns, tasks.ends_ns)
    if not tasks.starts_ns:
        raise FieldError('"starts_ns" should not be empty')
    for start_ns, end_ns in zip(tasks.starts_ns, tasks.ends_ns, strict=True):
        _check_times(start_ns, end_ns)


def _check_times(start_ns: int, end_ns: int) -> None:
    if end_ns < start_ns:
        raise FieldError('"end_ns" should not be before "start_ns"')
