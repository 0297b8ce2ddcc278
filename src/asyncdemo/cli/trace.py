"""``asyncdemo trace``: the tracer on any script."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from asyncdemo.analysis.schedules import parse_token
from asyncdemo.cli.console import make_console, print_output, print_runs
from asyncdemo.cli.options import details_option, json_option, plain_option
from asyncdemo.cli.recording import Recorded, record_live, record_quietly, save_run
from asyncdemo.cli.script import ScriptCommand, ScriptRequest, script_options
from asyncdemo.cli.terminal import can_draw
from asyncdemo.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK
from asyncdemo.model import RunOutcome
from asyncdemo.recording.runner import Options, Stdout
from asyncdemo.safe_text import json_text
from asyncdemo.serving import Job

_OUTPUT_LINES = 200


@click.command("trace", cls=ScriptCommand)
@script_options(
    click.option(
        "--virtual",
        is_flag=True,
        help="Don't wait: let the clock jump from timer to timer. For scripts that use nothing but asyncio.",
    ),
    click.option(
        "--schedule",
        "token",
        metavar="TOKEN",
        help="Run SCRIPT in virtual time, in the schedule that a report of `asyncdemo schedules` names.",
    ),
    plain_option,
    details_option,
    json_option,
    limit="By default, there is no limit.",
)
@click.pass_context
def command(
    context: click.Context, /, virtual: bool, token: str | None, details: bool, **request: Any
) -> None:
    """Run SCRIPT with ARGS, unchanged, and show what its tasks and threads wait for.

    SCRIPT is what `python SCRIPT` runs: a file, a folder or zip file with a `__main__`, a `.pyc`, or `-` for
    standard input. Options of Python, as in `python -X dev -m asyncdemo trace SCRIPT`, apply to SCRIPT too.
    Options of trace go before SCRIPT or right after it. From the first other word on, or from a
    `--` on, everything is passed to the script.
    If the script reads from the terminal, use --plain.
    Exit code 1 if the script failed; the report has its own exit code.
    """
    wanted = ScriptRequest(**request)
    delays = None if token is None else parse_token(token)
    recorded = _record(
        wanted,
        wanted.options(virtual=virtual or token is not None, delays=delays, confined=False),
        details=details,
    )
    run = recorded.runs[0]
    if wanted.save_to is not None:
        save_run(run, wanted.save_to)
    if run.outcome is RunOutcome.FAILED and isinstance(context.command, ScriptCommand):
        context.command.hint_misplaced(wanted)
    fine = run.outcome is RunOutcome.OK
    context.exit(EXIT_INTERRUPTED if recorded.interrupted else EXIT_OK if fine else EXIT_FAILED)


def _record(wanted: ScriptRequest, options: Options, *, details: bool) -> Recorded:
    if wanted.as_json:
        from asyncdemo.render.text.json_result import script_result

        recorded = record_quietly([Job(wanted.target, replace(options, stdout=Stdout.TO_STDERR))])
        click.echo(json_text(script_result(wanted.script, recorded.runs[0])))
    elif wanted.plain or not can_draw():
        recorded = record_quietly([Job(wanted.target, options)])
        print_runs(recorded.runs, None, details=details, output_shown=True)
    else:
        console = make_console()
        recorded = record_live(Job(wanted.target, replace(options, stdout=Stdout.CAPTURE)), console)
        print_output(wanted.script, recorded.output[0], console, _OUTPUT_LINES)
        print_runs(recorded.runs, console, details=details, output_shown=True)
    return recorded
