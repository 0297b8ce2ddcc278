"""A variant as it is shown to be read: without its docstring, with the lines marked in which it differs.

Not for: showing it, or checking that it differs nowhere else (``pairs``).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from asyncdemo.course.content.lesson import Variant


@dataclass(frozen=True, slots=True)
class Listing:
    """source: the whole file. first: number of the first line to be shown. marked: numbers of lines."""

    source: str
    first: int
    marked: frozenset[int]

    @property
    def lines(self) -> tuple[str, ...]:
        """Those to be shown."""
        return tuple(self.source.splitlines()[self.first - 1 :])


def listing(variant: Variant) -> Listing:
    """The docstring is left out, as the lesson's question says it too."""
    written = variant.path.read_text(encoding="utf-8")
    # What is said to mypy says too much to a learner: "unused-coroutine" is what a lesson asks about.
    source = re.sub(r"  # type: ignore\[.*?\]", "", written)
    return Listing(source, _first_line(source), _differing(written, variant.differs))


def _first_line(source: str) -> int:
    """The one after the module's docstring and the empty lines below it."""
    tree = ast.parse(source)
    if ast.get_docstring(tree, clean=False) is None:
        return 1
    lines = source.splitlines()
    first = (tree.body[0].end_lineno or 0) + 1
    while first <= len(lines) and not lines[first - 1].strip():
        first += 1
    return first


def _differing(source: str, declared: Sequence[str]) -> frozenset[int]:
    """Numbers of the lines that the manifest declares to differ, which it does in order."""
    left = list(declared)
    numbers = []
    for number, line in enumerate(source.splitlines(), start=1):
        if left and line.strip() == left[0]:
            del left[0]
            numbers.append(number)
    return frozenset(numbers)
