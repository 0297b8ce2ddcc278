"""Remarks on the rows of a group besides their figures; those that several rows share appear once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from asyncdemo.lab.render.report_text import Group, costs, medians, published
from asyncdemo.lab.results.comparison import Comparison
from asyncdemo.lab.results.flags import Flag, FlagKind, Withdraws


@dataclass(frozen=True, slots=True)
class Folded:
    """A remark. ``said`` has (names of rows, words); the names are "" if the group has no other row.

    ``closing`` applies to all of them.
    """

    term: str
    said: tuple[tuple[str, str], ...]
    closing: str = ""
    withdraws: Withdraws = Withdraws.NOTHING

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield pairs as in ``said``. The closing is part of the words of a single pair, else separate."""
        if len(self.said) == 1 and self.closing:
            ((names, words),) = self.said
            yield names, f"{words} {self.closing}"
            return
        yield from self.said
        if self.closing:
            yield "", self.closing


def arithmetic(group: Group, *, with_medians: bool = False) -> Iterator[Folded]:
    """Yield the sources of published ratios and bounds. ``with_medians``: they have no column."""
    yield _folded(group, "published", ((row.name, _source(row)) for row in group.rows))
    yield _folded(group, "bound", ((row.name, row.bound.words) for row in group.rows if row.bound))
    if with_medians:
        yield _folded(group, "medians", ((row.name, medians(row)) for row in group.rows))


def differing_everywhere(every: Sequence[Group]) -> tuple[str, ...]:
    """Return what differs in all rows of a report with several groups, to be said before them."""
    rows = [row for group in every for row in group.rows]
    if len(every) < 2:
        return ()
    return tuple(words for words in rows[0].differs if all(words in row.differs for row in rows))


def differing(group: Group, everywhere: Collection[str] = ()) -> Folded:
    """Return the differences in a group, except those ``everywhere``, which were already said."""
    pairs = ((row.name, words) for row in group.rows for words in row.differs if words not in everywhere)
    return _folded(group, "differs", pairs)


def doubts(group: Group) -> Iterator[Folded]:
    """Yield the flags of its rows; those of the same kind, with the same advice, together."""
    kinds: dict[tuple[FlagKind, str], list[tuple[str, Flag]]] = {}
    for row in group.rows:
        for flag in row.flags:
            kinds.setdefault((flag.kind, flag.advice), []).append((row.name, flag))
    for (kind, advice), flags in kinds.items():
        folded = _folded(group, kind.value, ((name, flag.words) for name, flag in flags))
        closing = " ".join(filter(None, (costs(flags[0][1]), advice)))
        yield replace(folded, closing=closing, withdraws=flags[0][1].withdraws)


def _folded(group: Group, term: str, pairs: Iterable[tuple[str, str]]) -> Folded:
    """Fold ``pairs`` (name of a row, words), without those that have no words."""
    having: dict[str, list[str]] = {}
    for name, words in pairs:
        if words:
            having.setdefault(words, []).append(name)
    rows = [row.name for row in group.rows]
    return Folded(term, tuple((_whom(names, rows), words) for words, names in having.items()))


def _whom(names: Sequence[str], rows: Sequence[str]) -> str:
    if len(rows) == 1:
        return ""
    others = [name for name in rows if name not in names]
    if not others:
        return "all"
    return f"all but {', '.join(others)}" if 2 * len(others) < len(names) else ", ".join(names)


def _source(row: Comparison) -> str:
    """Return the source of its published ratio; "" if it only repeats the ratio."""
    if row.published is None or row.published.words.startswith(f"{published(row)[:-1]} "):
        return ""
    return row.published.words
