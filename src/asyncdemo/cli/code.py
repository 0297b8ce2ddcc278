"""``asyncdemo run LESSON --code``: the variants to read, with the lines marked in which they differ.

Not for: running them (``run``), or checking that they differ nowhere else (``course.pairs``).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

import click
from rich.console import Console
from rich.syntax import Syntax

from asyncdemo.course.lesson import Variant

__all__ = ["print_code"]


def print_code(variants: Sequence[Variant], console: Console | None) -> None:
    """Each without its docstring, which the lesson's question says too. console: None for plain words."""
    for variant in variants:
        click.echo(f"{click.style(variant.name, bold=True)}: {variant.title}\n{variant.path}\n")
        source = variant.path.read_text(encoding="utf-8")
        first, marked = _first_line(source), set(_differing(source, variant.differs))
        if console is None:
            for number, line in list(enumerate(source.splitlines(), start=1))[first - 1 :]:
                click.echo(f"{'>' if number in marked else ' '} {number:3} {line}".rstrip())
        else:
            console.print(
                Syntax(
                    source,
                    "python",
                    theme="ansi_dark",  # the terminal's own colours
                    background_color="default",
                    line_numbers=True,
                    line_range=(first, None),
                    highlight_lines=marked,
                )
            )
        click.echo()


def _first_line(source: str) -> int:
    """The one after the module's docstring and the empty lines below it."""
    tree = ast.parse(source)
    if ast.get_docstring(tree, clean=False) is None:
        return 1
    lines = source.splitlines()
    first = (tree.body[0].end_lineno or 0) + 1
    while first <= len(lines) and not lines[first - 1].strip():
        first += 1
    return first


def _differing(source: str, declared: Sequence[str]) -> Iterator[int]:
    """Numbers of the lines that the manifest declares to differ, in order."""
    left = list(declared)
    for number, line in enumerate(source.splitlines(), start=1):
        if left and line.strip() == left[0]:
            del left[0]
            yield number
