"""Parse the lines of a run file. Strict: an error names the line of an invalid record."""

from __future__ import annotations

import json
import re
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, NoReturn

from asyncdemo.errors import RunFileError
from asyncdemo.model import (
    Connection,
    Gap,
    Lane,
    MemorySample,
    Request,
    Resource,
    ResourceKind,
    Run,
    Slot,
    Spans,
    Track,
    Wait,
    Wake,
)
from asyncdemo.model.fields import FieldError, read, time
from asyncdemo.store.encode import FORMAT, LISTS
from asyncdemo.store.limits import Size
from asyncdemo.store.resolve import AS_ITS_TRACK, Tables, resolve_run

Record = Mapping[str, Any]

_LONGEST_TEXT = 2_000
"""As in ``capture.wire``."""
_WHOLE_TEXTS = {"states", "result"}


def loads(lines: Iterable[str | bytes], name: str = "the file") -> Run:
    """Return the run from the lines of its file.

    Args:
        lines: The lines; line ends do not matter.
        name: What to call the file in messages.

    Raises:
        RunFileError: If they are not a recorded run that this version can read, or too much.
    """
    bare: Run | None = None
    tables: Tables = defaultdict(dict)
    records = cut = 0
    size = Size(name)

    def fail(what: str, line: int) -> NoReturn:
        raise RunFileError(f"{name} is not a recorded run: line {line}: {what}.")

    for number, line in enumerate(lines, 1):
        size.add(line, number)
        if cut:
            fail("is not a record", cut)
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            record = None
        if len(line) > _LONGEST_TEXT:
            record = _shortened(record)
        try:
            if bare is None:
                bare = _header(record, name)
            elif not isinstance(record, dict):
                cut = number  # fine if nothing follows
                continue
            else:
                _gather(record, tables)
        except FieldError as error:
            fail(str(error), number)
        records += record.get("type") != "end"
    if bare is None:
        raise RunFileError(f"{name} is empty: no run was recorded in it.")
    try:
        return resolve_run(bare, tables, records, was_cut=cut > 0)
    except FieldError as error:
        raise RunFileError(f"{name} is not a recorded run: {error}.") from error


def _shortened(value: Any) -> Any:
    """Cut names and messages as they are cut when they arrive from a script, but no columns or results."""
    if isinstance(value, str):
        return value[:_LONGEST_TEXT]
    if isinstance(value, dict):
        items = [(key, item if key in _WHOLE_TEXTS else _shortened(item)) for key, item in value.items()]
        return {key[:_LONGEST_TEXT]: item for key, item in items}
    if isinstance(value, list) and value and type(value[0]) is not int:
        return [_shortened(item) for item in value]
    return value


def _header(record: object, name: str) -> Run:
    found = record.get("format") if isinstance(record, dict) else None
    if re.fullmatch(r"asyncdemo\.run/\d{1,9}", str(found)) is None:
        raise FieldError("is not the header of a recorded run")
    if found != FORMAT:
        raise RunFileError(
            f"{name} has the format {found}, and this asyncdemo reads {FORMAT}. "
            "Update asyncdemo, or record the run again with this version."
        )
    return read(Run, record, tracks=(), lanes=())


def _gather(record: Record, tables: Tables) -> None:
    """Put what the record holds into its table; skip an unknown type."""
    record_type = record.get("type")
    if not isinstance(record_type, str):
        raise FieldError('"type" is missing')
    kind = _KINDS.get(record_type)
    if kind is None:
        return
    item = kind.parse(record)
    keys = [time(key, record.get(key)) for key in kind.keys]
    table = tables[record_type, *keys[:-1]]
    place = keys[-1] if keys else len(table)
    if place in table:
        raise FieldError(f"repeats {record_type} {place}")
    table[place] = item


def _row(kind: type[Track | Lane | Request], record: Record) -> Track | Lane | Request:
    """The waits of its spans are indices of causes in the file."""
    shown = kind is Lane and "starts" not in record
    row = read(kind, record, spans=AS_ITS_TRACK if shown else _spans(record))
    _check_times(row.start_ns, row.end_ns)
    return row


def _spans(record: Record) -> Spans:
    starts, causes = _times("starts", record), _integers("causes", record)
    states = record.get("states")
    if not isinstance(states, str) or re.fullmatch("[0-4]*", states, re.ASCII) is None:
        raise FieldError('"states" should be digits from 0 to 4')
    end_ns = time("closed", record.get("closed"))
    _check_equally_long(starts, states, causes)
    if any(later < earlier for earlier, later in pairwise(starts)):
        raise FieldError('"starts" should not go back in time')
    if starts and end_ns < starts[-1]:
        raise FieldError('"closed" should not be before the last start')
    return Spans(array("q", starts), array("B", map(int, states)), array("q", causes), end_ns, ())


def _resource(record: Record) -> Resource:
    resource = read(Resource, record, slots=(), queue=(), refused=(), connections=())
    if resource.kind is not ResourceKind.QUEUE and resource.levels:
        raise FieldError('only a queue has "levels"')
    return resource


def _connection(record: Record) -> Connection:
    connection = read(Connection, record, uses=())
    for name, at in (("ready_ns", connection.ready_ns), ("closed_ns", connection.closed_ns)):
        if at is not None and at < connection.opened_ns:
            raise FieldError(f'"{name}" should not be before "opened_ns"')
    return connection


def _slots(record: Record) -> list[Slot]:
    starts, lengths = _times("starts", record), _integers("lengths", record)
    tracks = _integers("tracks", record)
    _check_equally_long(starts, tracks, lengths)
    if min(lengths, default=0) < 0:
        raise FieldError('"lengths" should not be negative')
    ends = _in_range("lengths", [start + length for start, length in zip(starts, lengths, strict=True)])
    return [Slot(*slot) for slot in zip(tracks, starts, ends, strict=True)]


def _wakes(record: Record) -> list[Wake]:
    columns = _times("times", record), _integers("wakers", record), _integers("woken", record)
    _check_equally_long(*columns)
    return [Wake(*wake) for wake in zip(*columns, strict=True)]


def _memory(record: Record) -> list[MemorySample]:
    columns = [_integers(name, record) for name in ("resident", "virtual", "threads")]
    columns.insert(0, _times("times", record))
    _check_equally_long(*columns)
    return [MemorySample(*sample) for sample in zip(*columns, strict=True)]


def _gap(record: Record) -> Gap:
    gap = read(Gap, record)
    _check_times(gap.start_ns, gap.end_ns)
    return gap


def _end(record: Record) -> int:
    return time("records", record.get("records"))


class _Kind(NamedTuple):
    """A type of records. ``keys`` are the fields that say where one belongs, its own place last."""

    parse: Callable[[Record], Any]
    keys: tuple[str, ...] = ("index",)


_KINDS: dict[str, _Kind] = {
    "cause": _Kind(partial(read, Wait)),
    "track": _Kind(partial(_row, Track)),
    "lane": _Kind(partial(_row, Lane)),
    "request": _Kind(partial(_row, Request)),
    "resource": _Kind(_resource),
    "slots": _Kind(_slots, ("resource", "first")),
    "queued": _Kind(_slots, ("resource", "first")),
    "refused": _Kind(_slots, ("resource", "first")),
    "connection": _Kind(_connection, ("resource", "index")),
    "uses": _Kind(_slots, ("resource", "connection", "first")),
    "wakes": _Kind(_wakes, ("first",)),
    "memory": _Kind(_memory, ("first",)),
    **{record_type: _Kind(partial(read, kind), ()) for record_type, (_, kind) in LISTS.items()},
    "gap": _Kind(_gap, ()),
    "end": _Kind(_end, ()),
}


def _times(name: str, record: Record) -> list[int]:
    """Return a column of times from its differences."""
    return _in_range(name, list(accumulate(_integers(name, record))))


def _integers(name: str, record: Record) -> list[int]:
    value = record.get(name)
    if not isinstance(value, list) or set(map(type, value)) - {int}:
        raise FieldError(f'"{name}" should be a list of integers')
    return _in_range(name, value)


def _in_range(name: str, numbers: list[int]) -> list[int]:
    if numbers:
        time(name, min(numbers))
        time(name, max(numbers))
    return numbers


def _check_equally_long(*columns: Sequence[int] | str) -> None:
    if len(set(map(len, columns))) > 1:
        raise FieldError("its columns differ in length")


def _check_times(start_ns: int, end_ns: int) -> None:
    if end_ns < start_ns:
        raise FieldError('"end_ns" should not be before "start_ns"')
