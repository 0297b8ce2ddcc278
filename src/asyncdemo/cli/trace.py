"""``asyncdemo trace``: the tracer on any script, in one schedule or in many."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import click

from asyncdemo.analysis.schedules import Exploration, first_difference, parse_token
from asyncdemo.cli.console import make_console, print_output, print_runs
from asyncdemo.cli.options import details_option, json_option, plain_option, set_option
from asyncdemo.cli.overwrite import check_recording
from asyncdemo.cli.recording import Recorded, record_live, record_quietly, save_run
from asyncdemo.cli.signals import noting_signals
from asyncdemo.cli.terminal import can_draw, wrap
from asyncdemo.course.content.knobs import settings
from asyncdemo.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, UsageError
from asyncdemo.model import Evidence, RunOutcome
from asyncdemo.recording.options import interpreter_flags
from asyncdemo.recording.runner import Options, Stdout, Target
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
from asyncdemo.serving import Job
from asyncdemo.serving.schedules import MOST_SCHEDULES, explore

_BOUND = (
    "A schedule delays some callbacks by up to 1 s, as a busy machine would. asyncio's own order never "
    "changes. These are samples: a schedule that was not tried may differ."
)
_OUTPUT_LINES = 200
_ONLY_BEFORE = {"-m", "-h", "--help"}


class _Trace(click.Command):
    """Accepts trace's options after SCRIPT, too; from the first other word on, everything is the script's."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(context, _own_options_first(self, context, args))


def _own_options_first(command: click.Command, context: click.Context, args: list[str]) -> list[str]:
    options = [item for item in command.get_params(context) if isinstance(item, click.Option)]
    before = {name: not option.is_flag for option in options for name in option.opts}
    # After the script, these are for it, like after `python SCRIPT`.
    after = {name: takes for name, takes in before.items() if name not in _ONLY_BEFORE}
    script = _end_of_options(args, 0, before)
    if script >= len(args) or args[script].startswith("-"):
        return args
    end = _end_of_options(args, script + 1, after)
    own = [*args[:script], *args[script + 1 : end]]
    if end > len(args):
        return own  # the last option lacks its value: click reports it
    rest = args[end + 1 :] if args[end : end + 1] == ["--"] else args[end:]
    return [*own, "--", args[script], *rest]


def _end_of_options(args: list[str], start: int, takes_value: Mapping[str, bool]) -> int:
    """Return the index of the first word from ``start`` on that is neither an option nor its value."""
    at = start
    while at < len(args):
        name, has_value, _ = args[at].partition("=")
        if name not in takes_value:
            break
        at += 2 if takes_value[name] and not has_value else 1
    return at


@click.command("trace", cls=_Trace, context_settings={"allow_interspersed_args": False})
@click.option(
    "--lane",
    "lanes",
    metavar="FUNC",
    multiple=True,
    help="Show a row for each call of this function, not for each task and thread. For several: "
    "`--lane fetch,parse`.",
)
@click.option("-m", "as_module", is_flag=True, help="SCRIPT is the name of a module, as with `python -m`.")
@set_option
@click.option(
    "--virtual",
    is_flag=True,
    help="Don't wait: let the clock jump from timer to timer. For scripts that use nothing but asyncio.",
)
@click.option(
    "--schedules",
    metavar="N",
    type=click.IntRange(min=1, max=MOST_SCHEDULES),
    help="Run SCRIPT N times in virtual time, delayed as on a busy machine, and report whether the outcome "
    "is always the same.",
)
@click.option(
    "--schedule",
    "token",
    metavar="TOKEN",
    help="Run SCRIPT once in virtual time, in the schedule that a report of --schedules names.",
)
@plain_option
@details_option
@json_option
@click.option(
    "--save",
    "save_to",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Save the recording to FILE, for `asyncdemo show`. "
    "An older recording is overwritten; any other file of that name is not.",
)
@click.option(
    "--timeout",
    "timeout_s",
    metavar="SECONDS",
    type=click.FloatRange(min=0, min_open=True),
    help="Stop SCRIPT if it takes longer than this. By default, there is no limit.",
)
@click.argument("script")
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def command(
    context: click.Context,
    lanes: tuple[str, ...],
    as_module: bool,
    set_to: tuple[str, ...],
    virtual: bool,
    schedules: int | None,
    token: str | None,
    plain: bool,
    details: bool,
    as_json: bool,
    save_to: Path | None,
    timeout_s: float | None,
    script: str,
    args: tuple[str, ...],
) -> None:
    """Run SCRIPT with ARGS, unchanged, and show what its tasks and threads wait for.

    SCRIPT is what `python SCRIPT` runs: a file, a folder or zip file with a `__main__`, a `.pyc`, or `-` for
    standard input. Options of Python, as in `python -X dev -m asyncdemo trace SCRIPT`, apply to SCRIPT too.
    Options of trace go before SCRIPT or right after it. From the first other word on, or from a
    `--` on, everything is passed to the script.
    If the script reads from the terminal, use --plain.
    Exit code 1 if the script failed; the report has its own exit code.
    """
    if save_to is not None and not save_to.parent.is_dir():
        raise UsageError(f"--save {save_to}: there is no folder {save_to.parent}.")
    if save_to is not None:
        check_recording(save_to, f"--save {save_to}")
    target = Target(None, script, args) if as_module else Target(script, None, args)
    flags, refused = interpreter_flags(sys.orig_argv)
    if refused:
        click.echo(f"{' '.join(refused)} is not passed on: {script} runs without it.", err=True)
    options = Options(
        lanes=tuple(name for names in lanes for name in names.split(",") if name),
        knobs=settings(set_to),
        virtual=virtual or token is not None,
        delays=None if token is None else parse_token(token),
        timeout_s=timeout_s,
        flags=flags,
        confined=schedules is not None,
    )
    if schedules is not None:
        if token is not None:
            raise UsageError("Give --schedules to try many schedules, or --schedule to repeat one, not both.")
        with noting_signals() as signals:
            exploration = explore(target, options, schedules, lambda: not signals)
        if as_json:
            click.echo(json_text(schedules_result(target.title, exploration)))
        else:
            _print(target, exploration, plain=plain)
        groups = exploration.groups
        if save_to is not None and groups:
            save_run(groups[:2][-1].example.run, save_to)
        fine = len(groups) == 1 and groups[0].example.run.outcome is RunOutcome.OK
        context.exit(EXIT_INTERRUPTED if exploration.interrupted else EXIT_OK if fine else EXIT_FAILED)
    if as_json:
        recorded = record_quietly([Job(target, replace(options, stdout=Stdout.TO_STDERR))])
        from asyncdemo.render.text.json_result import script_result

        click.echo(json_text(script_result(script, recorded.runs[0])))
    elif plain or not can_draw():
        recorded = record_quietly([Job(target, options)])
        print_runs(recorded.runs, None, details=details, output_shown=True)
    else:
        console = make_console()
        recorded = record_live(Job(target, replace(options, stdout=Stdout.CAPTURE)), console)
        print_output(script, recorded.output[0], console, _OUTPUT_LINES)
        print_runs(recorded.runs, console, details=details, output_shown=True)
    if save_to is not None:
        save_run(recorded.runs[0], save_to)
    _hint_misplaced(context.command, script, args, recorded)
    context.exit(_exit_code(recorded))


def _exit_code(recorded: Recorded) -> int:
    if recorded.interrupted:
        return EXIT_INTERRUPTED
    return EXIT_OK if recorded.runs[0].outcome is RunOutcome.OK else EXIT_FAILED


def _hint_misplaced(command: click.Command, script: str, args: tuple[str, ...], recorded: Recorded) -> None:
    """Print a hint if the script failed and got one of our options: it was probably meant for us."""
    ours = {option for parameter in command.params for option in parameter.opts if option.startswith("-")}
    misplaced = [arg for arg in args if arg.partition("=")[0] in ours]
    if misplaced and recorded.runs[0].outcome is RunOutcome.FAILED:
        click.echo(
            f"{misplaced[0]} was passed to {script}. Options of trace go before the script or right after "
            "it.",
            err=True,
        )


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
