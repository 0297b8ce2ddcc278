"""The terminal's capabilities, and whether to draw on it."""

from __future__ import annotations

import os
import re
import shutil
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager

import click

from asyncdemo.render.wrapping import wrap as wrap_to

_WIDEST = 100
"""Longer lines are hard to read."""
_LEAST_ROOM = 24
_BELOW = " " * 6


def wrap(text: str, first: str = "", rest: str = "") -> str:
    """Wrap the text: ``first`` opens the first line, ``rest`` the others. No word is cut.

    If ``rest`` would leave too little room, the text goes below ``first``.
    """
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    if len(rest) > _LEAST_ROOM and width - len(rest) < _LEAST_ROOM:
        return f"{first.rstrip()}\n{wrap(text, _BELOW, _BELOW)}"
    return "\n".join(wrap_to(text, width, first, rest, cut_words=False))


def wrap_for(stream: object, text: str) -> str:
    """Wrap each line of the text if the stream is a terminal; programs get the lines as they are."""
    if not _is_terminal(stream):
        return text
    return "\n".join(wrap(line, rest=" " * (len(line) - len(line.lstrip()))) for line in text.split("\n"))


def style(text: str, stream: object = None) -> str:
    """Make text between backticks bold instead if the stream (stdout) is a terminal; else keep it."""
    context = click.get_current_context(silent=True)
    if (context is not None and context.color is False) or not can_draw(stream):
        return text
    return re.sub(r"`([^`]+)`", lambda code: click.style(code[1], bold=True), text)


def can_draw(stream: object = None) -> bool:
    """Return whether the stream (stdout) is a terminal that understands control codes."""
    return _is_terminal(stream or sys.stdout) and os.environ.get("TERM") != "dumb"


def can_ask() -> bool:
    """Return whether questions are possible, which takes a terminal on both sides."""
    return _is_terminal(sys.stdin) and _is_terminal(sys.stdout)


def interactive(plain: bool = False, as_json: bool = False) -> bool:
    """Return whether to start a screen: in an interactive terminal that can draw, if text is not wanted."""
    return not (plain or as_json) and can_ask() and can_draw() and in_foreground()


@contextmanager
def hiding_keys() -> Iterator[None]:
    """Disable echo while a picture is drawn: an echoed key would garble it, Enter most of all."""
    if not _is_terminal(sys.stdin) or not in_foreground():
        yield
        return
    keyboard = sys.stdin.fileno()
    before = termios.tcgetattr(keyboard)
    quiet = [*before]
    quiet[3] = before[3] & ~termios.ECHO
    termios.tcsetattr(keyboard, termios.TCSADRAIN, quiet)
    try:
        yield
    finally:
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)


def in_foreground() -> bool:
    """Return whether we may use the terminal: the system stops processes that do so in the background."""
    try:
        return os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    except OSError:  # a terminal, but not the one that controls this session
        return False


def _is_terminal(stream: object) -> bool:
    """Return False also for streams that are missing or closed."""
    try:
        return bool(stream.isatty())  # type: ignore[attr-defined]
    except (AttributeError, ValueError):
        return False
