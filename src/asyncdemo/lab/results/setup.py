"""What was set up: the machine, the contestants, what each was measured under, and what was looked at before.

Not for: what was measured (``trial``, ``comparison``).
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
    """Each client sends its next request when the last is answered."""
    OPEN = "open"
    """So many requests a second, whether or not there are answers."""


class Model(StrEnum):
    """How a contestant takes more than one request."""

    ONE_AT_A_TIME = "one at a time"
    THREADS = "threads"
    PROCESSES = "processes"
    GREENLETS = "greenlets"
    COROUTINES = "coroutines"


@dataclass(frozen=True, slots=True)
class Environment:
    """What the figures depend on. Names of machines, users and folders have no place in it."""

    processor: str
    cores: int
    """Logical ones that the experiment could use."""
    memory_bytes: int
    system: str
    """Kernel or version and architecture included."""
    python: str
    sysctls: Mapping[str, str] = field(default_factory=dict)
    packages: Mapping[str, str] = field(default_factory=dict)
    """Python package -> version."""
    programs: Mapping[str, str] = field(default_factory=dict)
    """nginx, pgbouncer, PostgreSQL, wrk, ... -> version."""
    missing: Mapping[str, str] = field(default_factory=dict)
    """What the article had and this run had not -> what was done instead."""
    pinning: Mapping[str, str] = field(default_factory=dict)
    """"client", "server", "database", ... -> its CPUs: "0", "1-3"."""
    load_average: float | None = None
    """Before it began."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One contestant, or what stands for it."""

    name: str
    title: str
    model: Model
    framework: str = ""
    server: str = ""
    commands: Mapping[str, str] = field(default_factory=dict)
    """Name of a setting, or "*" for all of them -> the exact command."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Package -> version, where the arm has an environment of its own."""
    twin_of: str = ""
    """The arm that it repeats: the two are equal, and their ratio should be 1."""
    unavailable: str = ""
    """Why it could not run."""
    successor: str = ""
    """What one would take today."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Setting:
    """What every arm is measured under: the load, and the knobs of what is loaded."""

    name: str
    title: str
    loop: Loop
    sends: tuple[str, ...]
    """In rotation: "GET /films/995/"."""
    clients: int | None = None
    """Of a closed loop."""
    rate_per_s: float | None = None
    """Of an open loop; None if it is not the same in all trials."""
    arrivals: str = ""
    """"uniform" or "poisson"."""
    of_capacity: float | None = None
    """The rate is this share of what the slowest contestant can do."""
    budget_ms: float | None = None
    """The rate is searched: the highest at which the 99th percentile stays within this."""
    requests: int | None = None
    duration_s: float | None = None
    warm_up_s: float | None = None
    timeout_s: float | None = None
    keep_alive: bool = False
    tool: str = "asyncdemo.load"
    """The load client."""
    knobs: Mapping[str, str] = field(default_factory=dict)
    """"workers, sync" -> "19", "delay_ms" -> "20", ..."""

    def __post_init__(self) -> None:
        if self.loop is Loop.CLOSED and self.clients is None:
            raise ValueError(f"the setting {self.name} is a closed loop without clients")


@dataclass(frozen=True, slots=True)
class Verification:
    """Something looked at before anything was measured: an answer, an effect in the database, a knob."""

    arm: str
    what: str
    asked: str
    seen: str
    held: bool
    setting: str = ""
    """"" if it is the same in all of them."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """The load client against a server that does as little as a server can. figures: name with unit ->
    value.
    """

    tool: str
    against: str
    figures: Mapping[str, float]
