"""Something long to read on a screen of its own: the whole text, the code, all figures.

Not for: what it says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widget import Widget
from textual.widgets import Footer, Static

from asyncdemo.tui.app import LearnerScreen

__all__ = ["ReadingScreen"]


class ReadingScreen(LearnerScreen):
    """Scrolls with the arrow keys; q and Escape go back."""

    DEFAULT_CSS = """
    ReadingScreen VerticalScroll { height: 1fr; padding: 0 1; }
    ReadingScreen Drawing { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "app.leave", "Back"),
        Binding("q", "app.leave", "Back", show=False),
    ]

    def __init__(self, title: str, make: Callable[[], Widget]) -> None:
        """make: makes what there is to read."""
        super().__init__()
        self._title, self._make = title, make

    def compose(self) -> ComposeResult:
        yield Static(self._title, classes="heading", markup=False)
        with VerticalScroll():
            yield self._make()
        yield Footer(compact=True, show_command_palette=False)
