"""Lines that the rest of the package draws, as a widget."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.segment import Segment
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from asyncdemo.render.terminal.draw import Line

_Draw = Callable[[int, int], Sequence[Line]]


class Drawing(Widget):
    """Lines that fill the space, redrawn when its size changes or ``redraw`` is called.

    If its height is ``auto``, it gets that of its lines.
    """

    DEFAULT_CSS = "Drawing { height: 1fr; width: 1fr; }"

    def __init__(self, draw: _Draw, *, id: str | None = None) -> None:  # noqa: A002
        """``draw`` takes (width, height in cells) and returns lines no wider; extra lines are cut."""
        super().__init__(id=id)
        self._draw = draw
        self._drawn: tuple[Size, Sequence[Line]] | None = None

    def redraw(self, draw: _Draw | None = None) -> None:
        """Draw again immediately, with the new function if ``draw`` is given."""
        self._draw = draw or self._draw
        self._drawn = None
        self.refresh(layout=self.styles.is_auto_height)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._draw(width, viewport.height))

    def render_line(self, y: int) -> Strip:
        if self._drawn is None or self._drawn[0] != self.size:
            self._drawn = self.size, self._draw(self.size.width, self.size.height)
        lines = self._drawn[1]
        line = lines[y] if y < len(lines) else []
        strip = Strip([Segment(text, style) for text, style, _ in line])
        return strip.adjust_cell_length(self.size.width).apply_style(self.rich_style)
