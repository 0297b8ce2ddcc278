"""The variants of a lesson side by side: they may differ only in the lines that the manifest names.

Why: a reader compares the variants line by line, so each line that differs must be about the concept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest

__all__ = ["differences", "without"]


def without(source: str, differing: Sequence[str]) -> tuple[list[str], list[str]]:
    """The lines of a source that are not declared to differ, and declared lines that it does not have.

    differing: lines without indentation, in the order in which they occur; each stands for one line.
    """
    declared = list(differing)
    kept = []
    for line in source.splitlines():
        if declared and line.strip() == declared[0]:
            del declared[0]
        else:
            kept.append(line)
    return kept, declared


def differences(sources: Mapping[str, str], differing: Mapping[str, Sequence[str]]) -> list[str]:
    """What is wrong, in sentences; nothing if all variants agree outside the declared lines.

    sources, differing: variant -> its text, and the lines of it that may differ.
    """
    problems = []
    rest = {}
    for name, source in sources.items():
        rest[name], missing = without(source, differing[name])
        if missing:
            problems.append(
                f"{name}: the line {missing[0]!r} is declared to differ, but is not there in that order"
            )
    first = next(iter(rest))
    for name, lines in rest.items():
        for ours, theirs in zip_longest(rest[first], lines):
            if ours != theirs:
                problems.append(
                    f"{first} has {ours!r} where {name} has {theirs!r}, and no manifest entry allows it"
                )
                break
    return problems
