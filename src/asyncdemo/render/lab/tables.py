"""Tables and lists of terms as HTML, as the pages about measurements have them.

Not for: what stands in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def table(head: Sequence[str], rows: Iterable[Sequence[str]], label: str, *, words: bool = False) -> str:
    """A table in a box that scrolls, with the keyboard, too. Cells are HTML; a row begins with its name.

    A column in which no row has anything is left out.
    words: its cells are words rather than figures, so on a narrow screen each row becomes a block. The roles
    say what it is, as what is not laid out as a table would be none for a screen reader.
    """
    told = [*rows]
    kept = [column for column, _ in enumerate(head) if column == 0 or any(row[column] for row in told)]
    head = [head[column] for column in kept]
    # No role on these: the theme would take them for buttons that sort.
    heads = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    labels = [f' data-label="{cell}"' if words else "" for cell in head[1:]]
    body = "".join(_row(labels, [row[column] for column in kept]) for row in told)
    kind = "measure-stack" if words else "measure-numbers"
    return (
        f'<div class="measure-scroll" role="region" tabindex="0" aria-label="{escape(label)}">'
        f'<table class="measure-table {kind}" role="table">'
        f'<thead role="rowgroup"><tr role="row">{heads}</tr></thead>'
        f'<tbody role="rowgroup">{body}</tbody></table></div>'
    )


def items(pairs: Iterable[tuple[str, str]]) -> str:
    """A list of terms with what is said of each; both are HTML. Terms without words are left out."""
    told = "".join(f"<dt>{term}</dt><dd>{words}</dd>" for term, words in pairs if words)
    return f'<dl class="measure-items">{told}</dl>'


def _row(labels: Sequence[str], row: Sequence[str]) -> str:
    cells = "".join(
        f'<td role="cell"{label}>{cell}</td>' for label, cell in zip(labels, row[1:], strict=True)
    )
    return f'<tr role="row"><th scope="row" role="rowheader">{row[0]}</th>{cells}</tr>'
