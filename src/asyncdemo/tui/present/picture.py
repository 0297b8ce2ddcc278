"""Running programs, for the back of a room: a row for each lane, on a scale that only ever doubles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from asyncdemo.render.terminal.draw import (
    Line,
    beside,
    end_marks,
    legend_lines,
    text_line,
    timeline_lines,
    title_line,
)
from asyncdemo.render.terminal.panel import LivePanel
from asyncdemo.render.terminal.slides import PITCH, bright
from asyncdemo.render.terminal.theme import Theme
from asyncdemo.safe_text import clean

_FIRST_SCALE_NS: Final = 250_000_000
_NARROWEST: Final = 22
_GAP: Final = 3
_LEAST_LINES: Final = 4


class RunPicture:
    """Programs are below each other if all rows fit, else side by side.

    Lanes without their own row are drawn as a density, below the rows.
    """

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._scale_ns = _FIRST_SCALE_NS
        self._over = False

    def lines(
        self, panels: Sequence[LivePanel], width: int, height: int, *, over: bool = False
    ) -> list[Line]:
        """Return at most ``height`` lines, none wider than ``width``. ``over``: fit the scale to the end."""
        theme, self._over = self._theme, over
        if not panels:
            return []
        ended = {end for panel in panels for end in panel.ended_how}
        shades = {shade for panel in panels for shade in panel.cells.seen}
        legend = legend_lines(theme, width, end_marks(theme, ended, panels[0].noun), shades)
        room = height - 1 - len(legend)
        if room < _LEAST_LINES:
            legend, room = [], height
        warnings = [panel.warning_lines(theme, width) for panel in panels]
        # All do the same job: one with few rows so far will have as many as the others.
        most = max(max(panel.cells.opened for panel in panels), 1)
        each = (width - _GAP * (len(panels) - 1)) // len(panels)
        below = 1 + sum(1 + most + len(lines) for lines in warnings)
        if len(panels) > 1 and below > room and each >= _NARROWEST:
            columns = self._drawn(panels, each, [room] * len(panels))
            lines = list(beside(columns, each))
        else:
            axes = 1  # one for all of them, and lines for warnings
            share = (room - axes) // len(panels)
            (first, *others) = self._drawn(panels, width, [share + axes] * len(panels))
            lines = [*first, *(line for title, _axis, *rows in others for line in (title, *rows))]
        return [bright(line) for line in [*lines[:room], *([[], *legend] if legend else [])]][:height]

    def _drawn(self, panels: Sequence[LivePanel], width: int, heights: Sequence[int]) -> list[list[Line]]:
        theme = self._theme
        gutter = self._gutter(panels, width, max(heights))
        columns = max(width - gutter, 1)
        bin_ns = max(panel.cells.bin_ns for panel in panels)
        for panel in panels:
            panel.column_ns(columns, bin_ns)  # bins as wide as those of the others
        column_ns = self._column_ns(max(panel.now_ns for panel in panels), columns, bin_ns)
        most = max(max(panel.cells.opened for panel in panels), 1)
        drawn = []
        for panel, height in zip(panels, heights, strict=True):
            warnings = panel.warning_lines(theme, width)
            title = title_line(panel.name, _status(panel, width), theme, width)
            room = max(height - 2 - len(warnings), 1)
            if not panel.cells.opened:
                rows = [text_line("")]
            else:
                grid = panel.grid(columns, room, column_ns, head=room - 1)
                pitch = max((n for n in range(1, PITCH + 1) if most * n <= room), default=1)
                rows = list(timeline_lines(grid, theme, gutter, 0, pitch))
                rows = rows[: 1 + len(grid.rows) * pitch]  # without the words about folded lanes
            rows += [[] for _ in range(min(most, room) + 1 - len(rows))]
            drawn.append([title, *rows, *warnings][:height])
        return drawn

    def _gutter(self, panels: Sequence[LivePanel], width: int, rows: int) -> int:
        names = [clean(name) for panel in panels for name in panel.names[:rows]]
        most = max((panel.cells.opened for panel in panels), default=0)
        range_takes = len(f"-{most}") if most > rows else 0
        return min(max(map(len, names), default=0) + range_takes + 1, width // 2)

    def _column_ns(self, now_ns: int, columns: int, bin_ns: int) -> int:
        """Return the width of a column in whole bins, which are as wide as the widest of any panel."""
        while self._scale_ns <= now_ns:
            self._scale_ns *= 2
        scale_ns = now_ns if self._over else self._scale_ns
        return bin_ns * -(-scale_ns // (columns * bin_ns))


def _status(panel: LivePanel, width: int) -> str:
    words = panel.headline
    return words if width >= 2 * _NARROWEST + len(words) else words.partition(",")[0]
