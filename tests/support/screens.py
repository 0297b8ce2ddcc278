"""Terminals without a terminal: a console that records, and a screen that shows what it recorded."""

from __future__ import annotations

import io

import pyte
from rich.console import Console

from asyncdemo.render.terminal.draw import Line
from asyncdemo.render.terminal.theme import UNICODE, Theme
from asyncdemo.render.timeline.grid import Cell, Row, Shade


class _Stream(io.StringIO):
    """A text stream of a given encoding."""

    def __init__(self, encoding: str) -> None:
        super().__init__()
        self._encoding = encoding

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding

    def isatty(self) -> bool:
        return True


class Terminal:
    """A console of a fixed size, what was written to it, and the screen that shows."""

    def __init__(
        self,
        width: int = 80,
        height: int = 24,
        encoding: str = "utf-8",
        environ: dict[str, str] | None = None,
    ) -> None:
        self.stream = _Stream(encoding)
        self.width, self.height = width, height
        self.console = Console(
            file=self.stream,
            width=width,
            height=height,
            force_terminal=True,
            color_system="truecolor",
            _environ={"TERM": "xterm-256color", **(environ or {})},
        )

    def resize(self, width: int, height: int) -> None:
        self.console._width, self.console._height = width, height

    @property
    def written(self) -> str:
        return self.stream.getvalue()

    @property
    def screen(self) -> pyte.Screen:
        screen = pyte.Screen(self.width, self.height)
        stream = pyte.Stream(screen)
        stream.feed(self.written.replace("\n", "\r\n"))
        return screen

    @property
    def lines(self) -> list[str]:
        """What one sees, without the blank lines at the end."""
        lines = [line.rstrip() for line in self.screen.display]
        while lines and not lines[-1]:
            lines.pop()
        return lines


def text_of(lines: list[Line]) -> list[str]:
    """Drawn lines without their styles."""
    return ["".join(segment.text for segment in line) for line in lines]


def picture(row: Row, theme: Theme = UNICODE) -> str:
    """The glyphs of a row."""
    return "".join(map(theme.glyph, row.cells))


def cells_of(row: Row, shade: Shade) -> list[Cell]:
    return [cell for cell in row.cells if cell.shade is shade]
