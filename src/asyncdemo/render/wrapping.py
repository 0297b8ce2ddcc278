"""Text on lines of a terminal: the only place that wraps, for prose, code, and the output of scripts.

Each loop consumes some of the text, whatever the width and the indentation, so each ends. Widths are in
terminal cells: a wide letter takes two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

_LEAST_WIDTH = 2
"""Room for a wide letter."""
_WORDS = re.compile(r"([ \t\n\r\v\f]*)([^ \t\n\r\v\f]+)")
_CODE_INDENT = 4


def wrap(
    text: str, width: int, first: str = "", rest: str = "", *, cut_words: bool = True, most: int | None = None
) -> list[str]:
    """Return the text's lines: ``first`` opens the first, ``rest`` the others.

    Spaces between words remain, except where a line breaks. No line is wider than ``width``, or than two
    cells if it is less; a longer word is cut. An opening takes at most half of the line.

    Args:
        text: The text. Line breaks in it count as spaces.
        width: The width of the lines.
        first: The opening of the first line.
        rest: The opening of the others.
        cut_words: Whether to cut a word that is longer than a line. Otherwise, it makes its line too long.
        most: The maximum number of lines.
    """
    return list(islice(_wrapped(text, max(width, _LEAST_WIDTH), first, rest, cut_words), most))


def _wrapped(text: str, width: int, first: str, rest: str, cut_words: bool) -> Iterator[str]:
    first, rest = _opening(first, width), _opening(rest, width)
    line, used, is_empty = first, _cell_len(first), True
    # Without trailing space, each match takes up where the last one ended, so the time is linear.
    for match in _WORDS.finditer(text.rstrip(" \t\n\r\v\f")):
        space, word = " " if "\n" in match[1] else match[1].expandtabs(), match[2]
        needed = _cell_len(space) + _cell_len(word)
        if not is_empty and used + needed > width:
            yield line
            line, used, is_empty = rest, _cell_len(rest), True
        if not is_empty:
            line, used = line + space + word, used + needed
            continue
        pieces = _pieces(word, width - max(used, _cell_len(rest))) if cut_words else [word]
        for at, piece in enumerate(pieces):
            if at:
                yield line
                line = rest
            line += piece
        used, is_empty = _cell_len(line), False
    if not is_empty:
        yield line


def _pieces(word: str, room: int) -> list[str]:
    """Return the pieces of a word that each fit, all of it: letters of no width at its end, too."""
    pieces = _chop(word, room)
    rest = word[sum(map(len, pieces)) :]
    return [*pieces, rest] if rest else pieces


def wrap_output(line: str, width: int, most: int) -> list[str]:
    """Return a line that a program wrote, indented as it was, on at most ``most`` lines."""
    line = line.expandtabs()
    indent = "  " + line[: len(line) - len(line.lstrip())]
    return wrap(line, width, indent, indent, most=most)


def break_code(line: str, width: int) -> list[str]:
    """Return a line of code, with what doesn't fit below it, indented further, at spaces or brackets."""
    width = max(width, _LEAST_WIDTH)
    parts, indent = code_parts(line, width)
    return [parts[0].rstrip(), *(" " * indent + part.rstrip() for part in parts[1:])]


def code_parts(line: str, width: int) -> tuple[list[str], int]:
    """Return the parts of a line of code that each fit on a line, and the indentation of all but the first.

    Together, they are the line.
    """
    width = max(width, _LEAST_WIDTH)
    outer = len(line) - len(line.lstrip())
    indent = min(outer + _CODE_INDENT, width // 2, width - _LEAST_WIDTH)
    parts: list[str] = []
    start, room = 0, width
    while start < len(line):
        near = line[start : start + 4 * room]
        fitting = next(iter(_chop(near, room)), near)
        end = start + len(fitting)
        if end < len(line):
            code = max(outer, start) + 1
            end = max(line.rfind(" ", code, end), line.rfind("(", code, end)) + 1 or end
        parts.append(line[start:end])
        start, room = end, width - indent
    return parts or [""], indent


def _cell_len(text: str) -> int:
    if text.isascii():  # Rich is not loaded for it: `asyncdemo list` takes twice as long with it
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _chop(text: str, width: int) -> list[str]:
    if text.isascii():
        return [text[at : at + width] for at in range(0, len(text), width)]
    from rich.cells import chop_cells

    return [piece for piece in chop_cells(text, width) if piece]


def _opening(text: str, width: int) -> str:
    """Return as much as leaves half of the line, and room for a wide letter."""
    room = min(width // 2, width - _LEAST_WIDTH)
    if _cell_len(text) <= room:
        return text
    return next(iter(_chop(text, room)), "") if room else ""
