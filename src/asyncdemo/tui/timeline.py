"""A picture of recorded runs as a widget: it takes the room there is.

Not for: looking closer (``viewer``), what is drawn (``render.terminal.picture``).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from asyncdemo.model import Run
from asyncdemo.render.terminal.picture import picture_of_runs
from asyncdemo.render.terminal.theme import Theme
from asyncdemo.tui.drawing import Drawing

__all__ = ["Timeline"]


class Timeline(Drawing):
    """One or more recorded runs on one scale: side by side where it is wide, else below each other.

    Where its height is ``auto``, it has a line for each row, as far as the screen has so many.
    """

    def __init__(
        self,
        runs: Sequence[Run],
        theme: Theme,
        *,
        name: str | None = None,
        id: str | None = None,  # noqa: A002
    ) -> None:
        """theme: the application's ``glyphs``."""
        self.runs = tuple(runs)
        self._theme = theme
        super().__init__(partial(picture_of_runs, self.runs, theme), name=name, id=id)

    def show(self, runs: Sequence[Run]) -> None:
        """Other runs in the place of these."""
        self.runs = tuple(runs)
        self.redraw(partial(picture_of_runs, self.runs, self._theme))
