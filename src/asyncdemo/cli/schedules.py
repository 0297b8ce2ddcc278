"""``asyncdemo schedules``: a script in many schedules, to see whether its outcome holds."""

from __future__ import annotations

from typing import Any

import click

from asyncdemo.analysis.schedules import Exploration, first_difference
from asyncdemo.cli.console import make_console
from asyncdemo.cli.options import json_option, plain_option
from asyncdemo.cli.recording import save_run
from asyncdemo.cli.script import ScriptCommand, ScriptRequest, script_options
from asyncdemo.cli.signals import noting_signals
from asyncdemo.cli.terminal import can_draw, wrap
from asyncdemo.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK
from asyncdemo.model import Evidence, RunOutcome
from asyncdemo.recording.runner import Target
from asyncdemo.render.text.schedules import (
    conclusion,
    delay_words,
    difference_words,
    group_lines,
    group_token,
    schedules_result,
)
from asyncdemo.render.timeline.layout import extent_ns, open_ns
from asyncdemo.safe_text import json_text
from asyncdemo.serving.schedules import MOST_SCHEDULES, explore

_BOUND = (
    "A schedule delays some callbacks by up to 1 s, as a busy machine would. asyncio's own order never "
    "changes. These are samples: a schedule that was not tried may differ."
)


@click.command("schedules", cls=ScriptCommand)
@script_options(
    click.option(
        "-n",
        "number",
        metavar="N",
        type=click.IntRange(min=1, max=MOST_SCHEDULES),
        default=50,
        show_default=True,
        help="How many schedules to try.",
    ),
    plain_option,
    json_option,
    limit="By default, each run may take 10 s.",
)
@click.pass_context
def command(context: click.Context, /, number: int, **request: Any) -> None:
    """Run SCRIPT with ARGS in N schedules, and report whether its outcome is always the same.

    Each run is in virtual time, delayed as on a busy machine. If the outcome differs, the report has the
    smallest schedule in which it does, and the timelines of both runs.
    Options of schedules go before SCRIPT or right after it. From the first other word on, or from a
    `--` on, everything is passed to the script.
    Exit code 1 if the outcome differs or SCRIPT fails.
    """
    wanted = ScriptRequest(**request)
    target, options = wanted.target, wanted.options(confined=True)
    with noting_signals() as signals:
        exploration = explore(target, options, number, lambda: not signals)
    if wanted.as_json:
        click.echo(json_text(schedules_result(target.title, exploration)))
    else:
        _print(target, exploration, plain=wanted.plain)
    groups = exploration.groups
    if wanted.save_to is not None and groups:
        save_run(groups[:2][-1].example.run, wanted.save_to)
    fine = len(groups) == 1 and groups[0].example.run.outcome is RunOutcome.OK
    context.exit(EXIT_INTERRUPTED if exploration.interrupted else EXIT_OK if fine else EXIT_FAILED)


def _print(target: Target, exploration: Exploration, *, plain: bool) -> None:
    click.echo(click.style(wrap(conclusion(target.title, exploration)), bold=True))
    for line in group_lines(exploration):
        click.echo(f"  {line}")
    if exploration.unexplored:
        click.echo(wrap(exploration.unexplored))
    if not exploration.differing:
        if exploration.tried > 1:
            click.echo(wrap(_BOUND))
        return
    first, group = exploration.groups[0].example.run, exploration.differing[0]
    second = group.example.run
    difference = first_difference(first, second)
    token = group_token(group)
    click.echo()
    click.echo(
        wrap(f"The smallest schedule that differs: {delay_words(second)} {difference_words(difference)}")
    )
    click.echo()
    if plain or not can_draw():
        from asyncdemo.render.terminal.evidence import evidence_text

        for run, title in ((first, "Without a delay,"), (second, "With it,")):
            lanes = tuple(range(len(run.lanes)))
            start_ns = open_ns(run)
            for line in evidence_text(Evidence(run, lanes, start_ns, start_ns + extent_ns(run))):
                click.echo(f"{title} {line}" if not line.startswith(" ") else line)
            click.echo()
    else:
        from asyncdemo.render.terminal.draw import Lines
        from asyncdemo.render.terminal.evidence import pair_lines
        from asyncdemo.render.terminal.theme import theme_for

        console = make_console()
        lines = pair_lines(first, second, difference, theme_for(console.encoding), console.width)
        console.print(Lines(lines), soft_wrap=True, highlight=False)
    click.echo(f"To see it again: asyncdemo trace --schedule {token} {target.title}")
    click.echo(wrap(_BOUND))
