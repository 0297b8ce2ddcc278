"""The keys of the screen below, what each does now, and what its terms mean.

Not here: the bindings (see each screen), the command palette (see ``app``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar, Final

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

PICTURE_WORDS: Final[Mapping[str, str]] = {
    "lane": "a row: one call, task or thread, from its beginning to its end",
    "open": "begun, and not ended yet",
    "at work": "open, and past the queue for what is limited",
    "wall": "from the beginning of the first lane to the end of the last",
    "ideal": "the wall if nothing had to wait for what it does not need",
}


class KeysScreen(ModalScreen[None]):
    """A list on top of the screen; any key that opens or leaves something closes it."""

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

    def __init__(self, keys: Iterable[tuple[str, str]], words: Mapping[str, str]) -> None:
        """``keys`` has each key and what it does, ``words`` each term and its meaning."""
        super().__init__()
        self._keys = [*keys, ("?", "Close this list; Escape, too")]
        self._words = words

    def compose(self) -> ComposeResult:
        told = [*self._keys, *self._words.items()]
        width = max(cell_len(name) for name, _ in told)
        lines = [Text.assemble((set_cell_size(name, width), "bold"), f"  {words}") for name, words in told]
        if self._words:
            lines.insert(len(self._keys), Text())
        with VerticalScroll():
            yield Static(Text("\n").join(lines))

    async def action_interrupt(self) -> None:
        """Interrupt what is running on the screen below."""
        await self.dismiss()
        await self.app.run_action("interrupt")
