"""A screen for long content: the whole text, the code, all figures.

Not here: the content.
"""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widget import Widget
from textual.widgets import Footer, Static

from asyncdemo.tui.app import LearnerScreen


class _Text(VerticalScroll):
    """Shows the page keys if there is more than one page."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pagedown", "page_down", "Down", key_display="PgDn"),
        Binding("pageup", "page_up", "Up", key_display="PgUp"),
    ]

    def watch_virtual_size(self) -> None:
        self.screen.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action not in ("page_down", "page_up") or self.max_scroll_y > 0


class ReadingScreen(LearnerScreen):
    """Scrolls with the arrow keys and by pages; q and Escape go back."""

    DEFAULT_CSS = """
    ReadingScreen _Text { height: 1fr; padding: 0 1; }
    ReadingScreen Drawing { height: auto; }
    ReadingScreen Markdown { max-width: 100; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "app.leave_screen", "Back"),
        Binding("q", "app.leave_screen", "Back", show=False),
    ]

    def __init__(self, title: str, content: Widget) -> None:
        super().__init__()
        self._title, self._content = title, content

    def compose(self) -> ComposeResult:
        yield Static(self._title, classes="heading", markup=False)
        with _Text():
            yield self._content
        yield Footer(compact=True, show_command_palette=False)
