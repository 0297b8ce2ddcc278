"""What a report has below its rows: titles, each with terms and their words.

Not for: the rows (``folding``), curves (``spectrum_html``), or how any of it is laid out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from asyncdemo.errors import LabFileError, MissingError
from asyncdemo.lab.results.audit import number
from asyncdemo.lab.results.record import Record
from asyncdemo.render.lab.report_text import commands, machine, method, not_there, remarks, twins
from asyncdemo.render.lab.spectrum import NEEDS, Curve, has_spectra, percent_words, spectra

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


_TITLE: Final = "Percentiles of latency"


def percentile_blocks(record: Record) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """A title, and contestants with their figures, of each open loop; or why they cannot be had."""
    if not has_spectra(record):
        return
    try:
        found = spectra(record)
    except MissingError:
        yield _TITLE, [("", NEEDS)]
        return
    except LabFileError as error:
        yield _TITLE, [("", str(error))]
        return
    for spectrum in found:
        yield f"{_TITLE}, {spectrum.title}", [(curve.title, _words(curve)) for curve in spectrum.curves]


def _words(curve: Curve) -> str:
    if curve.overloaded:
        return f"overloaded, so no percentile is quoted; the most {number(curve.most_ms)} ms"
    quoted = "".join(f"{percent_words(percent)} {number(ms)} ms, " for percent, ms in curve.quoted)
    return f"{quoted}the most {number(curve.most_ms)} ms of {curve.answers:,} answers"
