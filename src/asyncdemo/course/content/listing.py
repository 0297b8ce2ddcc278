"""A variant as readers see it: without its docstring, and with the differing lines marked.

Not here: showing it, or checking that no other lines differ (see ``course.rules.scripts``).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from asyncdemo.course.content.lesson import Variant


@dataclass(frozen=True, slots=True)
class Listing:
    """A listing: the whole file, the number of the first line to show, and the numbers of marked lines."""

    source: str
    first: int
    marked: frozenset[int]

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines to show."""
        return tuple(self.source.splitlines()[self.first - 1 :])


def listing(variant: Variant) -> Listing:
    """Return the variant's listing, without the docstring, which repeats the lesson's question."""
    written = variant.path.read_text(encoding="utf-8")
    # Comments for mypy give too much away: "unused-coroutine" is what a lesson asks about.
    source = re.sub(r"  # type: ignore\[.*?\]", "", written)
    marked, _ = declared_lines(written, variant.differs)
    return Listing(source, _first_line(source), frozenset(marked))


def declared_lines(source: str, differing: Sequence[str]) -> tuple[list[int], list[str]]:
    """Return the numbers of the lines that are declared to differ, and the declared lines that are missing.

    ``differing`` has lines without indentation, in order; each stands for one line.
    """
    left = list(differing)
    numbers = []
    for number, line in enumerate(source.splitlines(), start=1):
        if left and line.strip() == left[0]:
            del left[0]
            numbers.append(number)
    return numbers, left


def _first_line(source: str) -> int:
    """Return the number of the line after the module's docstring and the blank lines below it."""
    tree = ast.parse(source)
    if ast.get_docstring(tree, clean=False) is None:
        return 1
    lines = source.splitlines()
    first = (tree.body[0].end_lineno or 0) + 1
    while first <= len(lines) and not lines[first - 1].strip():
        first += 1
    return first
