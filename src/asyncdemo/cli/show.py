"""``asyncdemo show``: recorded runs again, on a screen to explore, or as text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from asyncdemo import store
from asyncdemo.cli.console import make_console, print_runs
from asyncdemo.cli.options import details_option, json_option, plain_option, recordings_argument
from asyncdemo.cli.terminal import can_draw, interactive
from asyncdemo.errors import UsageError
from asyncdemo.render.text.json_result import script_result
from asyncdemo.safe_text import json_text


@click.command("show")
@recordings_argument
@plain_option
@details_option
@json_option
@click.pass_context
def command(context: click.Context, files: Sequence[Path], plain: bool, details: bool, as_json: bool) -> None:
    """Show recorded runs, several side by side on one scale, or print them.

    FILE is a recording, written by `trace --save` or `run --save`. On a terminal, it opens as a screen: move
    with the arrow keys, zoom with + and -, and press ? for the other keys.
    """
    runs = [store.load(file) for file in files]
    if as_json:
        if len(runs) > 1:
            raise UsageError("--json takes only one FILE.")
        click.echo(json_text(script_result(runs[0].script, runs[0])))
    elif interactive(plain or details, as_json):
        from asyncdemo.course.workspace.context import locate
        from asyncdemo.tui.app import run_application
        from asyncdemo.tui.viewer import ViewerScreen

        context.exit(run_application(locate(None), lambda: ViewerScreen(runs)))
    else:
        print_runs(runs, None if plain or not can_draw() else make_console(), details=details)
