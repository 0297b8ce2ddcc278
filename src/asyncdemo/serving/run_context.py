"""What a script needs in order to run: services, and a load if it is a server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from asyncdemo.load import Plan
from asyncdemo.services import Services


@dataclass(frozen=True, slots=True)
class RunContext:
    """``services`` are running already; the caller stops them. ``plan`` is the load for the script.

    The plan's host and port are replaced by the server's. ``knobs`` are those of the load, by name.
    ``workers`` is how many worker processes of a server must be ready before anything is sent, or the name of
    the script's constant with that number.
    """

    services: Services | None = None
    plan: Plan | None = None
    knobs: Mapping[str, int | float | str | bool] = field(default_factory=dict)
    workers: int | str = 0

    def __bool__(self) -> bool:
        return self.plan is not None or bool(self.services is not None and self.services.names)
