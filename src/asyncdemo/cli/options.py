"""Options and arguments that several commands share."""

from __future__ import annotations

from pathlib import Path

import click

course_option = click.option(
    "--course",
    "course_folder",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A course other than the built-in one. Running its lessons runs code from that folder.",
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="One JSON object on stdout, and nothing else there."
)
plain_option = click.option(
    "--plain",
    is_flag=True,
    help="The facts as text, without drawing or control codes. The default if there is no terminal.",
)
details_option = click.option(
    "--details",
    is_flag=True,
    help="All figures, by the names that the glossary has for them. In words: every row, too.",
)
set_option = click.option(
    "--set",
    "set_to",
    metavar="KNOB=VALUE",
    multiple=True,
    help="Another value for a module-level constant of the script. Can be given several times.",
)
recordings_argument = click.argument(
    "files",
    metavar="FILE...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
