"""The few pieces of HTML that pages about measurements share.

Not for: what stands in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["items", "table"]


def table(head: Sequence[str], rows: Iterable[Sequence[str]], label: str, *, numbers: bool = False) -> str:
    """A table in a box that scrolls by itself, with the keyboard, too. Cells are HTML; a row begins with
    its name.

    numbers: all but the first cell of a row stand at the right, so that their digits are below each other.
    """
    heads = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    body = "".join(
        f'<tr><th scope="row">{row[0]}</th>{"".join(f"<td>{cell}</td>" for cell in row[1:])}</tr>'
        for row in rows
    )
    kind = "measure-table measure-numbers" if numbers else "measure-table"
    return (
        f'<div class="measure-scroll" role="region" tabindex="0" aria-label="{escape(label)}">'
        f'<table class="{kind}"><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def items(pairs: Iterable[tuple[str, str]]) -> str:
    """A list of terms with what is said of each; both are HTML. Terms without words are left out."""
    told = "".join(f"<dt>{term}</dt><dd>{words}</dd>" for term, words in pairs if words)
    return f'<dl class="measure-items">{told}</dl>'
