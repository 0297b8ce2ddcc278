"""The variants of a lesson as readers see them: without docstrings, and with the differing lines marked."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

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


def listings(variants: Sequence[Variant]) -> dict[str, Listing]:
    """Return a listing of each variant by name. Lines that not all of the variants have are marked.

    Docstrings are left out: they repeat the lesson's question.
    """
    # Comments for mypy give too much away: "unused-coroutine" is what a lesson asks about.
    sources = [
        re.sub(r"  # type: ignore\[.*?\]", "", variant.path.read_text(encoding="utf-8"))
        for variant in variants
    ]
    firsts = [_first_line(source) for source in sources]
    shown = [source.splitlines()[first - 1 :] for source, first in zip(sources, firsts, strict=True)]
    common = _in_all(shown)
    found = {}
    for place, (variant, source, first) in enumerate(zip(variants, sources, firsts, strict=True)):
        shared = {indices[place] for indices in common}
        marked = {index for index, line in enumerate(shown[place]) if line.strip() and index not in shared}
        found[variant.name] = Listing(source, first, frozenset(first + index for index in marked))
    return found


def _in_all(texts: Sequence[list[str]]) -> list[tuple[int, ...]]:
    """Return the lines that all texts have in the same order: for each, its index in every text."""
    common: list[tuple[int, ...]] = [(index,) for index in range(len(texts[0]))]
    for text in texts[1:]:
        matcher = SequenceMatcher(None, [texts[0][indices[0]] for indices in common], text, autojunk=False)
        common = [
            (*common[start + offset], there + offset)
            for start, there, size in matcher.get_matching_blocks()
            for offset in range(size)
        ]
    return common


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
