"""``asyncdemo run LESSON --code``: the variants to read, with marks on the lines that differ.

Not here: running them (see ``run``), or which lines differ (see ``course.content.listing``).
"""

from __future__ import annotations

from collections.abc import Sequence

import click
from rich.console import Console
from rich.syntax import Syntax

from asyncdemo.course.content.lesson import Variant
from asyncdemo.course.content.listing import listing


def print_code(variants: Sequence[Variant], console: Console | None) -> None:
    """Print the code; as plain text if ``console`` is None."""
    for variant in variants:
        click.echo(f"{click.style(variant.name, bold=True)}: {variant.title}\n{variant.path}\n")
        shown = listing(variant)
        if console is None:
            for number, line in enumerate(shown.lines, start=shown.first):
                click.echo(f"{'>' if number in shown.marked else ' '} {number:3} {line}".rstrip())
        else:
            console.print(
                Syntax(
                    shown.source,
                    "python",
                    theme="ansi_dark",  # the terminal's own colours
                    background_color="default",
                    line_numbers=True,
                    line_range=(shown.first, None),
                    highlight_lines=set(shown.marked),
                )
            )
        click.echo()
