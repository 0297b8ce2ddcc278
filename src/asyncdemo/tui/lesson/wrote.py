"""The output of the programs of a run, below their picture.

Not here: storing it (see ``render.terminal.output``), the picture (see ``render.terminal.picture``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from rich.segment import Segment
from rich.style import Style

from asyncdemo.render.terminal.draw import Line
from asyncdemo.render.terminal.picture import whole_height
from asyncdemo.render.terminal.theme import DIM
from asyncdemo.tui.drawing import Drawing
from asyncdemo.tui.lesson.session import LessonRun

_TRACEBACK_LINES: Final = 40
_ERROR: Final = Style(color="red")
_LOW: Final = 30
"""On lower screens, the picture needs the space of a second line for each program."""
_BELOW_A_WARNING: Final = ("  ", "RuntimeWarning: Enable tracemalloc")
"""Lines after a warning. In a program that finished, they would displace the warning itself."""


class Wrote(Drawing):
    """The newest lines of each program; more of them if the picture leaves room."""

    DEFAULT_CSS = "Wrote { height: auto; max-height: 40%; }"

    def __init__(self) -> None:
        super().__init__(self._written)
        self._output: list[Line] = []

    def clear(self) -> None:
        self._output = []
        self.redraw()

    def show(self, run: LessonRun, room: int, width: int) -> None:
        """Show the output. ``room`` and ``width`` are of the picture and this together, in cells."""
        # A server that ended as intended has written a line for each request, like the picture.
        quiet = run.meant if run.loaded else ()
        left = (room - whole_height(run.runs, width)) // max(len(run.runs), 1)
        self._output = list(_output(run, quiet, max(left, 1 if room < _LOW else 2)))
        self.redraw()

    def _written(self, width: int, height: int) -> list[Line]:
        """Draw the last lines, which say why a script failed. Long lines are wrapped."""
        return [part for line in self._output for part in _pieces(line, width)][-height:]


def _pieces(line: Line, width: int) -> Iterator[Line]:
    length = Segment.get_line_length(line)
    return (list(part) for part in Segment.divide(line, [*range(width, length, width), length]))


def _output(run: LessonRun, quiet: Collection[str], most: int) -> Iterator[Line]:
    """Yield the newest lines of each script; if it did not finish, all that is left of its traceback."""
    for recorded, tail in zip(run.runs, run.output, strict=False):
        if recorded.name in quiet:
            continue
        lines = tail.last(_TRACEBACK_LINES)
        if recorded.name not in run.odd:
            lines = [line for line in lines if not line.text.startswith(_BELOW_A_WARNING)][-most:]
        for line in lines:
            yield [
                Segment(f"{recorded.name} ", DIM),
                Segment(line.text, _ERROR if line.stream == "stderr" else None),
            ]
