"""Markdown texts: drawn in a terminal, and otherwise printed as they are, in lines that fit.

Not here: sentences without Markdown (see ``terminal.wrapped``), reports (see ``render``).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from asyncdemo.cli.terminal import styled, wrapped

if TYPE_CHECKING:
    from rich.console import Console

_WIDEST = 100
_BEGINS = re.compile(r"(\s*(?:[-*]|\d+\.) +)\S")
"""A list item, and the indentation of its other lines."""
_AS_IT_IS = re.compile(r"\s*(?:\||#|$)")
"""A table row, a heading, an empty line."""


def print_markdown(text: str, console: Console | None) -> None:
    """Print a text with an empty line below it. ``console``: None for a pipe or a screen reader."""
    if console is None or not console.encoding.startswith("utf"):  # Rich needs a bullet for each item
        encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        words = "\n".join(_lines(text)).encode(encoding, "backslashreplace").decode(encoding)
        click.echo((words if console is None else styled(words)) + "\n")
    else:
        from rich.markdown import Markdown

        console.print(Markdown(text), width=min(console.width, _WIDEST))
        console.print()


def _lines(text: str) -> Iterator[str]:
    paragraph: list[str] = []
    is_code = False
    for line in text.splitlines():
        fence = line.lstrip().startswith("```")
        if paragraph and (fence or _AS_IT_IS.match(line) or _BEGINS.match(line)):
            yield _paragraph(paragraph)
            paragraph = []
        if is_code or fence or _AS_IT_IS.match(line):
            yield line
            is_code ^= fence
        else:
            paragraph.append(line)
    if paragraph:
        yield _paragraph(paragraph)


def _paragraph(lines: list[str]) -> str:
    begins = _BEGINS.match(lines[0])
    first = begins[1] if begins else lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    words = " ".join([lines[0][len(first) :], *(line.strip() for line in lines[1:])])
    return wrapped(words, first, " " * len(first))
