"""The one way in which commands make a Rich console, and the picture or the words of finished runs."""

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
        """Rich would end the process; how a command ends is for ``cli.main`` to say."""
        raise BrokenPipeError


def make_console() -> Console:
    # Rich would write code of a text on black, which is a stain on a light terminal.
    return _Console(highlight=False, theme=Theme({"markdown.code": "bold"}))


def print_runs(
    runs: Sequence[Run],
    console: Console | None,
    meant: Collection[str] = (),
    *,
    details: bool = False,
    heard: bool = False,
) -> None:
    """The report at the end: a picture on the console, or words on stdout if there is none.

    meant: names of runs that ended as they should, though not well. details: all figures, and in words every
    row. heard: what the scripts wrote is shown already, and with it what Python says of a syntax error.
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
    """What a script wrote while the picture was there: its newest lines, marked as its own."""
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
