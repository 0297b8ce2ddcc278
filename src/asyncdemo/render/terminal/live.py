"""Runs while they happen, in a terminal: panels on one time scale, redrawn a few times a second.

The view disappears when it closes, and the report takes its place. It only ever draws in a terminal.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Self

from rich.console import Console
from rich.live import Live

from asyncdemo.render.terminal.draw import (
    Line,
    Lines,
    beside,
    end_marks,
    gutter_width,
    legend_lines,
    panel_width,
    shared_heights,
)
from asyncdemo.render.terminal.panel import LivePanel
from asyncdemo.render.terminal.theme import Theme, theme_for

_FASTEST_S = 1 / 15
_SLOWEST_S = 1 / 12
_SHARE = 4
"""Drawing takes at most about a quarter of the time, but a frame is due twelve times a second."""

_OUTPUT_HEIGHT = 6
_LEAST_HEIGHT = 4


class LiveView:
    """A context manager around ``update``, to be called for every change.

    ``clock`` returns seconds, only to pace the frames. However the view ends, even by an exception, it
    restores the cursor and its lines.
    """

    def __init__(
        self,
        panels: Sequence[LivePanel],
        console: Console,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.frames = 0
        self._panels = panels
        self._console = console
        self._clock = clock
        self._theme = theme_for(console.encoding)
        self._live: Live | None = None
        self._size = console.size
        self._next_s = 0.0

    def __enter__(self) -> Self:
        self.update()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def update(self, *, now: bool = False) -> None:
        """Draw a frame if one is due, or in any case with ``now``."""
        start_s = self._clock()
        if not self._console.is_terminal or (start_s < self._next_s and not now):
            return
        self._draw()
        self.frames += 1
        cost_s = self._clock() - start_s
        self._next_s = start_s + min(max(_SHARE * cost_s, _FASTEST_S), _SLOWEST_S)

    def _draw(self) -> None:
        """Replace the previous frame. No line is wider, nor are there more, than the terminal can show."""
        self._make_room()
        width, height = self._console.size
        frame = Lines(picture_lines(self._panels, self._theme, width, height - 1))
        if self._live is None:
            self._live = Live(
                frame,
                console=self._console,
                auto_refresh=False,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
                vertical_overflow="crop",
            )
            self._live.start(refresh=True)
        else:
            self._live.update(frame, refresh=True)

    def close(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _make_room(self) -> None:
        """Clear the screen if a smaller terminal has wrapped the last frame: Rich can't find its start."""
        before, self._size = self._size, self._console.size
        if self._live is not None and (self._size.width < before.width or self._size.height < before.height):
            self.close()
            self._console.clear()


def picture_lines(
    panels: Sequence[LivePanel], theme: Theme, width: int, height: int, *, race: bool = False
) -> list[Line]:
    """Return all panels in their current state, on one time scale, and a legend: at most ``height`` lines.

    In a ``race``, they run at the same time, so each has a fixed place from the start.
    """
    ended = {end for panel in panels for end in panel.ended_how}
    each, side_by_side = panel_width(len(panels), width)
    noun = panels[0].noun if panels else "lane"
    shades = {shade for panel in panels for shade in panel.cells.seen}
    legend = legend_lines(theme, width, end_marks(theme, ended, noun), shades)
    room = height - 1 - len(legend)

    def output(panel: LivePanel, room: int) -> list[Line]:
        return panel.output_lines(theme, each, min(_OUTPUT_HEIGHT, max(room // 3, 2)))

    if side_by_side:
        outputs = [output(panel, room) for panel in panels]
        heights = [room - max(map(len, outputs), default=0)] * len(panels)
        lines = [*beside(_pictures(panels, theme, each, heights), each), *beside(outputs, each)]
    else:
        # Below each other, there is only room for the output of the active run, and for one axis.
        outputs = [output(panel, room // 2) if panel.active else [] for panel in panels]
        axes = len(panels) if race else sum(panel.cells.opened > 0 for panel in panels)
        room_for_all = room - sum(map(len, outputs)) + max(axes - 1, 0)
        heights = _shares(panels, room_for_all, race)
        pictures = _pictures(panels, theme, each, heights, len(panels) == 1)
        axis: list[Line] = [[]] if race and len(panels) > 1 else []
        for panel, picture, share in zip(panels, pictures, heights, strict=True):
            if panel.cells.opened and len(panels) > 1:
                axis = [picture.pop(1)]
            if race:
                picture += [[]] * (share - len(axis) - len(picture))
        pairs = zip(pictures, outputs, strict=True)
        lines = [*axis, *(line for picture, written in pairs for line in (*picture, *written))]
    return [*lines[: max(room, 1)], [], *legend][: max(height, 1)]


def _shares(panels: Sequence[LivePanel], room: int, race: bool) -> list[int]:
    """Return the lines of each: first for those that run, to show what is happening; then for the rest.

    After one ends and until the next starts, it still counts as running.
    """
    if race:
        return [max(room // len(panels), _LEAST_HEIGHT)] * len(panels)
    begun = [place for place, panel in enumerate(panels) if panel.started]
    runs = [place for place in begun if panels[place].active] or begun[-1:]
    if all(panel.started and not panel.active for panel in panels):
        runs = begun
    rest = [place for place in range(len(panels)) if place not in runs]
    wanted = [panel.wanted_height for panel in panels]
    kept = sum(min(wanted[place], _LEAST_HEIGHT) for place in rest)
    heights = [0] * len(panels)
    for places, most in (runs, room - kept), (rest, room):
        shares = shared_heights([wanted[place] for place in places], most - sum(heights), _LEAST_HEIGHT)
        for place, share in zip(places, shares, strict=True):
            heights[place] = share
    return heights


def _pictures(
    panels: Sequence[LivePanel], theme: Theme, width: int, heights: Sequence[int], counted: bool = True
) -> list[list[Line]]:
    """Return all on the same scale: that of the panel that needs the widest columns."""
    rows = max(heights, default=1)
    names = [name for panel in panels for name in panel.names[:rows]]
    most = max((panel.cells.opened for panel in panels), default=0)
    marked = any(not panel.ended_how.isdisjoint(theme.ends) for panel in panels)
    gutter = gutter_width(names, most, rows, width, marked)
    bin_ns = max((panel.cells.bin_ns for panel in panels), default=1)
    column_ns = max((panel.column_ns(width - gutter, bin_ns) for panel in panels), default=1)
    return [
        panel.lines(theme, width, height, gutter, column_ns, counted=counted)
        for panel, height in zip(panels, heights, strict=True)
    ]
