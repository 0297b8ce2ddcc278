"""What watch mode shows: one exercise, whether it is being checked, the verdict, and the keys.

``Picture`` has the terminal's screen to itself and draws it anew for every change; ``Log`` writes lines, one
after another, without a control code. Not for: what is shown when (``watch``), how a verdict looks
(``render.terminal.verdict``).
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import click
from rich.console import Console

from asyncdemo.cli import reader_left
from asyncdemo.cli.terminal import wrapped_for
from asyncdemo.course.judging.judge import Verdict
from asyncdemo.render.terminal.draw import Line, Lines, text_line
from asyncdemo.render.terminal.theme import DIM, EMPHASIS, theme_for
from asyncdemo.render.terminal.verdict import verdict_lines, verdict_text
from asyncdemo.testing.checks import Evidence

__all__ = ["KEYS", "Board", "Log", "Picture", "Sheet"]

KEYS: Final = {
    "n": ("next", "the next exercise that has not passed; r there runs its lesson"),
    "h": ("hint", "a hint; press it again for one that says more"),
    "l": ("list", "all lessons, and how far you are"),
    "r": ("run lesson", "run the lesson that this exercise belongs to"),
    "t": ("timeline", "the whole timeline of the last check"),
    "s": ("solution", "a solution: after a pass, or for who asks twice"),
    "x": ("reset", "the exercise as it was given; your text is kept beside it"),
    "e": ("edit", "open the file in your editor ($VISUAL or $EDITOR)"),
    "q": ("quit", "end; `asyncdemo watch` goes on later"),
    "?": ("keys", "what the keys do"),
}
"""Key -> (its name, what it does)."""

_HOME, _CLEAR, _CLEAR_LINE, _CLEAR_BELOW = "\x1b[H", "\x1b[2J", "\x1b[K", "\x1b[J"
_UP, _HIDE_CURSOR, _SHOW_CURSOR = "\x1b[A", "\x1b[?25l", "\x1b[?25h"
_WIDEST_TEXT = 100
_LEAST_WIDTH = 20
_MOST_ROWS, _LEAST_ROWS = 12, 3
_MOST_KEY_LINES = 2


@dataclass(frozen=True, slots=True)
class Sheet:
    """What is known of one exercise at a moment.

    title: which exercise; task: what is to be done; file: as one would type it. note: why this one, or what
    happened. checking: words on the check that runs, "" if none does. verdict: of the last check, or
    instead of it what went wrong, as ``trouble``. end: what the verdict means for what to do next.
    """

    title: str
    task: str
    file: str
    note: str = ""
    checking: str = ""
    verdict: Verdict | None = None
    trouble: str = ""
    end: str = ""


class Board(Protocol):
    def show(self, sheet: Sheet) -> None:
        """Draw, or tell what is new."""

    def page(self) -> None:
        """From here on a command writes in the place of the sheet."""

    def end_page(self) -> None:
        """It has written all; show which keys there are."""

    def resized(self) -> None:
        """If the window has another size now, draw again."""

    def suspend(self) -> None:
        """The terminal goes to somebody else for a while."""

    def resume(self) -> None:
        """It is ours again."""

    def close(self, words: str) -> None:
        """Give the terminal back, with some last words."""


class Picture:
    """On a terminal that can be drawn on."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._theme = theme_for(console.encoding)
        self._sheet: Sheet | None = None
        self._size = console.size
        self._key_lines = 1
        # What stood on the screen before is scrolled up, not lost.
        self._write("\n" * (self._size.height - 1) + _HIDE_CURSOR)

    def show(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self._draw()

    def page(self) -> None:
        self._sheet = None
        self._write(_HOME + _CLEAR + _SHOW_CURSOR)

    def end_page(self) -> None:
        self._write(_HIDE_CURSOR + "\n" + self._text(self._keys("enter", "back")).removesuffix("\n"))

    def resized(self) -> None:
        before, self._size = self._size, self._console.size
        if before != self._size and self._sheet is not None:
            self._write(_CLEAR)
            self._draw()

    def suspend(self) -> None:
        self._write(_HOME + _CLEAR + _SHOW_CURSOR)

    def resume(self) -> None:
        self._write(_HIDE_CURSOR)

    def close(self, words: str) -> None:
        keys = "\r" + _CLEAR_LINE + (_UP + _CLEAR_LINE) * (self._key_lines - 1)
        self._write(keys + _SHOW_CURSOR + "\n".join(self._wrap(words)) + "\n")

    def _draw(self) -> None:
        assert self._sheet is not None
        width, height = self._console.size
        keys = self._keys()
        lines = self._fitting(self._sheet, width, height - len(keys) - 1)
        lines += [[]] * max(height - len(lines) - len(keys), 1)
        text = self._text([*lines, *keys]).removesuffix("\n")
        self._write(_HOME + text.replace("\n", f"{_CLEAR_LINE}\n") + _CLEAR_LINE + _CLEAR_BELOW)

    def _fitting(self, sheet: Sheet, width: int, height: int) -> list[Line]:
        """With as much as there is room for; what failed is shown in any case."""
        lines: list[Line] = []
        for rows, brief in [
            *((rows, False) for rows in range(_MOST_ROWS, _LEAST_ROWS, -1)),
            (_LEAST_ROWS, True),
        ]:
            lines = list(self._lines(sheet, width, rows, brief=brief))
            if len(lines) <= height:
                break
        return lines

    def _lines(self, sheet: Sheet, width: int, rows: int, *, brief: bool) -> Iterator[Line]:
        """brief: sentences that held are only counted, and what the script wrote is left out."""
        for number, part in enumerate(self._wrap(f"{sheet.title}: {sheet.task}", "  ")):
            yield text_line(part, None if number else EMPHASIS)
        yield from (text_line(part, DIM) for part in self._wrap(sheet.file, "  "))
        yield []
        if sheet.note:
            yield from (text_line(part) for part in self._wrap(sheet.note))
            yield []
        if sheet.checking:
            yield from (text_line(part, EMPHASIS) for part in self._wrap(sheet.checking))
            return
        if sheet.trouble:
            yield from (text_line(part) for part in self._wrap(sheet.trouble))
        if sheet.verdict is not None:
            message, evidence = _failure(sheet.verdict)
            held = sheet.verdict.held
            yield from verdict_lines(
                [f"{len(held)} sentences of the check hold."] if brief and len(held) > 1 else held,
                message,
                evidence,
                self._theme,
                width,
                knobs=sheet.verdict.knobs,
                output="" if brief else sheet.verdict.output,
                rows=rows,
            )
        if sheet.end:
            yield []
            yield from (text_line(part, EMPHASIS) for part in self._wrap(sheet.end))

    def _keys(self, *first: str) -> list[Line]:
        """As much as fits: all keys with their names, or the keys alone."""
        width = max(self._console.size.width, _LEAST_WIDTH)
        items = [" ".join(first)] if first else []
        items += [f"{key} {name}" for key, (name, _) in KEYS.items()]
        lines = _flowed(items, width - 1)
        if len(lines) > _MOST_KEY_LINES:
            lines = _flowed([*(first[:1]), *(key for key in KEYS if key != "?"), "? keys"], width - 1)
        self._key_lines = min(len(lines), _MOST_KEY_LINES)
        return [text_line(line, DIM) for line in lines[:_MOST_KEY_LINES]]

    def _wrap(self, text: str, rest: str = "") -> list[str]:
        width = min(max(self._console.size.width - 1, _LEAST_WIDTH), _WIDEST_TEXT)
        return textwrap.wrap(text, width, subsequent_indent=rest, break_on_hyphens=False) or [""]

    def _text(self, lines: Sequence[Line]) -> str:
        with self._console.capture() as captured:
            self._console.print(Lines(lines), soft_wrap=True, highlight=False)
        return captured.get()

    def _write(self, text: str) -> None:
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except OSError:  # the terminal's window was closed: a signal will tell
            reader_left()


class Log:
    """Words, one after another. keys: somebody can press some."""

    def __init__(self, keys: bool) -> None:
        self._pressed = keys
        self._last: Sheet | None = None

    def show(self, sheet: Sheet) -> None:
        last, self._last = self._last, sheet
        if last is None or last.title != sheet.title:
            self._say(f"\n{sheet.title}: {sheet.task}", f"  {sheet.file}")
        if sheet.note and (last is None or last.note != sheet.note):
            self._say(sheet.note)
        if sheet.checking:
            if last is None or not last.checking:
                self._say(sheet.checking)
            return
        if sheet.trouble:
            self._say(f"  {sheet.trouble}")
        if sheet.verdict is not None:
            message, evidence = _failure(sheet.verdict)
            lines = verdict_text(
                sheet.verdict.held,
                message,
                evidence,
                knobs=sheet.verdict.knobs,
                output=sheet.verdict.output,
            )
            self._say(*lines)
        if sheet.end:
            self._say(sheet.end)
        if not sheet.checking:
            self.end_page()

    def page(self) -> None:
        self._say("")

    def end_page(self) -> None:
        if self._pressed:
            self._say("Keys: " + ", ".join(f"{key} {name}" for key, (name, _) in KEYS.items()))

    def resized(self) -> None:
        """Lines that are written stay as they are."""

    def suspend(self) -> None:
        """There is nothing to give."""

    def resume(self) -> None:
        """Nor to take."""

    def close(self, words: str) -> None:
        self._say(words)

    def _say(self, *lines: str) -> None:
        for line in lines:
            click.echo(wrapped_for(sys.stdout, line))
        sys.stdout.flush()


def _failure(verdict: Verdict) -> tuple[str | None, Evidence | None]:
    failure = verdict.failure
    return (None, None) if failure is None else (failure.message, failure.evidence)


def _flowed(items: Sequence[str], width: int) -> list[str]:
    """The items in lines, none broken in two."""
    lines = [""]
    for item in items:
        longer = f"{lines[-1]}  {item}" if lines[-1] else item
        if len(longer) > width and lines[-1]:
            lines.append(item)
        else:
            lines[-1] = longer
    return lines
