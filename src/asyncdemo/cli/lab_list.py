"""The experiments of the lab as a list: what each is called, where it belongs, how long it takes.

Not for: which one is meant (``lab_names``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import click

from asyncdemo.cli.terminal import wrapped
from asyncdemo.lab.experiments import Entry
from asyncdemo.lab.harness.installed import find
from asyncdemo.lab.results.setup import Extent

__all__ = ["FORMAT", "as_data", "print_list"]

FORMAT: Final = "asyncdemo.lab-list/1"


def as_data(entries: Sequence[Entry]) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "experiments": [
            {
                "name": entry.name,
                "title": entry.title,
                "lesson": entry.home,
                "lessons": list(entry.lessons),
                "minutes": {extent.value: minutes for extent, minutes in entry.minutes.items()},
                "needs": {program: find(program) is not None for program in entry.needs},
            }
            for entry in entries
        ],
    }


def print_list(entries: Sequence[Entry]) -> None:
    click.echo(
        wrapped("Real servers under real load. The minutes are of --quick, of the default and of --full.")
    )
    width = max(len(entry.name) for entry in entries)
    for entry in entries:
        head = f"{entry.name:<{width}}  "
        minutes = " / ".join(f"{entry.minutes[extent]:g}" for extent in Extent)
        words = wrapped(f"{entry.title}, {minutes} min", head, " " * len(head))
        click.echo("\n" + words.replace(entry.name, click.style(entry.name, bold=True), 1))
        for line in _about(entry):
            click.echo(wrapped(line, " " * len(head), " " * len(head)).lstrip("\n"))
    click.echo("\n" + wrapped("To measure: asyncdemo lab NAME, or the lesson's id or number"))
    click.echo(wrapped("What is missing, and how to get it: asyncdemo doctor"))


def _about(entry: Entry) -> list[str]:
    lessons = entry.lessons or (entry.home,)
    told = [f"{'lesson' if len(lessons) == 1 else 'lessons'} {', '.join(lessons)}"]
    if entry.needs:
        missing = [program for program in entry.needs if find(program) is None]
        here = f"not here: {', '.join(missing)}" if missing else "all there"
        told.append(f"better with {' and '.join(entry.needs)} ({here})")
    return told
