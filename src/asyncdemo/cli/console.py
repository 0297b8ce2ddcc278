"""Creates the Rich console of all commands, and prints the picture or the text of finished runs."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from dataclasses import replace

import click
from rich.console import Console
from rich.theme import Theme

from asyncdemo.model import Run
from asyncdemo.recording.runner import SYNTAX_ERROR
from asyncdemo.render.terminal.output import Tail


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Let ``cli.main`` decide how the command ends: Rich would end the process."""
        raise BrokenPipeError


def make_console() -> Console:
    # By default, Rich writes code in a text on black, which looks bad on a light terminal.
    return _Console(highlight=False, theme=Theme({"markdown.code": "bold"}))


def print_runs(
    runs: Sequence[Run],
    console: Console | None,
    meant: Collection[str] = (),
    *,
    details: bool = False,
    heard: bool = False,
) -> None:
    """Print the final report: a picture on the console, or text on stdout without one.

    ``meant`` names runs that ended as intended, though they did not finish. ``details``: all figures, and in
    text every row. ``heard``: the scripts' output was already shown, including Python's message about a
    syntax error.
    """
    if heard:
        runs = [
            replace(run, notes=tuple(note for note in run.notes if SYNTAX_ERROR not in note)) for run in runs
        ]
    if console is None:
        from asyncdemo.render.text.plain import render_plain

        encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        click.echo(render_plain(runs, encoding=encoding, meant=meant, details=details), nl=False)
    else:
        from asyncdemo.render.terminal.report import print_report

        print_report(runs, console, meant=meant, details=details)


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
