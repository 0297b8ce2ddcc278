"""``asyncdemo show``: recorded runs again, replayed on a terminal or in words."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console

from asyncdemo import store
from asyncdemo.cli.console import make_console, print_runs
from asyncdemo.cli.options import json_option, plain_option
from asyncdemo.cli.terminal import can_draw, keys_not_shown
from asyncdemo.errors import UsageError
from asyncdemo.model import Run
from asyncdemo.render.terminal.live import LivePanel, LiveView
from asyncdemo.render.text.json_result import script_result
from asyncdemo.render.timeline.layout import extent_ns, noun
from asyncdemo.render.timeline.replay import Replay

__all__ = ["command"]

_FRAME_S = 0.02


@click.command("show")
@click.argument(
    "files",
    metavar="FILE...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@click.option(
    "--speed",
    metavar="FACTOR",
    type=click.FloatRange(min=0, min_open=True),
    default=1.0,
    show_default=True,
    help="How fast to replay: 2 is twice as fast as it happened.",
)
@click.option("--no-replay", is_flag=True, help="Only the finished picture.")
@plain_option
@json_option
@click.pass_context
def command(
    context: click.Context, files: Sequence[Path], speed: float, no_replay: bool, plain: bool, as_json: bool
) -> None:
    """Replay recorded runs, several side by side on one scale, or print them.

    FILE is what `trace --save` and `run --save` wrote. Ctrl-C jumps to the end.
    """
    runs = [store.load(file) for file in files]
    if as_json:
        if len(runs) > 1:
            raise UsageError("--json shows one recording at a time.")
        click.echo(json.dumps(script_result(runs[0].script, runs[0])))
    elif plain or not can_draw():
        print_runs(runs, None)
    else:
        console = make_console()
        if not no_replay:
            _replay(runs, console, speed)
        print_runs(runs, console)
    context.exit(0)


def _replay(runs: Sequence[Run], console: Console, speed: float) -> None:
    panels = [LivePanel(run.name, noun=noun(run)) for run in runs]
    replays = [Replay(run, panel) for run, panel in zip(runs, panels, strict=True)]
    length_ns = max(map(extent_ns, runs))
    start_ns = time.monotonic_ns()
    try:
        with keys_not_shown(), LiveView(panels, console) as view:
            while (now_ns := int((time.monotonic_ns() - start_ns) * speed)) < length_ns:
                for replay in replays:
                    replay.advance(now_ns)
                view.update()
                time.sleep(_FRAME_S)
    except KeyboardInterrupt:
        console.print()
