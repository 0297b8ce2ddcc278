"""What the steps of a lesson have in common.

Not for: one of them (a module each).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.widget import Widget

from asyncdemo.render.terminal.theme import Theme
from asyncdemo.tui.lesson.session import LessonSession

if TYPE_CHECKING:
    from asyncdemo.tui.lesson.screen import LessonScreen


class Pane(Vertical):
    """One step. Its keys hold while the focus is in it, so something in it always can have the focus."""

    DEFAULT_CSS = "Pane { height: 1fr; padding: 0 1; }"

    def __init__(self, session: LessonSession, glyphs: Theme, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self.session, self.glyphs = session, glyphs

    @property
    def lesson_screen(self) -> LessonScreen:
        from asyncdemo.tui.lesson.screen import LessonScreen

        assert isinstance(self.screen, LessonScreen)
        return self.screen

    def shown(self) -> None:
        """It is the step now: take the focus, show what is new."""
        self.take_focus(self)

    def take_focus(self, widget: Widget) -> None:
        """Now, and not when its turn comes as ``focus`` does: the next key may have been pressed already."""
        self.screen.set_focus(widget)
