"""The variants of a lesson side by side: they may differ only in the lines that the manifest names.

Why: a reader compares the variants line by line, so each line that differs must be about the concept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest


@dataclass(frozen=True, slots=True)
class Difference:
    """message: a sentence. line: of the variant; None if it is about a line that is not there."""

    variant: str
    message: str
    line: int | None = None


def without(source: str, differing: Sequence[str]) -> tuple[list[tuple[int, str]], list[str]]:
    """The lines (number, text) that are not declared to differ, and declared lines that are not there.

    differing: lines without indentation, in the order in which they occur; each stands for one line.
    """
    declared = list(differing)
    kept = []
    for number, line in enumerate(source.splitlines(), start=1):
        if declared and line.strip() == declared[0]:
            del declared[0]
        else:
            kept.append((number, line))
    return kept, declared


def differences(sources: Mapping[str, str], differing: Mapping[str, Sequence[str]]) -> Iterator[Difference]:
    """What is wrong; nothing if all variants agree outside the declared lines.

    sources, differing: variant -> its text, and the lines of it that may differ.
    """
    rest = {}
    for name, source in sources.items():
        rest[name], missing = without(source, differing[name])
        if missing:
            yield Difference(
                name, f"{name}: the line {missing[0]!r} is declared to differ, but is not there in that order"
            )
    first = next(iter(rest))
    for name, lines in rest.items():
        for ours, theirs in zip_longest(rest[first], lines, fillvalue=(None, None)):
            if ours[1] != theirs[1]:
                both = f"{first} has {_line(ours[1])} where {name} has {_line(theirs[1])}"
                yield Difference(name, f"{both}, and no manifest entry allows it", theirs[0])
                break


def _line(text: str | None) -> str:
    return "no line" if text is None else repr(text)
