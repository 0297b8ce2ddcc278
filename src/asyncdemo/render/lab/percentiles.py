"""The quoted percentiles of the open loops of a record, as lines of words.

Not for: curves (``spectrum_html``).
"""

from __future__ import annotations

from collections.abc import Iterator

from asyncdemo.errors import LabFileError, MissingError
from asyncdemo.lab.audit import number
from asyncdemo.lab.record import Record
from asyncdemo.render.lab.spectrum import NEEDS, Curve, has_spectra, percent_words, spectra

__all__ = ["percentile_lines"]


def percentile_lines(record: Record) -> Iterator[str]:
    """None if there is no open loop; why there are none, if they cannot be had."""
    if not has_spectra(record):
        return
    try:
        found = spectra(record)
    except MissingError:
        yield NEEDS
        return
    except LabFileError as error:
        yield str(error)
        return
    for spectrum in found:
        yield f"{spectrum.title}:"
        yield from (f"  {curve.title}: {_words(curve)}" for curve in spectrum.curves)


def _words(curve: Curve) -> str:
    if curve.overloaded:
        return f"overloaded, so none is quoted; the most {number(curve.most_ms)} ms"
    quoted = ", ".join(f"{percent_words(percent)} {number(ms)} ms" for percent, ms in curve.quoted)
    return f"{quoted}, the most {number(curve.most_ms)} ms of {curve.answers:,} answers"
