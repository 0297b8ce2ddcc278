"""The report of a record as one HTML page: complete without a network or scripts; light, dark, printed.

Not here: its content (see ``fragment``).
"""

from __future__ import annotations

import re
from functools import cache
from html import escape
from importlib.resources import files
from typing import Final

from asyncdemo.lab.results.record import Record
from asyncdemo.render.lab.fragment import report_html

_DARK: Final = re.compile(r'\[data-md-color-scheme="slate"\] \{[^}]*\}')


def render_page(record: Record) -> str:
    title = escape(record.title)
    said = escape(f"Measured {record.started[:10]} by asyncdemo {record.asyncdemo}.")
    return (
        '<!DOCTYPE html>\n<html lang="en" data-md-color-scheme="default">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}: published and measured</title>\n<style>\n{_style()}</style>\n</head>\n"
        f'<body class="md-typeset">\n<main>\n<h1>{title}</h1>\n<p>{said} Absolute figures are of this '
        "machine: only ratios are set beside the published ones.</p>\n"
        f"{report_html(record, folded=False)}\n</main>\n</body>\n</html>\n"
    )


def measure_css() -> str:
    """Return the style sheet for measurements, for a page with the docs site's theme."""
    return _sheet("measure")


@cache
def _style() -> str:
    """Dark mode is an attribute on the docs site; on this page, it follows the system."""
    measure = measure_css()
    dark = "\n".join(_DARK.findall(measure)).replace('="slate"', "")
    shown = f"@media screen and (prefers-color-scheme: dark) {{\n{dark}\n}}\n"
    return f"{_sheet('page')}\n{_DARK.sub('', measure)}\n{shown}"


def _sheet(name: str) -> str:
    return files(__package__).joinpath(f"{name}.css").read_text(encoding="utf-8")
