"""Common parts of the steps of a lesson. Each step has its own module."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.containers import Vertical
from textual.widget import Widget

from asyncdemo.render.terminal.theme import Theme
from asyncdemo.tui.lesson.session import LessonSession

if TYPE_CHECKING:
    from asyncdemo.tui.lesson.screen import LessonScreen


class Pane(Vertical):
    """One step. Its keys work while the focus is in it, so something in it must always be focusable.

    Attributes:
        step: Its name, which is its id on the screen.
    """

    step: ClassVar[str]
    DEFAULT_CSS = "Pane { height: 1fr; padding: 0 1; }"

    def __init__(self, session: LessonSession, glyphs: Theme) -> None:
        super().__init__(id=self.step)
        self.session, self.glyphs = session, glyphs

    @property
    def lesson_screen(self) -> LessonScreen:
        from asyncdemo.tui.lesson.screen import LessonScreen

        assert isinstance(self.screen, LessonScreen)
        return self.screen

    def shown(self) -> None:
        """Take the focus and show what is new, because this is the current step now."""
        self.take_focus(self)

    def take_focus(self, widget: Widget) -> None:
        """Focus immediately, not later like ``focus``: the next key may already be pressed."""
        self.screen.set_focus(widget)
