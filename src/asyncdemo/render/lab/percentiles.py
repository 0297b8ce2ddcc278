"""The quoted percentiles of the open loops of a record, as words.

Not for: curves (``spectrum_html``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from asyncdemo.errors import LabFileError, MissingError
from asyncdemo.lab.results.audit import number
from asyncdemo.lab.results.record import Record
from asyncdemo.render.lab.spectrum import NEEDS, Curve, has_spectra, percent_words, spectra

__all__ = ["percentile_blocks"]

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
