"""What watch mode shows for a while in the place of a verdict: other commands, a timeline, the keys."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module

import click
from rich.console import Console

from asyncdemo.cli.board import KEYS
from asyncdemo.cli.console import print_runs
from asyncdemo.cli.terminal import wrapped
from asyncdemo.errors import AsyncdemoError
from asyncdemo.model import Run

__all__ = ["command_page", "keys_page", "timeline_page"]


def command_page(name: str, arguments: Sequence[str], *, plain: bool) -> None:
    """Another command of ours, in this process, so that none is left whatever ends it."""
    called: click.Command = import_module(f"asyncdemo.cli.{name}").command
    color = False if plain or os.environ.get("NO_COLOR") else None
    try:
        called.main(list(arguments), f"asyncdemo {name}", standalone_mode=False, color=color)
    except AsyncdemoError as error:
        click.echo(wrapped(str(error)))
    except click.ClickException as error:
        error.show()
    except click.Abort:
        click.echo()


def timeline_page(runs: Sequence[Run], functions: Sequence[str], console: Console | None) -> None:
    """The last run; of its lanes those of the functions, if there are any. console: None for words."""
    if not runs:
        click.echo("There is no timeline yet: nothing of this exercise has run.")
        return
    run = runs[-1]
    lanes = tuple(lane for lane in run.lanes if lane.function in functions) or run.lanes
    print_runs([replace(run, lanes=lanes)], console, details=console is None)


def keys_page() -> None:
    for key, (name, words) in KEYS.items():
        click.echo(wrapped(words, f"  {key}  {name:<12}", " " * 17))
    click.echo("\n" + wrapped("Enter goes back to the verdict. Whatever you save is checked at once."))
