"""The fence ``libraries``: those whose connection pools are recorded, and the names of the pools."""

from __future__ import annotations

from html import escape

from asyncdemo.capture import libraries
from asyncdemo.site.fence import formatter, settings


@formatter
def fence(source: str) -> str:
    """Return a table. There are no settings."""
    settings(source, ())
    rows = "".join(
        f"<tr><td>{escape(library.title)}</td><td><code>{escape(library.pools.name)}</code></td></tr>"
        for library in libraries.known().values()
        if library.pools is not None
    )
    heads = '<th scope="col">pools of</th><th scope="col">name</th>'
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
