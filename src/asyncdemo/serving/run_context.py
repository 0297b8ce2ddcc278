"""What a script needs around it to run: services, and a load if it is a server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from asyncdemo.load import Plan
from asyncdemo.services import Services


@dataclass(frozen=True, slots=True)
class RunContext:
    """services: they run already, and are the caller's to stop. plan: what is sent to the script.

    The host and port of the plan are set to those of the server. knobs: of the load, by name.
    workers: so many worker processes of a server must be at work before anything is sent; or the name of
    the script's constant that says how many.
    """

    services: Services | None = None
    plan: Plan | None = None
    knobs: Mapping[str, int | float | str | bool] = field(default_factory=dict)
    workers: int | str = 0

    def __bool__(self) -> bool:
        return self.plan is not None or bool(self.services is not None and self.services.names)
