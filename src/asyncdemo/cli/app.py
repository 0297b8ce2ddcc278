"""The root command. The others are imported on use, so that ``--help`` and ``list`` start fast."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

import asyncdemo
from asyncdemo.cli.options import course_option, plain_option
from asyncdemo.cli.rooms import ROOMS, find_room


class Summary(NamedTuple):
    """What is known of a command before it is imported: its help line."""

    words: str
    only_prints: bool = False
    """Whether its exit code only says that it printed everything."""


COMMANDS: Final[dict[str, Summary]] = {
    "list": Summary("List the lessons, how long they take, and your progress.", only_prints=True),
    "run": Summary("Run every variant of a lesson: predict, watch, compare."),
    "start": Summary("Create a folder with the exercises to edit."),
    "check": Summary("Check one of your exercises."),
    "watch": Summary("Check an exercise whenever you save it."),
    "hint": Summary("Show the next hint for an exercise.", only_prints=True),
    "solution": Summary("Show a solution, once yours has passed or if you ask twice.", only_prints=True),
    "reset": Summary("Restore an exercise, and keep a copy of your version."),
    "lab": Summary("Measure real servers, and compare with five articles."),
    "trace": Summary("Show what your own script waits for, without changing it."),
    "schedules": Summary("Find out whether your script is right only by luck."),
    "show": Summary("Replay or print a recorded run.", only_prints=True),
    "export": Summary("Turn a recorded run into SVG, HTML or Perfetto.", only_prints=True),
    "services": Summary("Start servers, such as Redis, for a script that you run by hand."),
    "docs": Summary("Open the docs site, served from this machine."),
    "doctor": Summary("Show what is installed, what is missing, and how to fix it."),
    "notes": Summary("For teachers: show what to know about a lesson.", only_prints=True),
    "dev": Summary("For lesson authors: check lessons against the rules."),
    "completion": Summary("Print the completion script for your shell.", only_prints=True),
}
"""The name of a command is also that of its module here, or of a room (``rooms``)."""


class _LazyGroup(click.Group):
    def list_commands(self, context: click.Context) -> list[str]:  # noqa: ARG002  (click's signature)
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        if name not in COMMANDS:
            return None
        if name in ROOMS:
            return find_room(name).load_command()
        command: click.Command = import_module(f"asyncdemo.cli.{name}").command
        return command

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Suggest a command if it is unknown; otherwise as in click."""
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            raise click.UsageError(_suggestion(args[0]), context)
        return super().resolve_command(context, args)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary.words) for name, summary in COMMANDS.items()])


def _suggestion(typed: str) -> str:
    from asyncdemo.course.content.lookup import nearest

    if Path(typed).suffix == ".py" and Path(typed).exists():
        return f"There is no command {typed!r}. To trace that script: asyncdemo trace {typed}"
    near = nearest(typed, COMMANDS)
    hint = f"Did you mean {near!r}?" if near else "`asyncdemo --help` lists them."
    return f"There is no command {typed!r}. {hint}"


@click.group(
    cls=_LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="For help with a command: asyncdemo COMMAND --help",
)
@click.version_option(asyncdemo.__version__, prog_name="asyncdemo")
@plain_option
@course_option
@click.pass_context
def app(context: click.Context, plain: bool, course_folder: Path | None) -> None:
    """See what sync and async Python waits for: lessons to run, and a tracer for your own scripts.

    Without a command, this shows all lessons and your progress.
    """
    if os.environ.get("NO_COLOR"):
        context.color = False
    # Defaults for commands that have these options, too.
    given: dict[str, Any] = {"plain": True} if plain else {}
    if course_folder is not None:
        given["course_folder"] = str(course_folder)
    context.default_map = {name: given | {"check": given} for name in COMMANDS}
    if context.obj is not None:
        name = context.invoked_subcommand
        context.obj.has_verdict = name is not None and not (name in COMMANDS and COMMANDS[name].only_prints)
    if context.invoked_subcommand is None:
        from asyncdemo.cli.home import home

        context.exit(home(course_folder, plain=plain))
