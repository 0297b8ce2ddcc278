"""The fences ``published``, ``report`` and ``bars``: measurements of five articles, and our own.

    ```published
    article: four-frameworks
    show: table
    table: results
    ```

    ```report
    name: four-frameworks
    show: verdict
    ```

    ```bars
    article: four-frameworks
    table: results
    column: requests_per_s
    ```

The lab makes what they show; its functions have the settings as arguments.
"""

from __future__ import annotations

from asyncdemo.lab.pages import articles, records
from asyncdemo.lab.pages import bars as published_bars
from asyncdemo.site.fence import formatter, settings


@formatter
def published(source: str) -> str:
    return articles.part(**settings(source, {"article", "show", "table"}))


@formatter
def report(source: str) -> str:
    return records.part(**settings(source, {"name", "show"}))


@formatter
def bars(source: str) -> str:
    return published_bars.chart(**settings(source, {"article", "table", "column", "scale", "title"}))
