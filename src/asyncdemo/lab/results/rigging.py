"""The rig: its knobs, what waiting and processors allow with them, and what a measurement of them says. Pure.

One job, two servers, one database; whoever sets the knobs chooses the winner. Not for: measuring
(``lab.rig``), or how it looks (``render.terminal.rig``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from asyncdemo.errors import UsageError
from asyncdemo.lab.results.configuration import CONFIGURATIONS, Configuration
from asyncdemo.lab.results.flags import FlagKind
from asyncdemo.lab.results.published import load_article
from asyncdemo.lab.results.ratio import Ratio

__all__ = [
    "KNOBS",
    "OURS",
    "PRESETS",
    "SIDES",
    "Knob",
    "Machine",
    "Outcome",
    "Rigging",
    "Side",
    "with_settings",
]

OURS: Final = "asyncdemo.load"
"""The load client, if it is our own; as the engines name it."""
BEWARE: Final = frozenset({"aiohttp", "httpx"})
"""Load clients that spend more on a request than many a server does."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two servers. pair: its name in the stack."""

    name: str
    is_sync: bool
    pair: str
    title: str


SIDES: Final = (
    Side("sync", True, "flask-gunicorn", "Flask on Gunicorn"),
    Side("async", False, "starlette-uvicorn", "Starlette on uvicorn"),
)


@dataclass(frozen=True, slots=True)
class Knob:
    """steps: the values that keys come to; any from low to high can be typed. No steps: the client."""

    name: str
    title: str
    unit: str
    field: str
    low: int = 0
    high: int = 0
    steps: tuple[int, ...] = ()


KNOBS: Final = (
    Knob("workers", "workers, sync", "", "workers_sync", 1, 64, (1, 2, 4, 6, 8, 12, 19, 24, 32, 48, 64)),
    Knob("async-workers", "workers, async", "", "workers_async", 1, 32, (1, 2, 3, 4, 6, 8, 12, 16)),
    Knob("sessions", "database sessions", "", "sessions", 1, 200, (1, 2, 4, 8, 12, 19, 24, 50, 100, 200)),
    Knob("delay", "query delay", "ms", "delay_ms", 0, 1000, (0, 1, 2, 5, 10, 20, 40, 80, 160, 320)),
    Knob("clients", "clients", "", "clients", 1, 1000, (1, 2, 4, 8, 12, 19, 24, 50, 100, 200, 400)),
    Knob("client", "load client", "", ""),
)


@dataclass(frozen=True, slots=True)
class Machine:
    """What limits the rig besides its knobs.

    processors: that a server may use. is_pooled: there is pgbouncer. cpu_ms: name of a side -> what it
    computes for a request, as measured; without it nothing is known of what the processors allow.
    """

    processors: int
    is_pooled: bool = True
    cpu_ms: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rigging:
    """How the rig is set. client: the load client, by the name of its engine."""

    configuration: Configuration
    client: str = OURS

    def value(self, knob: Knob) -> str:
        if not knob.steps:
            return "ours" if self.client == OURS else self.client
        return f"{getattr(self.configuration, knob.field):g}"

    def with_value(self, knob: Knob, value: int) -> Rigging:
        change: dict[str, Any] = {knob.field: value}
        return replace(self, configuration=replace(self.configuration, **change))

    def stepped(self, knob: Knob, by: int, clients: Sequence[str]) -> Rigging:
        """The next step up (by 1) or down (-1); the same at the end. clients: the load clients there are."""
        if not knob.steps:
            place = clients.index(self.client) + by
            return replace(self, client=clients[max(0, min(place, len(clients) - 1))])
        now = getattr(self.configuration, knob.field)
        beyond = [step for step in knob.steps if (step > now if by > 0 else step < now)]
        if not beyond:
            return self
        return self.with_value(knob, min(beyond) if by > 0 else max(beyond))

    def idle(self, knob: Knob, machine: Machine, clients: Sequence[str]) -> str:
        """Why the knob has no effect here; "" if it has one. clients: the load clients there are."""
        if knob.name == "sessions" and not machine.is_pooled:
            return "no effect: pgbouncer, which limits them, is not installed"
        if not knob.steps and len(clients) < 2:
            return "no effect: no other load client is installed"
        return ""

    def bound_per_s(self, side: Side, machine: Machine) -> float | None:
        """The most requests per second; None if nothing is known that limits them."""
        waiting = self.configuration.bound_per_s(side.is_sync, machine.is_pooled)
        bounds = (waiting, self.computing_per_s(side, machine))
        return min((bound for bound in bounds if bound is not None), default=None)

    def computing_per_s(self, side: Side, machine: Machine) -> float | None:
        """The most that processors allow; None before it was measured what a request costs.

        A worker computes on one processor at a time. What else needs them, the database say, makes it less.
        """
        cpu_ms = machine.cpu_ms.get(side.name)
        workers = self.configuration.workers(side.is_sync)
        return None if not cpu_ms else min(workers, machine.processors) / cpu_ms * 1000

    def waiting_words(self, side: Side, machine: Machine) -> str:
        """The arithmetic of what waiting allows."""
        return self.configuration.bound_words(side.is_sync, machine.is_pooled)

    def computing_words(self, side: Side, machine: Machine) -> str:
        """The arithmetic of what processors allow, as far as it is known."""
        workers, processors = self.configuration.workers(side.is_sync), machine.processors
        limits = (
            f"min({workers} worker{'s' * (workers != 1)}, {processors} processor{'s' * (processors != 1)})"
        )
        bound = self.computing_per_s(side, machine)
        if bound is None:
            return f"{limits} / ? ms (not measured yet)"
        return f"{limits} / {machine.cpu_ms[side.name]:.3g} ms = {bound:,.0f}/s"

    def binding(self, side: Side, machine: Machine) -> tuple[str, ...]:
        """Which of the limits is the least; more than one if they tie, none if nothing is known."""
        chosen = self.configuration
        waiting = chosen.bound_per_s(side.is_sync, machine.is_pooled)
        computing = self.computing_per_s(side, machine)
        if computing is not None and (waiting is None or computing < waiting):
            return ("processors" if machine.processors <= chosen.workers(side.is_sync) else "workers",)
        if waiting is None:
            return ()
        limits = chosen.limits(side.is_sync, machine.is_pooled)
        return tuple(name for name, limit in limits.items() if limit == min(limits.values()))

    def bound_ratio(self, machine: Machine) -> float | None:
        """Async to sync, if both served what their bound allows."""
        sync, other = (self.bound_per_s(side, machine) for side in SIDES)
        return None if sync is None or other is None else other / sync


@dataclass(frozen=True, slots=True)
class Preset:
    """published: Starlette on uvicorn to Flask on Gunicorn, if the article says so."""

    title: str
    configuration: Configuration
    published: float | None


def _presets() -> Mapping[str, Preset]:
    table = load_article("twenty-one-pairs").table("reconfigured")
    row = table.row("Starlette · Uvicorn")
    named = (
        ("mine", "the article's own", "mine"),
        ("better-async", "better async", "better_async"),
        ("better-sync", "better sync", "better_sync"),
        ("original", "as before it", ""),
    )
    return {
        str(key): Preset(title, CONFIGURATIONS[name], table.figure(row, column).value if column else None)
        for key, (name, title, column) in enumerate(named, start=1)
    }


PRESETS: Final = _presets()
"""Key -> the configuration that the article gives, as it calls it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was measured of one rigging. per_s: name of a side -> its median. ratio: async to sync.

    refused: why rounds do not count: of each kind, a sentence on the worst one. rounds: of how many.
    failed: why nothing was measured. cpu_ms: name of a side -> what its server computed for a request.
    """

    rigging: Rigging
    rounds: int
    per_s: Mapping[str, float]
    ratio: Ratio | None = None
    refused: Mapping[FlagKind, str] = field(default_factory=dict)
    failed: str = ""
    done: int = 0
    cpu_ms: Mapping[str, float] = field(default_factory=dict)

    @property
    def winner(self) -> str:
        """ "sync", "async", "no ranking", "refused" if no round counts, "failed"; "" until all are done."""
        if self.failed:
            return "failed"
        if self.done < self.rounds:
            return ""
        if self.ratio is None:
            return "refused"
        if self.ratio.holds_one or len(self.ratio.pairs) < self.rounds:
            return "no ranking"
        return "async" if self.ratio.least > 1 else "sync"


def with_settings(rigging: Rigging, settings: Iterable[str], clients: Sequence[str]) -> Rigging:
    """settings: each ``NAME=VALUE``, as typed. Raises UsageError."""
    named = {knob.name: knob for knob in KNOBS}
    for setting in settings:
        name, equals, typed = (part.strip() for part in setting.partition("="))
        knob = named.get(name)
        if not equals or knob is None:
            raise UsageError(f"{setting!r} sets no knob of the rig. They are {', '.join(named)}: workers=4")
        if not knob.steps:
            rigging = replace(rigging, client=_client(typed, clients))
            continue
        if not typed.isdecimal() or not knob.low <= int(typed) <= knob.high:
            raise UsageError(f"{name} is a whole number from {knob.low} to {knob.high}, not {typed!r}.")
        rigging = rigging.with_value(knob, int(typed))
    return rigging


def _client(typed: str, clients: Sequence[str]) -> str:
    name = OURS if typed == "ours" else typed
    if name not in clients:
        there = ", ".join("ours" if client == OURS else client for client in clients)
        raise UsageError(f"There is no load client {typed!r} here. There are: {there}.")
    return name
