"""The figures as Markdown: against their targets, and into the page of the documentation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from benchmarks.summary import Summary

_NEAR: Final = 0.1


class Bound(Enum):
    AT_MOST = "at most"
    AT_LEAST = "at least"
    NEAR = f"within {_NEAR:.0%} of"


@dataclass(frozen=True, slots=True)
class Target:
    limit: float
    bound: Bound = Bound.AT_MOST

    def is_met(self, figure: float) -> bool:
        if self.bound is Bound.NEAR:
            return abs(figure / self.limit - 1) <= _NEAR
        return figure <= self.limit if self.bound is Bound.AT_MOST else figure >= self.limit


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. text: how to write a figure, with its unit. target: None if there is none."""

    what: str
    summary: Summary
    text: Callable[[float], str]
    target: Target | None = None


def verdict(figure: float, target: Target | None) -> str:
    """Met, or by how much of the target not."""
    if target is None:
        return ""
    if target.is_met(figure):
        return "met"
    off = figure / target.limit - 1
    return f"missed by {abs(off):.1%}" if abs(off) < 0.1 else f"missed by {abs(off):.0%}"


def row_cells(row: Row) -> list[str]:
    summary, target = row.summary, row.target
    spread = "" if summary.rounds == 1 else f"{row.text(summary.least)} .. {row.text(summary.most)}"
    limit = "" if target is None else f"{target.bound.value} {row.text(target.limit)}"
    return [
        row.what,
        row.text(summary.median),
        spread,
        str(summary.rounds),
        limit,
        verdict(summary.median, target),
    ]


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """With columns of even width, so that it reads well on a terminal too."""
    widths = [max(len(cells[i]) for cells in [head, *rows]) for i in range(len(head))]
    lines = [head, ["-" * width for width in widths], *rows]
    return "\n".join(
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)) + " |"
        for cells in lines
    )


def machine_lines(facts: Mapping[str, str]) -> str:
    return "\n".join(f"- {name}: {fact}" for name, fact in facts.items())


def with_table(page: str, tables: str, section: str = "") -> str:
    """The page with other tables between the marks of a section. Raises ValueError if it has no marks."""
    name = f"benchmarks {section}".strip()
    begin, end = page.find(f"<!-- {name}: begin"), page.find(f"<!-- {name}: end -->")
    begin_ends = page.find("-->", begin)
    if begin < 0 or not begin < begin_ends < end:
        raise ValueError(f"the page has no marks between which the tables go: {name}")
    return f"{page[: begin_ends + 3]}\n\n{tables}\n\n{page[end:]}"
