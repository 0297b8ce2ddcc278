"""The report of a record as plain text: for a pipe, a log, a screen reader.

Sentences and figures only. Not for: what they say (``told``), or a terminal (``terminal``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from asyncdemo.lab.comparison import Comparison
from asyncdemo.lab.flags import Flag
from asyncdemo.lab.record import Record
from asyncdemo.render.lab.percentiles import percentile_blocks
from asyncdemo.render.lab.told import (
    commands,
    costs,
    groups,
    interval,
    machine,
    medians,
    method,
    not_there,
    published,
    remarks,
    run_words,
    times,
    twins,
    verdicts,
)
from asyncdemo.render.words import clean

__all__ = ["render_plain"]


def render_plain(record: Record, encoding: str = "utf-8") -> str:
    """The text, ending in a newline. encoding: of the stream; what it cannot hold is written as an escape."""
    lines = map(clean, _lines(record))
    text = "\n".join(lines) + "\n"
    return text.replace("×", "x").encode(encoding, "backslashreplace").decode(encoding)


def _lines(record: Record) -> Iterator[str]:
    yield f"{record.title}: {run_words(record)}"
    yield verdicts(record)
    yield from _flags(record.flags, "")
    for group in groups(record):
        yield ""
        yield f"{group.title} ({group.better}):"
        for row in group.rows:
            yield from _row(row)
    pairs = (f"{title}: {words}" for title, words in twins(record))
    yield from _block("Equal arms (A/A), whose ratio should be 1", pairs)
    for title, figures in percentile_blocks(record):
        yield from _block(title, (": ".join(filter(None, pair)) for pair in figures))
    yield from _block("Not to be had", (f"{name}: {words}" for name, words in not_there(record)))
    yield from _block("How it was measured", (f"{term}: {words}" for term, words in method(record)))
    yield from _block("The machine", (f"{term}: {words}" for term, words in machine(record)))
    yield from _block("The contestants", _contestants(record))
    yield from _block("To be known", remarks(record))


def _row(row: Comparison) -> Iterator[str]:
    """A line for each thing there is to say."""
    yield f"  {row.name}: {row.verdict.value if row.verdict else 'nothing is published'}"
    if row.published is not None:
        yield f"    published: {published(row)} ({row.published.words})"
    if row.bound is not None:
        yield f"    bound: {times(row.bound.ratio)} ({row.bound.words})"
    if row.measured is not None:
        yield f"    measured: {interval(row.measured)} in {len(row.measured.pairs)} rounds"
    if medians(row):
        yield f"    medians of both sides, of this machine: {medians(row)}"
    for words in row.differs:
        yield f"    differs: {words}"
    yield from _flags(row.flags, "    ")


def _flags(flags: Iterable[Flag], indent: str) -> Iterator[str]:
    for flag in flags:
        yield f"{indent}{flag.kind.value}: {' '.join(filter(None, (flag.words, costs(flag))))}"
        if flag.advice:
            yield f"{indent}  {flag.advice}"


def _contestants(record: Record) -> Iterator[str]:
    for arm in record.arms:
        versions = "".join(f", {name} {version}" for name, version in arm.versions.items())
        yield f"{arm.title}: {arm.model.value}{versions}"
        for setting, command in commands(record, arm):
            yield f"  {setting or 'command'}: {command}"
        for note in arm.notes:
            yield f"  {note}"


def _block(title: str, lines: Iterable[str]) -> Iterator[str]:
    told = list(lines)
    if told:
        yield ""
        yield f"{title}:"
        yield from (f"  {line}" for line in told)
