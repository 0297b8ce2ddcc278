"""Tables and lists of terms as HTML, for pages about measurements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def table(head: Sequence[str], rows: Iterable[Sequence[str]], label: str, *, words: bool = False) -> str:
    """Return a table in a box that scrolls, also by keyboard. Cells are HTML; the first has the row's name.

    Columns without any content are omitted. ``words`` means cells of words, not figures: on a narrow screen,
    each row becomes a block. The roles are there because screen readers don't recognize a table without table
    layout.
    """
    body_rows = [*rows]
    kept = [column for column, _ in enumerate(head) if column == 0 or any(row[column] for row in body_rows)]
    head = [head[column] for column in kept]
    # No role on these, or the theme takes them for sort buttons.
    heads = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    labels = [f' data-label="{cell}"' if words else "" for cell in head[1:]]
    body = "".join(_row(labels, [row[column] for column in kept]) for row in body_rows)
    kind = "measure-stack" if words else "measure-numbers"
    return (
        f'<div class="measure-scroll" role="region" tabindex="0" aria-label="{escape(label)}">'
        f'<table class="measure-table {kind}" role="table">'
        f'<thead role="rowgroup"><tr role="row">{heads}</tr></thead>'
        f'<tbody role="rowgroup">{body}</tbody></table></div>'
    )


def items(pairs: Iterable[tuple[str, str]]) -> str:
    """Return a list of terms with their descriptions, both in HTML. Terms without one are omitted."""
    listed = "".join(f"<dt>{term}</dt><dd>{words}</dd>" for term, words in pairs if words)
    return f'<dl class="measure-items">{listed}</dl>'


def _row(labels: Sequence[str], row: Sequence[str]) -> str:
    cells = "".join(
        f'<td role="cell"{label}>{cell}</td>' for label, cell in zip(labels, row[1:], strict=True)
    )
    return f'<tr role="row"><th scope="row" role="rowheader">{row[0]}</th>{cells}</tr>'
