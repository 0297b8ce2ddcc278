"""What the programs of a run wrote, below their picture.

Not for: keeping it (``render.terminal.output``), the picture (``render.terminal.picture``).
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
"""Lines of a screen on which the picture needs the room of a second line from each program."""
_BELOW_A_WARNING: Final = ("  ", "RuntimeWarning: Enable tracemalloc")
"""Of a program that ended well they would take the place of the warning itself."""


class Wrote(Drawing):
    """The newest lines of each program; more of them where the picture leaves room."""

    DEFAULT_CSS = "Wrote { height: auto; max-height: 40%; }"

    def __init__(self) -> None:
        super().__init__(self._written)
        self._output: list[Line] = []

    def clear(self) -> None:
        self._output = []
        self.redraw()

    def show(self, run: LessonRun, room: int, width: int) -> None:
        """room, width: of the picture and of this together, in cells."""
        # A server that ended as it should has written a line for each request, as the picture has.
        quiet = run.meant if run.loaded else ()
        left = (room - whole_height(run.runs, width)) // max(len(run.runs), 1)
        self._output = list(_output(run, quiet, max(left, 1 if room < _LOW else 2)))
        self.redraw()

    def _written(self, width: int, height: int) -> list[Line]:
        """The last lines say why a script failed. A long one goes on below."""
        return [part for line in self._output for part in _pieces(line, width)][-height:]


def _pieces(line: Line, width: int) -> Iterator[Line]:
    length = Segment.get_line_length(line)
    return (list(part) for part in Segment.divide(line, [*range(width, length, width), length]))


def _output(run: LessonRun, quiet: Collection[str], most: int) -> Iterator[Line]:
    """The newest lines of each script; of one that did not end well, all that is kept of its traceback."""
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
