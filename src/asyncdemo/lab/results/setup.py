"""The setup: the machine, the contestants, the settings, and the checks beforehand.

``docs/reference/record-format.md`` has the meaning of every field.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Extent(StrEnum):
    QUICK = "quick"
    DEFAULT = "default"
    FULL = "full"


class Loop(StrEnum):
    CLOSED = "closed"
    """Each client sends its next request when the previous one is answered."""
    OPEN = "open"
    """A fixed number of requests per second, whether or not they are answered."""


class Model(StrEnum):
    """How a contestant handles more than one request."""

    ONE_AT_A_TIME = "one at a time"
    THREADS = "threads"
    PROCESSES = "processes"
    GREENLETS = "greenlets"
    COROUTINES = "coroutines"


@dataclass(frozen=True, slots=True)
class Environment:
    """What the figures depend on, without names of machines, users or folders."""

    processor: str
    cores: int
    memory_bytes: int
    system: str
    python: str
    sysctls: Mapping[str, str] = field(default_factory=dict)
    packages: Mapping[str, str] = field(default_factory=dict)
    programs: Mapping[str, str] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)
    """What the article had but this run lacked -> what was done instead."""
    pinning: Mapping[str, str] = field(default_factory=dict)
    """"client", "server", "database", ... -> its CPUs: "0", "1-3"."""
    load_average: float | None = None


@dataclass(frozen=True, slots=True)
class Arm:
    """One contestant, or its replacement."""

    name: str
    title: str
    model: Model
    framework: str = ""
    server: str = ""
    commands: Mapping[str, str] = field(default_factory=dict)
    """Name of a setting, or "*" for all -> the exact command."""
    versions: Mapping[str, str] = field(default_factory=dict)
    twin_of: str = ""
    """The arm that it repeats: they are equal, so their ratio should be 1."""
    unavailable: str = ""
    successor: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Setting:
    """The conditions for every arm: the load, and the knobs of the server."""

    name: str
    title: str
    loop: Loop
    sends: tuple[str, ...]
    clients: int | None = None
    rate_per_s: float | None = None
    arrivals: str = ""
    """"uniform" or "poisson"."""
    of_capacity: float | None = None
    budget_ms: float | None = None
    """Search for the rate: the highest at which the 99th percentile stays within this."""
    requests: int | None = None
    duration_s: float | None = None
    warm_up_s: float | None = None
    timeout_s: float | None = None
    keep_alive: bool = False
    tool: str = "asyncdemo.load"
    knobs: Mapping[str, str] = field(default_factory=dict)
    """"workers, sync" -> "19", "delay_ms" -> "20", ..."""

    def __post_init__(self) -> None:
        if self.loop is Loop.CLOSED and self.clients is None:
            raise ValueError(f"the setting {self.name} is a closed loop without clients")


@dataclass(frozen=True, slots=True)
class Verification:
    """A check before measuring: an answer, an effect in the database, a knob."""

    arm: str
    what: str
    asked: str
    seen: str
    held: bool
    setting: str = ""


@dataclass(frozen=True, slots=True)
class Calibration:
    """The load client against a server that does next to nothing. ``figures``: name with unit -> value."""

    tool: str
    against: str
    figures: Mapping[str, float]
