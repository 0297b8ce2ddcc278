"""The Rich console of all commands, and what is printed on it or as text: reports of runs, Markdown."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import click
from rich.console import Console
from rich.theme import Theme

from asyncdemo.cli.terminal import style, wrap
from asyncdemo.model import Run
from asyncdemo.recording.runner import SYNTAX_ERROR
from asyncdemo.render.terminal.output import Tail

_WIDEST = 100
_BEGINS = re.compile(r"(\s*(?:[-*]|\d+\.) +)\S")
"""A list item, and the indentation of its other lines."""
_AS_IT_IS = re.compile(r"\s*(?:\||#|$)")
"""A table row, a heading, an empty line."""


def make_console() -> Console:
    # By default, Rich writes code in a text on black, which looks bad on a light terminal.
    return Console(highlight=False, theme=Theme({"markdown.code": "bold"}))


def print_runs(
    runs: Sequence[Run],
    console: Console | None,
    expected: Collection[str] = (),
    *,
    details: bool = False,
    output_shown: bool = False,
) -> None:
    """Print the final report: a picture on the console, or text on stdout without one.

    ``expected`` names runs that ended as intended, though they did not finish. ``details``: all figures, and
    in text every row. ``output_shown``: the scripts' output was already shown, including Python's message
    about a syntax error.
    """
    if output_shown:
        runs = [
            replace(run, notes=tuple(note for note in run.notes if SYNTAX_ERROR not in note)) for run in runs
        ]
    if console is None:
        from asyncdemo.render.text.plain import render_plain

        encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        click.echo(render_plain(runs, encoding=encoding, expected=expected, details=details), nl=False)
    else:
        from asyncdemo.render.terminal.report import print_report

        print_report(runs, console, expected=expected, details=details)


def print_output(name: str, tail: Tail, console: Console | None, lines: int) -> None:
    """Print the newest lines that a script wrote during the picture, marked as its own."""
    last = tail.last(lines)
    if not last:
        return
    left_out = tail.total - len(last)
    words = f"{name} wrote" + (f" {tail.total:,} lines; the last {len(last)}:" if left_out > 0 else ":")
    if console is None:
        click.echo("\n".join([words, *(f"  {line.text}" for line in last), ""]))
        return
    console.print(words, style="bold", markup=False)
    for line in last:
        console.print(
            f"  {line.text}", style="red" if line.stream == "stderr" else "", markup=False, soft_wrap=True
        )
    console.print()


def print_markdown(text: str, console: Console | None) -> None:
    """Print a text with an empty line below it. ``console``: None for a pipe or a screen reader."""
    if console is None or not console.encoding.startswith("utf"):  # Rich needs a bullet for each item
        encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        words = "\n".join(_lines(text)).encode(encoding, "backslashreplace").decode(encoding)
        click.echo((words if console is None else style(words)) + "\n")
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
            yield line.lstrip("# ") if line.startswith("#") and not is_code else line
            is_code ^= fence
        else:
            paragraph.append(line)
    if paragraph:
        yield _paragraph(paragraph)


def _paragraph(lines: list[str]) -> str:
    begins = _BEGINS.match(lines[0])
    first = begins[1] if begins else lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    words = " ".join([lines[0][len(first) :], *(line.strip() for line in lines[1:])])
    return wrap(words, first, " " * len(first))
