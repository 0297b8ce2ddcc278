"""Options and arguments that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def course_option(command: Command) -> Command:
    return click.option(
        "--course",
        "course_folder",
        metavar="DIR",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        help="A course other than the built-in one. Running its lessons runs code from that folder.",
    )(command)


def json_option(command: Command) -> Command:
    return click.option(
        "--json", "as_json", is_flag=True, help="One JSON object on stdout, and nothing else there."
    )(command)


def plain_option(command: Command) -> Command:
    return click.option(
        "--plain",
        is_flag=True,
        help="The facts as text, without drawing or control codes. The default if there is no terminal.",
    )(command)


def details_option(command: Command) -> Command:
    return click.option(
        "--details",
        is_flag=True,
        help="All figures, by the names that the glossary has for them. In words: every row, too.",
    )(command)


def set_option(command: Command) -> Command:
    return click.option(
        "--set",
        "set_to",
        metavar="KNOB=VALUE",
        multiple=True,
        help="Another value for a module-level constant of the script. Can be given several times.",
    )(command)


def recordings_argument(command: Command) -> Command:
    return click.argument(
        "files",
        metavar="FILE...",
        nargs=-1,
        required=True,
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
    )(command)
