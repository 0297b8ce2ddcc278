"""What a report has below its rows: titles, each with terms and their words.

Not for: the rows (``folding``), or how any of it is laid out.
"""

from __future__ import annotations

from collections.abc import Iterator

from asyncdemo.lab.results.record import Record
from asyncdemo.render.lab.percentiles import percentile_blocks
from asyncdemo.render.lab.report_text import commands, machine, method, not_there, remarks, twins

__all__ = ["Block", "blocks"]

Block = tuple[str, list[tuple[str, str]]]


def blocks(record: Record) -> Iterator[Block]:
    """Those that have something to say. A line without a term goes on with the one above it."""
    every: tuple[Block, ...] = (
        ("Equal arms (A/A): the ratio should be 1", [*twins(record)]),
        *percentile_blocks(record),
        ("Not to be had", [*not_there(record)]),
        ("How it was measured", [*method(record)]),
        ("The machine", [*machine(record)]),
        ("The contestants", [*_contestants(record)]),
        ("To be known", [("", words) for words in remarks(record)]),
    )
    return ((title, pairs) for title, pairs in every if pairs)


def _contestants(record: Record) -> Iterator[tuple[str, str]]:
    for arm in record.arms:
        if arm.twin_of:
            yield arm.title, f"the same as {record.arm(arm.twin_of).title}"
            continue
        versions = ", ".join(f"{name} {version}" for name, version in arm.versions.items())
        notes = (note.rstrip(".") for note in arm.notes)
        yield arm.title, "; ".join(filter(None, (arm.model.value, versions, *notes)))
        for settings, command in commands(record, arm):
            yield "", f"{settings}: {command}" if settings else command
