"""Rooms beside the core, which knows each by the name of its registration, and imports none of them."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Final, Protocol, cast

if TYPE_CHECKING:
    import click

    from asyncdemo.cli.doctor_result import DoctorCheck

ROOMS: Final = {"lab": "asyncdemo.lab.cli.registration"}
"""Command -> the module with what it adds."""


class Room(Protocol):
    """What a registration has. Each function imports only what it needs, because commands start with it."""

    def load_command(self) -> click.Command: ...
    def doctor_checks(self) -> Iterator[DoctorCheck]: ...
    def measures(self, lesson: str) -> bool:
        """Return whether the room's command takes the lesson with this id."""


def find_room(command: str) -> Room:
    return cast("Room", import_module(ROOMS[command]))
