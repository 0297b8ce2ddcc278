"""The verdict on an exercise: what held, what did not, and the timeline that shows it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from rich.style import Style

from asyncdemo.model.verdict import Verdict
from asyncdemo.render.terminal.draw import Line, hanging, prose, text_line
from asyncdemo.render.terminal.evidence import evidence_lines, evidence_text
from asyncdemo.render.terminal.theme import COLOURS, DIM, EMPHASIS, WARNING, Theme
from asyncdemo.render.timeline.grid import Shade
from asyncdemo.render.words import fit, settings_words
from asyncdemo.render.wrapping import wrap, wrap_output
from asyncdemo.safe_text import clean

_MOST_ROWS, _LEAST_ROWS = 12, 3
_WIDEST_TEXT = 100
_PASSED = Style(bold=True, color=COLOURS[Shade.RUNNING])
_OUTPUT_LINES, _LINES_OF_EACH = 8, 3
_LONGEST_LINE = 1_000
_REPEAT = "To repeat this check:"
_HINT = "Enable tracemalloc to get the object allocation traceback"
_FOLDERS = re.compile(r"(?<![\w.])/(?:[^/\s\"':]+/)+(?=[^/\s\"':]+\.py\b)")
"""The folders in the full path of a Python file."""


def verdict_lines(verdict: Verdict, theme: Theme, width: int, rows: int = _MOST_ROWS) -> Iterator[Line]:
    """Yield lines for a terminal, none wider than ``width``. The output is shown only with a failure."""
    for sentence in verdict.held:
        yield from hanging(f"{theme.good} ", prose(_wrap(sentence, width - 2)), _PASSED)
    if verdict.message is None:
        return
    yield from hanging(f"{theme.bad} ", prose(_wrap(verdict.message, width - 2), EMPHASIS), WARNING)
    if verdict.knobs:
        for part in _wrap(f"In this run: {settings_words(verdict.knobs)}.", width - 2):
            yield text_line(f"  {part}", DIM)
    if verdict.evidence is not None:
        yield []
        yield from evidence_lines(verdict.evidence, theme, width, rows)
    wrote = newest_lines(verdict.output)
    if wrote:
        yield []
        yield text_line(fit("The program wrote:", width), DIM)
        for line in wrote:
            for part in wrap_output(line, width, _LINES_OF_EACH):
                yield text_line(part, DIM)
    if verdict.repeat:
        yield []
        for part in _wrap(f"{_REPEAT} {verdict.repeat}", width):
            yield text_line(part, DIM)


def verdict_to_fit(verdict: Verdict, theme: Theme, width: int, height: int) -> list[Line]:
    """Return as much as ``height`` lines have room for, and in any case what failed."""
    for rows in range(_MOST_ROWS, _LEAST_ROWS, -1):
        lines = list(verdict_lines(verdict, theme, width, rows))
        if len(lines) <= height:
            return lines
    return list(verdict_lines(brief(verdict), theme, width, _LEAST_ROWS))


def brief(verdict: Verdict) -> Verdict:
    """Only count the sentences that held, and omit the script's output."""
    held = verdict.held
    if len(held) > 1:
        held = (f"{'All ' if verdict.passed else ''}{len(held)} points of the check hold.",)
    return replace(verdict, held=held, output="")


def verdict_text(verdict: Verdict) -> Iterator[str]:
    """Yield the same in plain words, line by line."""
    for sentence in verdict.held:
        yield f"  held: {sentence}"
    if verdict.message is None:
        return
    yield f"  failed: {verdict.message}"
    if verdict.knobs:
        yield f"    in this run: {settings_words(verdict.knobs)}"
    if verdict.evidence is not None:
        for line in evidence_text(verdict.evidence):
            yield f"    {line}"
    wrote = newest_lines(verdict.output)
    if wrote:
        yield "    the program wrote:"
        for line in wrote:
            yield f"      {line}"
    if verdict.repeat:
        yield f"    {_REPEAT[0].lower()}{_REPEAT[1:]} {verdict.repeat}"


def newest_lines(output: str) -> list[str]:
    """Return the newest lines, without folders, which add nothing, or Python's hint about tracemalloc."""
    lines = [line for line in output.splitlines() if line.strip() and _HINT not in line]
    newest = (line.expandtabs()[:_LONGEST_LINE] for line in lines[-_OUTPUT_LINES:])
    return [clean(_FOLDERS.sub("", line)) for line in newest]


def _wrap(text: str, width: int) -> list[str]:
    return wrap(text, min(width, _WIDEST_TEXT))
