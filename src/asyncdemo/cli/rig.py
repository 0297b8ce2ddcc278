"""``asyncdemo lab rig-it``: the rig on a screen, or one measurement of it as text.

Not here: measuring (see ``lab.rig``), the screen (see ``tui.rig``), its lines (see ``render.terminal.rig``).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import click

from asyncdemo.cli import lab_results
from asyncdemo.cli.signals import noting_signals
from asyncdemo.cli.terminal import interactive
from asyncdemo.course.workspace.context import CourseContext
from asyncdemo.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, UsageError
from asyncdemo.lab.harness.engines import found_python_clients
from asyncdemo.lab.harness.machine import find
from asyncdemo.lab.harness.protocol.bench import Bench
from asyncdemo.lab.results.rigging import KNOBS, PRESETS, SIDES, Machine, Outcome, Rigging, with_settings
from asyncdemo.lab.rig.session import Session
from asyncdemo.lab.rig.testbed import open_testbed
from asyncdemo.render.terminal.draw import text_line
from asyncdemo.render.terminal.rig import bound_lines, knob_lines, measured_lines
from asyncdemo.safe_text import json_text

FORMAT: Final = "asyncdemo.rig/1"
_PLAIN_WIDTH: Final = 100


def open_rig(
    context: CourseContext, apps: Path, settings: Sequence[str], *, plain: bool, as_json: bool
) -> int:
    """Run the screen in a terminal, or otherwise one measurement with the settings. Return the exit code.

    ``apps`` is the folder of lesson 25; ``settings`` are as typed. Raises UsageError if one is wrong, or if
    there is neither one nor a terminal, and MissingError.
    """
    bench = Bench()
    # including load clients that no experiment uses: at their limit they change the ranking
    more = {engine.name: engine for engine in found_python_clients()}
    bench = replace(bench, engines={**bench.engines, **more})
    clients = tuple(bench.engines)
    rigging = with_settings(Rigging(PRESETS["1"].configuration), settings, clients)
    on_screen = interactive(plain, as_json)
    if not on_screen and not settings:
        raise UsageError(
            "The rig's screen needs a terminal. Without one, say what to measure: "
            "asyncdemo lab rig-it --set workers=4 --set clients=50"
        )
    machine = Machine(
        len(bench.pinning.server) or os.cpu_count() or 1, is_pooled=find("pgbouncer") is not None
    )
    with lab_results.measuring_alone():
        if on_screen:
            return _on_screen(context, apps, rigging, machine, bench)
        return _once(apps, rigging, machine, bench, as_json=as_json)


def _on_screen(context: CourseContext, apps: Path, rigging: Rigging, machine: Machine, bench: Bench) -> int:
    from asyncdemo.tui.app import run_application
    from asyncdemo.tui.rig import RigScreen

    session = Session(lambda say: open_testbed(apps, say, bench), rigging)
    with ExitStack() as stack:
        signals = stack.enter_context(noting_signals())
        stack.enter_context(session)
        stack.callback(signals.draw, partial(click.echo, "Stopping the servers ...", err=True))
        code = run_application(context, lambda: RigScreen(session, rigging, machine, tuple(bench.engines)))
    if trouble := session.state.trouble:
        click.echo(f"asyncdemo: {trouble}", err=True)
    return EXIT_FAILED if trouble and code == EXIT_OK else code


def _once(apps: Path, rigging: Rigging, machine: Machine, bench: Bench, *, as_json: bool) -> int:
    say = partial(click.echo, err=True)
    try:
        with open_testbed(apps, say, bench) as testbed:
            machine = replace(machine, is_pooled="pgbouncer" not in testbed.missing)
            outcome = testbed.measure(rigging, say, lambda _: None, lambda: False)
            # Print first: a port that is still in use at the end is an error.
            _print(outcome, replace(machine, cpu_ms=outcome.cpu_ms), as_json=as_json)
            if not as_json:
                for name, words in testbed.missing.items():
                    click.echo(f"  Without {name}: {words}")
    except KeyboardInterrupt:
        click.echo("Interrupted.", err=True)
        return EXIT_INTERRUPTED
    return EXIT_FAILED if outcome.failed else EXIT_OK


def _print(outcome: Outcome, machine: Machine, *, as_json: bool) -> None:
    if as_json:
        click.echo(json_text(rig_data(outcome, machine)))
        return
    for line in (
        text_line("Rig it: one job, two servers, one database"),
        *knob_lines(outcome.rigging, _PLAIN_WIDTH),
        *bound_lines(outcome.rigging, machine, _PLAIN_WIDTH),
        text_line("Measured"),
        *measured_lines(outcome, machine, _PLAIN_WIDTH),
    ):
        click.echo("".join(segment.text for segment in line))


def rig_data(outcome: Outcome, machine: Machine) -> dict[str, object]:
    """Return the object in docs/reference/json.md. ``machine`` includes measured values."""
    rigging, ratio = outcome.rigging, outcome.ratio
    return {
        "format": FORMAT,
        "settings": {knob.name: rigging.value(knob) for knob in KNOBS},
        "processors": machine.processors,
        "cpu_ms": dict(machine.cpu_ms),
        "bounds_per_s": {side.name: rigging.bound_per_s(side, machine) for side in SIDES},
        "bound_ratio": rigging.bound_ratio(machine),
        "measured_per_s": dict(outcome.per_s),
        "ratio": None
        if ratio is None
        else {"median": ratio.median, "least": ratio.least, "most": ratio.most, "pairs": list(ratio.pairs)},
        "rounds": outcome.rounds,
        "winner": outcome.winner,
        "refused": dict(outcome.refused),
        "failed": outcome.failed,
    }
