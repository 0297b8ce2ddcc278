"""Two runs of one script, with the first difference marked in both.

Not here: the words around them (see ``render.text.schedules``).
"""

from __future__ import annotations

from collections.abc import Iterator

from asyncdemo.analysis.schedules import Difference
from asyncdemo.model import Evidence, Run
from asyncdemo.render.terminal.draw import Line
from asyncdemo.render.terminal.evidence import evidence_lines
from asyncdemo.render.terminal.theme import Theme
from asyncdemo.render.timeline.layout import extent_ns, open_ns


def pair_lines(
    first: Run, second: Run, difference: Difference | None, theme: Theme, width: int
) -> Iterator[Line]:
    """Yield lines for a terminal, on one scale for both."""
    length_ns = max(extent_ns(first), extent_ns(second))
    for run, moments, title in (
        (first, difference.first if difference else (), "Without a delay"),
        (second, difference.second if difference else (), "With it"),
    ):
        start_ns = open_ns(run)
        shown = Evidence(run, tuple(range(len(run.lanes))), start_ns, start_ns + length_ns)
        marked_ns = start_ns + moments[0].at_ns if moments else None
        yield from evidence_lines(shown, theme, width, title=title, marked_ns=marked_ns)
        yield []
