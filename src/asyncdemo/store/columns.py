"""Columns of spans and times: as they are in a record, and as they are in the model."""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping, Sequence
from itertools import accumulate, islice
from operator import sub
from typing import Any

from asyncdemo.model import NO_WAIT, Spans, Wait
from asyncdemo.model.fields import FieldError, time

Record = Mapping[str, Any]


class CauseTable:
    """Causes by their index in the file, as one sequence that all spans share."""

    def __init__(self, causes: Mapping[int, Wait]) -> None:
        known = sorted(index for index in causes)
        self.causes = (NO_WAIT, *(causes[index] for index in known))
        self.places = {index: place for place, index in enumerate(known, 1)}


class SpanColumns:
    """The span columns of a record, checked."""

    def __init__(self, record: Record) -> None:
        self._starts = times("starts", record)
        states = record.get("states")
        if not isinstance(states, str) or re.fullmatch("[0-3]*", states, re.ASCII) is None:
            raise FieldError('"states" should be digits from 0 to 3')
        self._states = array("B", map(int, states))
        self._causes = integers("causes", record)
        self._end_ns = time("closed", record.get("closed"))
        check_equally_long(self._starts, self._states, self._causes)
        if any(later < earlier for earlier, later in zip(self._starts, self._starts[1:], strict=False)):
            raise FieldError('"starts" should not go back in time')
        if self._starts and self._end_ns < self._starts[-1]:
            raise FieldError('"closed" should not be before the last start')

    def spans(self, table: CauseTable) -> Spans:
        """Return the spans. A cause that is missing from the file becomes ``NO_WAIT``."""
        places = table.places
        waits = array("i", [places.get(cause, 0) for cause in self._causes])
        return Spans(self._starts, self._states, waits, self._end_ns, table.causes)


def times(name: str, record: Record) -> array[int]:
    """Return a column of times from its differences."""
    return array("q", in_range(name, list(accumulate(integers(name, record)))))


def integers(name: str, record: Record) -> list[int]:
    value = record.get(name)
    if not isinstance(value, list) or set(map(type, value)) - {int}:
        raise FieldError(f'"{name}" should be a list of integers')
    return value


def in_range(name: str, numbers: list[int]) -> list[int]:
    if numbers:
        time(name, min(numbers))
        time(name, max(numbers))
    return numbers


def check_equally_long(*columns: Sequence[int] | array[int]) -> None:
    if len(set(map(len, columns))) > 1:
        raise FieldError("its columns differ in length")


def differences(times: Sequence[int] | array[int]) -> list[int]:
    """Return the first time, and how much each later one differs from the one before it."""
    return [*times[:1], *map(sub, islice(times, 1, None), times)]
