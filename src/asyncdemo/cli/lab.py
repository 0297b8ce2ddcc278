"""``asyncdemo lab``: measure an experiment on real servers, and report the results."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Final

import click
from click.shell_completion import CompletionItem

from asyncdemo.cli import lab_results
from asyncdemo.cli.console import make_console
from asyncdemo.cli.lab_list import apps_of, as_data, find_entry, print_list
from asyncdemo.cli.lab_measuring import Measured, Order, measure
from asyncdemo.cli.options import course_option, json_option, plain_option
from asyncdemo.cli.terminal import can_ask, can_draw, wrapped, wrapped_for
from asyncdemo.course.workspace.context import locate, shown_path
from asyncdemo.errors import EXIT_INTERRUPTED, EXIT_MISSING, EXIT_OK, ServiceError, UsageError
from asyncdemo.lab.experiments import EXPERIMENTS
from asyncdemo.lab.results.flags import FlagKind
from asyncdemo.lab.results.record import dump_record
from asyncdemo.lab.results.setup import Extent

_RIG: Final = "rig-it"
"""The lesson in which learners do their own experiment."""


def _complete(context: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:  # noqa: ARG001
    return [CompletionItem(entry.name, help=entry.title) for entry in EXPERIMENTS if typed in entry.name]


@click.command("lab", short_help="Measure real servers.")
@click.argument("name", metavar="[LESSON|EXPERIMENT]", required=False, shell_complete=_complete)
@click.option("--quick", is_flag=True, help="About a minute: few rounds and settings, and nothing is ranked.")
@click.option("--full", is_flag=True, help="Longer windows, more settings. Under an hour.")
@plain_option
@json_option
@click.option(
    "--save",
    "save_to",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep the record (.json) and its page (.html) there. An older record is overwritten, but not a "
    "complete one by one that was ended early; any other file of that name is not. Without this option, a "
    "new folder is made, and named at the end.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    metavar="N",
    help="The seed for the order in which contestants take turns.",
)
@click.option(
    "--set",
    "set_to",
    metavar="KNOB=VALUE",
    multiple=True,
    help="For the rig, `asyncdemo lab rig-it`: start with this. Can be given several times.",
)
@click.option("--fresh", is_flag=True, help="Start over, even if an earlier run could continue.")
@click.option("--no-predict", is_flag=True, help="Ask nothing.")
@course_option
@click.pass_context
def command(
    context: click.Context,
    name: str | None,
    quick: bool,
    full: bool,
    plain: bool,
    as_json: bool,
    save_to: Path | None,
    seed: int | None,
    set_to: tuple[str, ...],
    fresh: bool,
    no_predict: bool,
    course_folder: Path | None,
) -> None:
    """Measure an experiment on real servers, and report: our ratios beside the published ones.

    Without a name: lists the experiments. A LESSON, given as in other commands, stands for its experiment.
    rig-it opens the rig: change workers, sessions, delay, clients and the load client until the ranking
    flips.
    A run that was ended, by Ctrl-C or otherwise, continues when you start it again.
    Nothing else should run on the machine meanwhile.
    """
    measures = bool(quick or full or save_to or fresh or seed is not None)
    if name is None:
        if measures or set_to:
            raise UsageError("Which experiment? asyncdemo lab NAME; asyncdemo lab lists the names.")
        click.echo(json.dumps(as_data(EXPERIMENTS))) if as_json else print_list(EXPERIMENTS)
        return
    if quick and full:
        raise UsageError("--quick and --full exclude each other.")
    course_context = locate(course_folder)
    course = course_context.course
    entry, meant = find_entry(EXPERIMENTS, course, name)
    apps = apps_of(entry, course)
    if meant == _RIG:
        if measures:
            raise UsageError(
                f"The rig takes --set, --plain and --json. To measure: asyncdemo lab {entry.name}"
            )
        from asyncdemo.cli.rig import open_rig

        context.exit(open_rig(course_context, apps, set_to, plain=plain, as_json=as_json))
    if set_to:
        raise UsageError("--set is for the rig: asyncdemo lab rig-it --set KNOB=VALUE")
    if save_to is not None:
        lab_results.check_target(save_to, entry.name)
    console = make_console() if can_draw() and not (plain or as_json) else None
    if console is None:
        context.color = False
    order = Order(
        entry,
        Extent.QUICK if quick else Extent.FULL if full else Extent.DEFAULT,
        apps,
        course_folder,
        seed,
        save_to,
        console,
        asks=can_ask() and not (no_predict or as_json or quick),
    )
    try:
        with lab_results.measuring_alone():
            measured = measure(order, fresh=fresh)
    except KeyboardInterrupt:
        click.echo(_nothing_measured(order), err=True)
        context.exit(EXIT_INTERRUPTED)
    if as_json:
        click.echo(dump_record(measured.record), nl=False)
    elif measured.record.trials:
        _report(order, measured)
    _conclude(order, measured)
    context.exit(_code(measured))


def _nothing_measured(order: Order) -> str:
    """Return the message. An earlier run may have measured something, whether or not it can be resumed."""
    earlier = order.journals.latest()
    if earlier is None:
        return "Interrupted before anything was measured."
    trials = lab_results.trials_in(earlier)
    kept = "1 trial of an earlier run is" if trials == 1 else f"{trials} trials of an earlier run are"
    return f"Interrupted before anything more was measured. {kept} kept."


def _code(measured: Measured) -> int:
    """Return the exit code. An interrupted run resumes from its journal, even if its report was not saved."""
    if measured.died:
        return ServiceError.exit_code
    if measured.record.interrupted:
        return EXIT_INTERRUPTED
    return EXIT_MISSING if measured.problem else EXIT_OK


def _report(order: Order, measured: Measured) -> None:
    if order.console is None:
        from asyncdemo.render.lab.plain import render_plain

        encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        click.echo(render_plain(measured.record, encoding), nl=False)
    else:
        from asyncdemo.render.lab.terminal import print_report

        print_report(measured.record, order.console)
    if measured.guess is not None:
        click.echo("\n" + wrapped(measured.guess.against(measured.record)))


def _conclude(order: Order, measured: Measured) -> None:
    """Print the conclusion to stderr: stdout has the report, which programs may read."""
    lines = [words for words in (measured.problem, measured.note, measured.left) if words]
    if measured.page is not None:
        lines += [
            "",
            f"saved {shown_path(measured.page)}, and beside it the record ({measured.page.stem}.json)",
        ]
    if measured.record.interrupted:
        (ended,) = (flag for flag in measured.record.flags if flag.kind is FlagKind.INTERRUPTED)
        how = "Ended early" if measured.died else "Interrupted"
        lines += [f"{how}: {ended.words} What was done is kept.", f"To continue: {order.again()}"]
    for line in lines:
        click.echo(wrapped_for(sys.stderr, line), err=True)
