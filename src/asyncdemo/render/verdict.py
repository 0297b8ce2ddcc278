"""The verdict on an exercise: what held, what did not, and the timeline that shows it.

Not for: judging (``course.judging``, ``checks``), or which exercise comes next (``cli``).
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence

from rich.segment import Segment
from rich.style import Style

from asyncdemo.checks import Evidence
from asyncdemo.render.draw import Line, text_line
from asyncdemo.render.evidence import evidence_lines, evidence_text
from asyncdemo.render.grid import Shade
from asyncdemo.render.theme import COLOURS, DIM, EMPHASIS, WARNING, Theme

__all__ = ["verdict_lines", "verdict_text"]

_WIDEST_TEXT = 100
_LEAST_WIDTH = 20
_PASSED = Style(bold=True, color=COLOURS[Shade.RUNNING])
_OUTPUT_LINES = 8


def verdict_lines(
    held: Sequence[str],
    message: str | None,
    evidence: Evidence | None,
    theme: Theme,
    width: int,
    *,
    knobs: Mapping[str, object] | None = None,
    output: str = "",
    rows: int = 12,
) -> Iterator[Line]:
    """Lines for a terminal, none wider than ``width``.

    message: the sentence that does not hold; None if all do. knobs: what the run was given, where that
    is not what the file says. output: what the script wrote, shown only beside a failure.
    """
    for sentence in held:
        yield from _item(theme.good, _PASSED, sentence, width)
    if message is None:
        return
    yield from _item(theme.bad, WARNING, message, width, EMPHASIS)
    if knobs:
        for part in _wrap(f"In this run: {_settings(knobs)}.", width - 2):
            yield text_line(f"  {part}", DIM)
    if evidence is not None:
        yield []
        yield from evidence_lines(evidence, theme, width, rows)
    wrote = [line for line in output.splitlines() if line.strip()][-_OUTPUT_LINES:]
    if wrote:
        yield []
        yield text_line("The program wrote:", DIM)
        for line in wrote:
            yield text_line(f"  {line}"[:width], DIM)


def verdict_text(
    held: Sequence[str],
    message: str | None,
    evidence: Evidence | None,
    *,
    knobs: Mapping[str, object] | None = None,
    output: str = "",
) -> Iterator[str]:
    """The same in plain words, a line each."""
    for sentence in held:
        yield f"  held: {sentence}"
    if message is None:
        return
    yield f"  failed: {message}"
    if knobs:
        yield f"    in this run: {_settings(knobs)}"
    if evidence is not None:
        for line in evidence_text(evidence):
            yield f"    {line}"
    wrote = [line for line in output.splitlines() if line.strip()][-_OUTPUT_LINES:]
    if wrote:
        yield "    the program wrote:"
        for line in wrote:
            yield f"      {line}"


def _item(mark: str, style: Style, text: str, width: int, text_style: Style | None = None) -> Iterator[Line]:
    for place, part in enumerate(_wrap(text, width - 2)):
        yield [Segment("  " if place else f"{mark} ", style), Segment(part, text_style)]


def _wrap(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, min(max(width, _LEAST_WIDTH), _WIDEST_TEXT), break_on_hyphens=False)


def _settings(knobs: Mapping[str, object]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in knobs.items())
