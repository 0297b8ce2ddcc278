"""One row at one time, in lines: its totals, what it was doing, and the source line that it waits on."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len
from rich.segment import Segment

from asyncdemo.render.facts.moments import source_line, stretch_at
from asyncdemo.render.facts.runs import row_words
from asyncdemo.render.terminal.draw import Line, text_line
from asyncdemo.render.terminal.theme import DIM, EMPHASIS, Theme
from asyncdemo.render.timeline.window import RowWindows
from asyncdemo.render.words import duration, fit, place
from asyncdemo.safe_text import clean


def row_details(windows: RowWindows, index: int, at_ns: int, theme: Theme, width: int) -> Iterator[Line]:
    """Yield at most three lines. ``at_ns`` counts from the first row's open."""
    run, zero_ns = windows.run, windows.zero_ns
    row, moment_ns = run.rows[index], zero_ns + at_ns
    name = fit(clean(row.name), width // 2, theme.ellipsis)
    words = fit(f"  {row_words(row, zero_ns)}", width - cell_len(name), theme.ellipsis)
    yield [Segment(name, EMPHASIS), Segment(words, DIM)]
    when = f"At {duration(at_ns)}"
    if not len(row.spans) or not row.start_ns <= moment_ns <= row.end_ns:
        state = "not open yet" if moment_ns < row.start_ns else "not open any more"
        yield text_line(fit(f"{when}: {state}", width, theme.ellipsis))
        return
    stretch = stretch_at(run, row, moment_ns, windows.blocked)
    since, until = duration(stretch.start_ns - zero_ns), duration(stretch.end_ns - zero_ns)
    words = f"{when}: {stretch.words}, for {duration(stretch.end_ns - stretch.start_ns)} ({since} to {until})"
    yield text_line(fit(words, width, theme.ellipsis))
    if stretch.site is not None:
        where = fit(place(stretch.site), width, theme.ellipsis)
        text = fit(f"   {source_line(stretch.site)}", width - cell_len(where), theme.ellipsis)
        yield [Segment(where, DIM), Segment(text)]
