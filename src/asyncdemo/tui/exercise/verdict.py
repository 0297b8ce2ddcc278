"""Draws a verdict in the available space: sentences, and the picture that illustrates them.

Not here: judging (see ``course.judging``), the pane around it (see ``pane``).
"""

from __future__ import annotations

from dataclasses import replace

from asyncdemo.course.judging.judge import Verdict
from asyncdemo.model import Run
from asyncdemo.render.terminal.draw import Line
from asyncdemo.render.terminal.picture import picture_of_runs
from asyncdemo.render.terminal.theme import Theme
from asyncdemo.render.terminal.verdict import verdict_lines

_MOST_ROWS, _LEAST_ROWS = 12, 3
_PICTURE_TAKES = 5
"""Lines of a picture of two runs besides their rows: two titles, an axis, a legend and a gap."""


def draw_verdict(
    verdict: Verdict, before: Run | None, after: Run | None, theme: Theme, width: int, height: int
) -> list[Line]:
    """Draw as much as there is room for, and in any case what failed.

    Args:
        before: A run that did not pass, for comparison.
        after: The run of the verdict.
    """
    if verdict.passed:
        return _passed(verdict, before, after, theme, width, height)
    lines: list[Line] = []
    for rows, brief in [*((rows, False) for rows in range(_MOST_ROWS, _LEAST_ROWS, -1)), (_LEAST_ROWS, True)]:
        lines = _sentences(verdict, theme, width, rows, brief=brief)
        if len(lines) <= height:
            break
    return lines


def _passed(
    verdict: Verdict, before: Run | None, after: Run | None, theme: Theme, width: int, height: int
) -> list[Line]:
    runs = [replace(run, name=name) for run, name in ((before, "before"), (after, "now")) if run and run.rows]
    needed = sum(len(run.rows) for run in runs) + _PICTURE_TAKES
    lines = _sentences(verdict, theme, width, _MOST_ROWS, brief=False)
    if len(lines) + needed > height:
        lines = _sentences(verdict, theme, width, _MOST_ROWS, brief=True)
    return [*lines, [], *picture_of_runs(runs, theme, width, height - len(lines) - 1)]


def _sentences(verdict: Verdict, theme: Theme, width: int, rows: int, *, brief: bool) -> list[Line]:
    """Return the sentences. If ``brief``, only counts those that held, and omits the script's output."""
    held = verdict.held
    counted = f"{'All ' if verdict.passed else ''}{len(held)} points of the check hold."
    return list(
        verdict_lines(
            [counted] if brief and len(held) > 1 else held,
            verdict.message,
            verdict.evidence,
            theme,
            width,
            knobs=verdict.knobs,
            output="" if brief else verdict.output,
            repeat=verdict.repeat,
            rows=rows,
        )
    )
