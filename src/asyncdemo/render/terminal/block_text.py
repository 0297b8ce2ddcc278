"""Block letters, for what must be readable at the back of a room.

Not for: text of any length. Capitals, digits, a few signs, and the small letters that units have.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from types import MappingProxyType

_GLYPHS = MappingProxyType(
    {
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
)
"""The five rows of each, as dots."""

_ROWS = 5
_HALVES = " ▀▄█"
"""The upper dot counts one, the lower two."""


def can_spell(text: str) -> bool:
    return all(char in _GLYPHS for char in _spelling(text))


def block_letters(text: str, width: int, size: int, full: str = "█") -> list[str] | None:
    """The text in lines of block letters, broken between words; None if it cannot be done in that width.

    size: 0 has two dots in the height of a line, and needs ``full`` to be a block; 1 and above as many
    lines to a dot. full: what a dot is made of.
    """
    if not can_spell(text) or (size == 0 and full != _HALVES[3]):
        return None
    rows: list[str] = []
    for words in _broken(_spelling(text).split(), width, size):
        dots = _dots(" ".join(words))
        if _columns(dots, size) > width:
            return None
        rows += [""] * bool(rows) + _drawn(dots, size, full)
    return rows


def _spelling(text: str) -> str:
    """As it is where every letter is there, else in capitals."""
    return text if all(char in _GLYPHS for char in text) else text.upper()


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
    """The five rows of a line of letters, a column of none between two of them."""
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
