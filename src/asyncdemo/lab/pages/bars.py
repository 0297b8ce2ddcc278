"""Published figures as bars or marks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from asyncdemo.lab.render.bars import SERIES, Bar, Bars, Mark, bars_html
from asyncdemo.lab.results.published import Figure, Table, load_article


def chart(article: str, table: str, column: str, scale: str = "", title: str = "") -> str:
    """Return a chart of ``column``, or of several with commas. ``scale`` may be "log"."""
    shown = load_article(article).table(table)
    columns = [key.strip() for key in column.split(",")]
    return bars_html(published_bars(shown, columns, title=title, logarithmic=scale == "log"))


def published_bars(
    table: Table, columns: Sequence[str], title: str = "", *, logarithmic: bool = False
) -> Bars:
    """Return one column as bars, or as marks on an axis without zero; several columns always as marks."""
    heads = {column.key: column for column in table.columns}
    rows = [
        (table.name(row), [(key, table.figure(row, key)) for key in columns]) for row in table.rows
    ]  # fmt: skip
    unit = heads[columns[0]].unit
    as_bar = len(columns) == 1 and not logarithmic
    return Bars(
        title=title or heads[columns[0]].title,
        unit=unit,
        rows=tuple(
            Bar(
                label=name,
                text=" ".join(_shown(figure, unit) for _, figure in figures),
                description=f"{name}: "
                + ", ".join(f"{heads[key].title} {_shown(figure, unit)}" for key, figure in figures),
                bar=figures[0][1].value if as_bar else None,
                marks=() if as_bar else tuple(_marks(figure for _, figure in figures)),
            )
            for name, figures in rows
        ),
        legend=tuple(zip(SERIES, (heads[key].title for key in columns), strict=False))
        if len(columns) > 1
        else (),
        logarithmic=logarithmic,
        kind="theirs",
    )


def _marks(figures: Iterable[Figure]) -> Iterator[Mark]:
    for kind, figure in zip(SERIES, figures, strict=False):
        if figure.value is not None:
            yield Mark(kind, figure.value)


def _shown(figure: Figure, unit: str) -> str:
    """Return the figure as published, with its unit if the text has none."""
    return figure.text if figure.value is None or not figure.text[-1].isdigit() else f"{figure.text}{unit}"
