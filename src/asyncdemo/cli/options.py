"""Options and arguments that several commands share."""

from __future__ import annotations

from pathlib import Path

import click

course_option = click.option(
    "--course",
    "course_folder",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Use the course in DIR, not the built-in one. Its lessons are code that runs on this machine.",
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Write one JSON object to stdout, and nothing else."
)
plain_option = click.option(
    "--plain",
    is_flag=True,
    help="Print plain text, without drawing or control codes. The default without a terminal.",
)
details_option = click.option(
    "--details",
    is_flag=True,
    help="Show all figures, under the names of the glossary. In plain text, also every row.",
)
set_option = click.option(
    "--set",
    "set_to",
    metavar="KNOB=VALUE",
    multiple=True,
    help="Set a module-level constant of the script to this value. Can be repeated.",
)
recordings_argument = click.argument(
    "files",
    metavar="FILE...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
