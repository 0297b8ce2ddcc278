"""The keys of the screen below: what each does now.

Not for: where keys are bound (each screen), the command palette (``app``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

__all__ = ["KeysScreen"]


class KeysScreen(ModalScreen[None]):
    """A list above the screen, which any of the keys that open or leave something closes."""

    DEFAULT_CSS = """
    KeysScreen { align: center middle; }
    KeysScreen VerticalScroll { width: auto; height: auto; max-width: 90%; max-height: 90%; }
    KeysScreen VerticalScroll { border: round $foreground 50%; padding: 0 1; background: $background; }
    KeysScreen Static { width: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,escape,enter,q", "dismiss", "Close"),
        Binding("ctrl+c", "interrupt", show=False, priority=True),
    ]

    def __init__(self, keys: Iterable[tuple[str, str]]) -> None:
        """keys: each with what it does."""
        super().__init__()
        self._keys = list(keys)

    def compose(self) -> ComposeResult:
        width = max(cell_len(key) for key, _ in self._keys)
        lines = [
            Text.assemble((set_cell_size(key, width), "bold"), f"  {words}")
            for key, words in [*self._keys, ("?", "Close this list; Escape, too")]
        ]
        with VerticalScroll():
            yield Static(Text("\n").join(lines))

    async def action_interrupt(self) -> None:
        """It is meant for what runs below."""
        await self.dismiss()
        await self.app.run_action("interrupt")
