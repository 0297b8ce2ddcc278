"""Block letters, for text that must be readable at the back of a room.

Not for long text. Has capitals, digits, a few signs, and the small letters of units.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

_GLYPHS = {
    "A": ".##. #..# #### #..# #..#",
    "B": "###. #..# ###. #..# ###.",
    "C": ".### #... #... #... .###",
    "D": "###. #..# #..# #..# ###.",
    "E": "#### #... ###. #... ####",
    "F": "#### #... ###. #... #...",
    "G": ".### #... #.## #..# .###",
    "H": "#..# #..# #### #..# #..#",
    "I": "### .#. .#. .#. ###",
    "J": "..## ...# ...# #..# .##.",
    "K": "#..# #.#. ##.. #.#. #..#",
    "L": "#... #... #... #... ####",
    "M": "#...# ##.## #.#.# #...# #...#",
    "N": "#...# ##..# #.#.# #..## #...#",
    "O": ".##. #..# #..# #..# .##.",
    "P": "###. #..# ###. #... #...",
    "Q": ".##. #..# #..# #.#. .#.#",
    "R": "###. #..# ###. #.#. #..#",
    "S": ".### #... .##. ...# ###.",
    "T": "##### ..#.. ..#.. ..#.. ..#..",
    "U": "#..# #..# #..# #..# .##.",
    "V": "#...# #...# #...# .#.#. ..#..",
    "W": "#...# #...# #.#.# ##.## #...#",
    "X": "#...# .#.#. ..#.. .#.#. #...#",
    "Y": "#...# .#.#. ..#.. ..#.. ..#..",
    "Z": "#### ...# .##. #... ####",
    "0": ".##. #..# #..# #..# .##.",
    "1": ".#. ##. .#. .#. ###",
    "2": "###. ...# .##. #... ####",
    "3": "###. ...# .##. ...# ###.",
    "4": "#..# #..# #### ...# ...#",
    "5": "#### #... ###. ...# ###.",
    "6": ".##. #... ###. #..# .##.",
    "7": "#### ...# ..#. .#.. .#..",
    "8": ".##. #..# .##. #..# .##.",
    "9": ".##. #..# .### ...# .##.",
    "m": "..... ##.#. #.#.# #.#.# #.#.#",
    "n": ".... ###. #..# #..# #..#",
    "s": ".... .### ##.. ..## ###.",
    "u": ".... #..# #..# #..# .###",
    "x": "... ... #.# .#. #.#",
    " ": ".. .. .. .. ..",
    ".": ". . . . #",
    ",": ".. .. .. .# #.",
    ":": ". # . # .",
    "?": "###. ...# .##. .... .#..",
    "!": "# # # . #",
    "'": "# # . . .",
    "-": "... ... ### ... ...",
    "_": ".... .... .... .... ####",
    "+": "... .#. ### .#. ...",
    "=": "... ### ... ### ...",
    "<": "..# .#. #.. .#. ..#",
    ">": "#.. .#. ..# .#. #..",
    "/": "....# ...#. ..#.. .#... #....",
    "(": ".# #. #. #. .#",
    ")": "#. .# .# .# #.",
    "%": "##..# ##.#. ..#.. .#.## #..##",
}
"""The five rows of each, as dots."""

_ROWS = 5
_HALVES = " ▀▄█"
"""The upper dot counts as one, the lower as two."""


def block_letters(text: str, width: int, size: int, full: str = "█") -> list[str] | None:
    """Return the text in lines of block letters, broken between words; None if the width is too small.

    It is written in capitals if not all of its letters exist; None if not all of those do.
    ``size`` 0 puts two dots in the height of a line, and needs ``full`` to be a block. Larger ones are the
    number of lines per dot. A dot consists of ``full``.
    """
    text = text if set(text) <= _GLYPHS.keys() else text.upper()
    if not set(text) <= _GLYPHS.keys() or (size == 0 and full != _HALVES[3]):
        return None
    rows: list[str] = []
    for words in _broken(text.split(), width, size):
        dots = _dots(" ".join(words))
        if _columns(dots, size) > width:
            return None
        rows += [""] * bool(rows) + _drawn(dots, size, full)
    return rows


def _broken(words: Sequence[str], width: int, size: int) -> list[list[str]]:
    lines: list[list[str]] = []
    for word in words:
        if lines and _columns(_dots(" ".join([*lines[-1], word])), size) <= width:
            lines[-1].append(word)
        else:
            lines.append([word])
    return lines


@cache
def _dots(text: str) -> tuple[str, ...]:
    """Return the five rows of a line of text, with an empty column between letters."""
    glyphs = [_GLYPHS[char].split() for char in text]
    return tuple(".".join(glyph[row] for glyph in glyphs) for row in range(_ROWS))


def _columns(dots: Sequence[str], size: int) -> int:
    # A cell is twice as high as it is wide.
    return len(dots[0]) * max(2 * size, 1)


def _drawn(dots: Sequence[str], size: int, full: str) -> list[str]:
    if size:
        return [
            re.sub("[.#]", lambda dot: (full if dot[0] == "#" else " ") * 2 * size, row).rstrip()
            for row in dots
            for _ in range(size)
        ]
    pairs = zip(dots[::2], [*dots[1::2], "." * len(dots[0])], strict=True)
    return [
        "".join(
            _HALVES[(above == "#") + 2 * (below == "#")] for above, below in zip(upper, lower, strict=True)
        ).rstrip()
        for upper, lower in pairs
    ]
