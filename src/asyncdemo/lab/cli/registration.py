"""What the lab adds to the commands, which find it here by name (``asyncdemo.cli.rooms``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click

    from asyncdemo.cli.doctor_result import DoctorCheck


def load_command() -> click.Command:
    from asyncdemo.lab.cli.command import command

    return command


def doctor_checks() -> Iterator[DoctorCheck]:
    from asyncdemo.lab.cli.doctor_checks import checks

    return checks()


def measures(lesson: str) -> bool:
    """Return whether an experiment belongs to the lesson with this id."""
    from asyncdemo.lab.experiments import find_experiment

    return find_experiment(lesson) is not None
