"""The root command. Others are imported when they are called, so that ``--help`` and ``list`` start fast."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import click

import asyncdemo
from asyncdemo.cli.options import course_option, plain_option
from asyncdemo.errors import EXIT_OK

COMMANDS: Final = {
    "list": "The lessons, how long they take, and how far you are.",
    "run": "Run every variant of a lesson: predict, watch, compare.",
    "start": "A folder with the exercises, to edit.",
    "check": "What the check says of an exercise of yours.",
    "watch": "Check an exercise whenever you save it.",
    "hint": "A hint for an exercise, one at a time.",
    "solution": "A solution of an exercise: after a pass, or asked twice.",
    "reset": "An exercise as it was given; your text is kept.",
    "lab": "Measure real servers, and compare with five articles.",
    "trace": "Watch any Python script of yours from outside.",
    "show": "Replay or print a recorded run.",
    "export": "Turn a recorded run into SVG, HTML, Perfetto or CSV.",
    "services": "S3, Redis and PostgreSQL for a script that you run by hand.",
    "docs": "The docs site with every lesson, from this machine.",
    "rehearse": "For teachers: try all that a schedule shows, on this machine.",
    "doctor": "What is installed, what is missing, how to mend it.",
    "dev": "For authors of lessons: hold them against the rules.",
    "completion": "Completion for your shell.",
}
"""Name of the command, which is also the name of its module -> one line of help."""


class _LazyGroup(click.Group):
    def list_commands(self, context: click.Context) -> list[str]:  # noqa: ARG002  (click's signature)
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(f"asyncdemo.cli.{name}").command
        return command

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As in click, but an unknown command gets a suggestion."""
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            from asyncdemo.cli.suggest import suggest_command

            raise click.UsageError(suggest_command(args[0], COMMANDS), context)
        return super().resolve_command(context, args)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except BrokenPipeError:
            # Here, because click would make exit code 1 of it.
            from asyncdemo.cli import reader_left

            reader_left()
            context.exit(EXIT_OK)


@click.group(
    cls=_LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="`asyncdemo COMMAND --help` explains a command.",
)
@click.version_option(asyncdemo.__version__, prog_name="asyncdemo")
@plain_option
@course_option
@click.pass_context
def app(context: click.Context, plain: bool, course_folder: Path | None) -> None:
    """See what sync and async Python waits for: lessons to run, and a tracer on your own scripts.

    Without a command: all lessons on a screen, and how far you are.
    """
    if os.environ.get("NO_COLOR"):
        context.color = False
    # Where a command has the option too, this is what it is if not given there.
    given: dict[str, Any] = {"plain": True} if plain else {}
    if course_folder is not None:
        given["course_folder"] = str(course_folder)
    context.default_map = {name: given | {"check": given} for name in COMMANDS}
    if context.invoked_subcommand is None:
        from asyncdemo.cli.home import home

        context.exit(home(course_folder, plain=plain))
