"""``asyncdemo trace --schedules``: many schedules of one script, and the report of them."""

from __future__ import annotations

import json

import click

from asyncdemo.analysis.schedules import Exploration, first_difference
from asyncdemo.cli.console import make_console
from asyncdemo.cli.signals import signals_noted
from asyncdemo.cli.terminal import can_draw, wrapped
from asyncdemo.model import Evidence, RunOutcome
from asyncdemo.recording.runner import Options, Target
from asyncdemo.render.text.schedules import (
    conclusion,
    delay_words,
    difference_words,
    group_lines,
    group_token,
    schedules_result,
)
from asyncdemo.render.timeline.layout import extent_ns, open_ns
from asyncdemo.serving.schedules import explore

_BOUND = (
    "A schedule lets up to 1 s pass before some callbacks, as on a busy machine. Asyncio's own order is "
    "never changed. These are samples: one that was not tried may differ."
)


def report_schedules(
    target: Target, options: Options, number: int, *, plain: bool, as_json: bool
) -> Exploration:
    """Run the script in the schedules, and print the results."""
    with signals_noted() as signals:
        exploration = explore(target, options, number, lambda: not signals)
    if as_json:
        click.echo(json.dumps(schedules_result(target.title, exploration)))
    else:
        _print(target, exploration, plain=plain)
    return exploration


def has_failed(exploration: Exploration) -> bool:
    """Return whether some schedule had another result, or the script fails without a delay."""
    groups = exploration.groups
    return len(groups) != 1 or groups[0].example.run.outcome is not RunOutcome.OK


def _print(target: Target, exploration: Exploration, *, plain: bool) -> None:
    click.echo(click.style(wrapped(conclusion(target.title, exploration)), bold=True))
    for line in group_lines(exploration):
        click.echo(f"  {line}")
    if exploration.unexplored:
        click.echo(wrapped(exploration.unexplored))
    if not exploration.differing:
        if exploration.tried > 1:
            click.echo(wrapped(_BOUND))
        return
    first, group = exploration.groups[0].example.run, exploration.differing[0]
    second = group.example.run
    difference = first_difference(first, second)
    token = group_token(group)
    click.echo()
    click.echo(
        wrapped(f"The smallest schedule that differs: {delay_words(second)} {difference_words(difference)}")
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
    click.echo(wrapped(_BOUND))
