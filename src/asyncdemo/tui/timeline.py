"""A picture of recorded runs as a widget: it takes the room there is.

Not for: looking closer (``viewer``), what is drawn (``render.terminal.picture``).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType

from asyncdemo.model import Run
from asyncdemo.render.terminal.picture import picture_of_runs
from asyncdemo.render.terminal.theme import Theme
from asyncdemo.tui.drawing import Drawing


class Timeline(Drawing, can_focus=True):
    """One or more recorded runs on one scale: side by side where it is wide, else below each other.

    Where its height is ``auto``, it has a line for each row, as far as the screen has so many.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("z,enter", "look_closer", "Look closer", key_display="z")
    ]
    DEFAULT_CSS = "Timeline:focus { background: $boost; }"

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

    def action_look_closer(self) -> None:
        """Open them in the viewer. A screen may bind a key of its own to ``look_closer``."""
        from asyncdemo.tui.viewer import ViewerScreen

        if self.runs:
            self.app.push_screen(ViewerScreen(self.runs))
